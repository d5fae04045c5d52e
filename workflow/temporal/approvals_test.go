// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// asking is a workflow with a call that waits for approval, for up to two days.
func asking() map[string]workflow.Definition {
	return map[string]workflow.Definition{"w": {Timeout: 48 * time.Hour, Steps: []workflow.Step{
		undoable("a"), step("b", "pay", "$input.n"), step("c", "echo", 1),
	}}}
}

func external() *approve.Options {
	return &approve.Options{Askers: []approve.Asker{approve.External()}}
}

// after asks for the calls that wait, at a simulated time, and answers.
func after(t *testing.T, env *testsuite.TestWorkflowEnvironment, d time.Duration, answer func(w Waiting) *signal) {
	t.Helper()
	env.RegisterDelayedCallback(func() {
		value, err := env.QueryWorkflow(waitingQuery)
		var list []Waiting
		if err == nil {
			err = value.Get(&list)
		}
		if err != nil || len(list) != 1 {
			t.Errorf("after %v: got %+v, %v, want one call that waits", d, list, err)
			return
		}
		if s := answer(list[0]); s != nil {
			env.SignalWorkflow(decisionSignal, *s)
		}
	}, d)
}

func yes(by string) func(w Waiting) *signal {
	return func(w Waiting) *signal {
		return &signal{w.Call, approval.Answer{Digest: w.Digest, Approved: true, By: []string{by}}}
	}
}

// A run waits for a person for a simulated day. No activity runs in the meantime.
func TestARunWaitsADayForApproval(t *testing.T) {
	b := newBench(t, asking(), external())
	env := b.environment(t)
	start := env.Now()
	after(t, env, 24*time.Hour, func(w Waiting) *signal {
		if w.Call != runID+"/b" || w.Tool != "pay" || string(w.Arguments) != `{"v":7}` || w.People != 1 || w.Trigger != "tool" {
			t.Errorf("got %+v", w)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.calls) != 1 {
			t.Errorf("calls before the approval: got %q", b.calls)
		}
		return yes("kim")(w)
	})
	r := b.run(t, env, "w", `{"n": 7}`)
	if r.Err != nil || strings.Join(b.calls, " ") != runID+"/a "+runID+"/b "+runID+"/c" {
		t.Errorf("got %v, calls %q", r.Err, b.calls)
	}
	if waited := env.Now().Sub(start); waited < 24*time.Hour {
		t.Errorf("waited %v", waited)
	}
}

func TestDecisions(t *testing.T) {
	wrong := func(change func(*signal)) func(w Waiting) *signal {
		return func(w Waiting) *signal {
			s := yes("kim")(w)
			change(s)
			return s
		}
	}
	people := external()
	people.People = []approve.Person{{Name: "kim", Tools: []string{"pay"}}, {Name: "lee", Tools: []string{"other"}}}
	two := external()
	two.TwoPeople = []string{"pay"}
	alone := &approve.Options{Askers: []approve.Asker{approve.Unattended()}}
	for name, c := range map[string]struct {
		options *approve.Options
		answers []func(w Waiting) *signal // an hour apart
		kind    toolkit.Kind              // "" for a run that succeeds
	}{
		"approved":         {external(), []func(w Waiting) *signal{yes("kim")}, ""},
		"rejected":         {external(), []func(w Waiting) *signal{wrong(func(s *signal) { s.Answer.Approved = false })}, toolkit.ErrApprovalDenied},
		"no answer":        {external(), nil, toolkit.ErrTimeout},
		"another digest":   {external(), []func(w Waiting) *signal{wrong(func(s *signal) { s.Answer.Digest = strings.Repeat("0", 64) })}, toolkit.ErrTimeout},
		"another call":     {external(), []func(w Waiting) *signal{wrong(func(s *signal) { s.Call = runID + "/c" })}, toolkit.ErrTimeout},
		"may not":          {people, []func(w Waiting) *signal{yes("lee")}, toolkit.ErrTimeout},
		"may not, may":     {people, []func(w Waiting) *signal{yes("lee"), yes("kim")}, ""},
		"may":              {people, []func(w Waiting) *signal{yes("kim")}, ""},
		"one of two":       {two, []func(w Waiting) *signal{yes("kim")}, toolkit.ErrTimeout},
		"the same twice":   {two, []func(w Waiting) *signal{yes("kim"), yes("kim")}, toolkit.ErrTimeout},
		"two":              {two, []func(w Waiting) *signal{yes("kim"), yes("lee")}, ""},
		"nameless and one": {two, []func(w Waiting) *signal{yes(""), yes("lee")}, toolkit.ErrTimeout},
		"unattended":       {alone, nil, toolkit.ErrApprovalDenied},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, asking(), c.options)
			env := b.environment(t)
			for i, answer := range c.answers {
				after(t, env, time.Duration(i+1)*time.Hour, answer)
			}
			r := b.run(t, env, "w", `{"n": 7}`)
			paid := strings.Count(strings.Join(b.calls, " "), runID+"/b")
			undone := strings.Contains(strings.Join(b.calls, " "), runID+"/a/undo")
			if c.kind == "" && (r.Err != nil || paid != 1) {
				t.Errorf("got %v, calls %q", r.Err, b.calls)
			}
			if c.kind != "" && (r.Run.ErrorType != string(c.kind) || paid != 0 || !undone) {
				t.Errorf("got %s: %v, calls %q", r.Run.ErrorType, r.Err, b.calls)
			}
		})
	}
}

// An answer that comes before the run waits counts; more of them than a bound are dropped.
func TestEarlyDecisions(t *testing.T) {
	r := &run{answers: map[string][]approval.Answer{}}
	for range 2 * maxUnused {
		r.keepAnswer(signal{Call: "c", Answer: approval.Answer{Digest: "d"}})
	}
	if r.unused != maxUnused || len(r.answers["c\nd"]) != maxUnused {
		t.Errorf("got %d", r.unused)
	}
}

// A step's own time limit counts the wait for an approval.
func TestAnApprovalWithinTheStepsTime(t *testing.T) {
	definitions := asking()
	definitions["w"].Steps[1].Timeout = time.Hour
	b := newBench(t, definitions, external())
	env := b.environment(t)
	start := env.Now()
	r := b.run(t, env, "w", `{"n": 7}`)
	if waited := env.Now().Sub(start); r.Run.ErrorType != string(toolkit.ErrApprovalExpired) || waited < time.Hour || waited > 2*time.Hour {
		t.Errorf("got %s after %v: %v", r.Run.ErrorType, waited, r.Err)
	}
}

// A run that is cancelled while it waits ends, and is undone.
func TestACancelledWait(t *testing.T) {
	b := newBench(t, asking(), external())
	env := b.environment(t)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Hour)
	r := b.run(t, env, "w", `{"n": 7}`)
	if r.Run.ErrorType != string(toolkit.ErrCanceled) || strings.Join(b.calls, " ") != runID+"/a "+runID+"/a/undo" {
		t.Errorf("got %v, calls %q", r.Err, b.calls)
	}
}

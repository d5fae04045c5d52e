// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// seen is a call of a gate as an observer sees it.
type seen struct {
	ran      bool
	question handoff.Question
	asked    bool
	err      error
	tags     string
	outcome  toolkit.Outcome
}

func through(t *testing.T, gate *Policy, call toolkit.Call) (s seen) {
	t.Helper()
	handle := gate.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		s.ran = true
		s.question, s.asked = handoff.QuestionOf(ctx)
		return toolkit.Result{Output: "done"}, nil
	})
	var recorder tooltest.Recorder
	lookup := func(name string) *toolkit.Definition {
		return &toolkit.Definition{Name: name, Risk: toolkit.RiskHigh, Category: "web", ReadOnly: toolkit.Yes}
	}
	_, s.err = toolkit.Observe(lookup, &recorder)(handle)(t.Context(), call)
	calls := recorder.All()
	if len(calls) != 1 {
		t.Fatalf("%d calls were observed", len(calls))
	}
	served := calls[0].Disposition
	s.outcome = served.Outcome
	var tags []string
	for _, tag := range served.Tags {
		tags = append(tags, strings.TrimPrefix(tag.Key, "permission.")+"="+tag.Value)
	}
	s.tags = strings.Join(tags, " ")
	return s
}

func TestGate(t *testing.T) {
	spec := Spec{Workspace: []string{t.TempDir()}, Rules: []Rule{
		{
			Name: "no-web", Effect: Deny, Tools: []string{"web_*"}, Risks: []toolkit.Risk{toolkit.RiskHigh},
			ForModel: "the web is off; use the cache",
		},
		{Name: "mail", Effect: Ask, Tools: []string{"mail"}, ForPerson: "sends mail"},
		{Name: "read", Effect: Allow, Tools: []string{"read"}, ReadOnly: toolkit.Yes},
	}}
	shadow := spec
	shadow.Shadow = true
	for _, c := range []struct {
		call     toolkit.Call
		approver bool
		shadow   bool
		ran      bool
		outcome  toolkit.Outcome
		tags     string
		message  string
	}{
		{toolkit.Call{Name: "echo"}, false, false, true, toolkit.OutcomeExecuted, "decision=allow door=default", ""},
		{toolkit.Call{Name: "read"}, false, false, true, toolkit.OutcomeExecuted, "decision=allow door=rules rule=read", ""},
		{
			toolkit.Call{Name: "web_get"}, true, false, false, toolkit.OutcomeRefused,
			"decision=deny door=rules rule=no-web", "the web is off; use the cache",
		},
		{toolkit.Call{Name: "mail"}, true, false, true, toolkit.OutcomeExecuted, "decision=ask door=rules rule=mail", ""},
		{
			toolkit.Call{Name: "mail"}, false, false, false, toolkit.OutcomeRefused,
			"decision=ask door=rules rule=mail", "no approver is configured",
		},
		{
			shellCall("sudo ls"), true, false, false, toolkit.OutcomeRefused,
			"decision=deny door=deny_list rule=deny-root", "commands as another user",
		},
		{
			shellCall("sudo ls"), true, true, true, toolkit.OutcomeExecuted,
			"decision=deny door=deny_list rule=deny-root shadow=true", "",
		},
		{toolkit.Call{Name: "mail"}, true, true, true, toolkit.OutcomeExecuted, "decision=ask door=rules rule=mail shadow=true", ""},
	} {
		s := spec
		if c.shadow {
			s = shadow
		}
		told := 0
		gate, err := New(Options{Rules: mustCompile(t, s), Approver: c.approver,
			OnDecision: func(context.Context, toolkit.Call, Decision) { told++; panic("swallowed") }})
		if err != nil {
			t.Fatal(err)
		}
		got := through(t, gate, c.call)
		if got.ran != c.ran || got.outcome != c.outcome || got.tags != c.tags || told != 1 {
			t.Errorf(
				"%s: ran %t, %s, %q, told %d times; want ran %t, %s, %q, once", c.call.Name, got.ran, got.outcome,
				got.tags, told, c.ran, c.outcome, c.tags,
			)
		}
		if (got.err != nil) == c.ran || got.err != nil &&
			(!errors.Is(got.err, toolkit.ErrPermissionDenied) || !strings.Contains(got.err.Error(), c.message)) {
			t.Errorf("%s: error %v, want one with %q: %t", c.call.Name, got.err, c.message, !c.ran)
		}
		wantAsked := c.ran && strings.HasPrefix(c.tags, "decision=ask") && !c.shadow
		if got.asked != wantAsked || wantAsked &&
			(got.question.Rule != "mail" || got.question.Version != gate.Rules().Version() ||
				!strings.Contains(got.question.Reason, "sends mail")) {
			t.Errorf("%s: question %+v, want one: %t", c.call.Name, got.question, wantAsked)
		}
	}
}

// Annotations: who says nothing writes, destroys and is open.
func TestAnnotations(t *testing.T) {
	rules := mustCompile(t, Spec{Rules: []Rule{
		{Name: "writes", Effect: Ask, ReadOnly: toolkit.No},
		{Name: "web", Effect: Deny, Categories: []string{"web*"}, OpenWorld: toolkit.Yes},
		{Name: "ended", Effect: Deny, Expires: time.Now().Add(-time.Second)},
	}})
	for _, c := range []struct {
		tool *toolkit.Definition
		want string
	}{
		{nil, "writes"},
		{&toolkit.Definition{}, "writes"},
		{&toolkit.Definition{ReadOnly: toolkit.Yes}, ""},
		{&toolkit.Definition{ReadOnly: toolkit.Yes, Category: "web"}, "web"},
		{&toolkit.Definition{ReadOnly: toolkit.Yes, Category: "web", OpenWorld: toolkit.No}, ""},
		{&toolkit.Definition{ReadOnly: toolkit.No, Category: "websites"}, "web"},
	} {
		if d := rules.Decide(c.tool, toolkit.Call{Name: "x"}); d.Rule != c.want {
			t.Errorf("%v: rule %q, want %q", c.tool, d.Rule, c.want)
		}
	}
}

// Rules are replaced while calls run, and names of models do not pile up.
func TestSet(t *testing.T) {
	gate, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if gate.Set(nil) == nil {
		t.Error("no rules are accepted")
	}
	deny := mustCompile(t, Spec{Default: Deny})
	allow := gate.Rules()
	handle := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }, gate)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 1000 {
				_, err := handle(context.Background(), toolkit.Call{Name: fmt.Sprint("tool", i, j)})
				if err != nil && !errors.Is(err, toolkit.ErrPermissionDenied) {
					t.Error(err)
				}
				if j%100 == 0 {
					_ = gate.Set([]*Rules{deny, allow}[j/100%2])
				}
			}
		})
	}
	wg.Wait()
	for _, r := range []*Rules{deny, allow} {
		if n := len(*r.plans.Load()); n > maxPlans {
			t.Errorf("%d plans are kept, want at most %d", n, maxPlans)
		}
	}
	if deny.Version() == allow.Version() {
		t.Error("different rules have one version")
	}
}

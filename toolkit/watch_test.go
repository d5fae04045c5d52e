// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func knows(names ...string) toolkit.Lookup {
	defs := map[string]*toolkit.Definition{}
	for _, n := range names {
		defs[n] = &toolkit.Definition{Name: n}
	}
	return func(name string) *toolkit.Definition { return defs[name] }
}

// A function without an error says of a failure only that it is one; why is told
// by the lookup and the context.
func TestWatchTellsWhyAFunctionWithoutErrorFailed(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	limited, cancel := context.WithTimeoutCause(t.Context(), 0, errors.New("host's cause"))
	defer cancel()
	<-limited.Done()
	lens := ownLens
	lens.Tool = knows("known")
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		call    string
		failed  bool
		want    string
		outcome toolkit.Outcome
	}{
		{"success", t.Context(), "known", false, "", toolkit.OutcomeExecuted},
		{"success of an unknown name", t.Context(), "made_up", false, "", toolkit.OutcomeExecuted},
		{"failure", t.Context(), "known", true, "tool_error", toolkit.OutcomeExecuted},
		{"failure of an unknown name", t.Context(), "made_up", true, "unknown_tool", toolkit.OutcomeRefused},
		{"failure after cancel", canceled, "known", true, "canceled", toolkit.OutcomeExecuted},
		{"failure after a deadline with a cause", limited, "known", true, "timeout", toolkit.OutcomeExecuted},
		{"success after cancel", canceled, "known", false, "", toolkit.OutcomeExecuted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen tooltest.Recorder
			run := toolkit.Watch(func(context.Context, *ownCall) *ownResult { return &ownResult{IsError: tt.failed} }, lens, &seen)
			run(tt.ctx, &ownCall{Name: tt.call})
			e := seen.All()[0]
			if e.ErrorType != tt.want || e.Disposition.Outcome != tt.outcome || e.Ending != toolkit.EndingReturned {
				t.Errorf("got %q, %v, %v, want %q, %v, returned", e.ErrorType, e.Disposition.Outcome, e.Ending, tt.want, tt.outcome)
			}
		})
	}
}

func TestWatchAsksForContentOnlyIfWanted(t *testing.T) {
	views := 0
	lens := ownLens
	lens.View = func(r *ownResult) toolkit.Result { views++; return toolkit.Result{Output: r.Output} }
	answer := func(context.Context, *ownCall) *ownResult { return &ownResult{Output: "out", IsError: true} }

	var told toolkit.Ended
	unwanted := funcs{end: func(_ context.Context, e *toolkit.Ended) { told = *e }}
	toolkit.Watch(answer, lens, unwanted)(t.Context(), &ownCall{})
	if views != 0 || told.Content || told.Result.Output != "" || told.ResultBytes != -1 {
		t.Errorf("unwanted: got %d views, content %v, %d bytes, want none, false, -1", views, told.Content, told.ResultBytes)
	}
	if told.Result.Fault == nil || told.Err == nil {
		t.Error("the fault is told without content, got nil")
	}

	lens.Size = func(r *ownResult) int { return len(r.Output) }
	toolkit.Watch(answer, lens, unwanted)(t.Context(), &ownCall{})
	if views != 0 || told.ResultBytes != 3 {
		t.Errorf("with Size: got %d views, %d bytes, want 0 and 3", views, told.ResultBytes)
	}

	lens.Size = nil
	wanted := funcs{wants: func(context.Context) bool { return true }, end: unwanted.end}
	toolkit.Watch(answer, lens, quiet{}, wanted)(t.Context(), &ownCall{})
	if views != 1 || !told.Content || told.Result.Output != "out" || told.ResultBytes != 3 || told.Result.Fault == nil {
		t.Errorf("wanted: got %d views, %v with content %v, want 1 view of the output and its fault", views, told.Result, told.Content)
	}
}

func TestWatchSurvivesALensThatPanics(t *testing.T) {
	boom := func() { panic("lens") }
	for name, lens := range map[string]toolkit.Lens[*ownCall, *ownResult]{
		"Call":   {Call: func(*ownCall) toolkit.Call { boom(); return toolkit.Call{} }},
		"Tool":   {Tool: func(string) *toolkit.Definition { boom(); return nil }},
		"Failed": {Failed: func(*ownResult) error { boom(); return nil }},
		"Size":   {Size: func(*ownResult) int { boom(); return 0 }},
		"View":   {View: func(*ownResult) toolkit.Result { boom(); return toolkit.Result{} }},
	} {
		t.Run(name, func(t *testing.T) {
			before := toolkit.ObserverPanics()
			var seen tooltest.Recorder
			result := &ownResult{}
			run := toolkit.Watch(func(context.Context, *ownCall) *ownResult { return result }, lens, &seen)
			if got := run(t.Context(), &ownCall{}); got != result || seen.Len() != 1 || toolkit.ObserverPanics()-before != 1 {
				t.Errorf("got %v, %d calls told, %d panics, want the identical result, 1, 1", got, seen.Len(), toolkit.ObserverPanics()-before)
			}
		})
	}
}

func TestWatchWithNothing(t *testing.T) {
	var none func(context.Context, *ownCall) *ownResult
	if got := toolkit.Watch(none, ownLens, quiet{}); got != nil {
		t.Error("a nil function became one that is not")
	}
	var noneWithError withError
	if got := toolkit.Watch(noneWithError, ownLens, quiet{}); got != nil {
		t.Error("a nil function became one that is not")
	}
	result := &ownResult{}
	f := func(context.Context, *ownCall) *ownResult { return result }
	if got := toolkit.Watch(f, ownLens, nil, nil)(t.Context(), nil); got != result {
		t.Errorf("without observers: got %v, want the function's own result", got)
	}
}

// The context that observers make reaches the function, in the order listed.
func TestObserversContextsNest(t *testing.T) {
	type key struct{}
	add := func(name string) funcs {
		return funcs{begin: func(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
			before, _ := ctx.Value(key{}).(string)
			return context.WithValue(ctx, key{}, before+name)
		}}
	}
	var got any
	run := toolkit.Watch(func(ctx context.Context, _ *ownCall) *ownResult { got = ctx.Value(key{}); return nil }, ownLens, add("a"), add("b"))
	if run(t.Context(), &ownCall{}); got != "ab" {
		t.Errorf("got %q, want ab", got)
	}
}

func TestToolLens(t *testing.T) {
	var seen tooltest.Recorder
	shout := func(_ context.Context, args json.RawMessage) (string, error) {
		return strings.ToUpper(string(args)), nil
	}
	def := toolkit.Definition{Name: "shout", InputSchema: json.RawMessage(`{"type":"object"}`)}
	out, err := toolkit.Watch(shout, toolkit.ToolLens(def), &seen)(t.Context(), json.RawMessage("x"))
	e := seen.All()[0]
	if out != "X" || err != nil || e.Call.Name != "shout" || e.Info.Tool == nil || e.Result.Output != "X" || e.ResultBytes != 1 || e.ArgumentsBytes != 1 {
		t.Errorf("got %q, %v, told %v of tool %v", out, err, e, e.Info.Tool)
	}
	stop := errors.New("stop")
	governed, err := toolkit.Govern(shout, toolkit.ToolLens(def), func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "no"}, stop }
	})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := governed(t.Context(), nil); out != "no" || err != stop {
		t.Errorf("got %q, %v, want the policy's answer and its very error", out, err)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/counters"
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

// A function without an error says of a failure only that it is one; the reason
// comes from the lookup and the context.
func TestObserveFuncFindsOutWhyAFunctionWithoutErrorFailed(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	limited, cancel := context.WithTimeoutCause(t.Context(), 0, errors.New("host's cause"))
	defer cancel()
	<-limited.Done()
	adapter := ownAdapter
	adapter.Tools = knows("known")
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
			run := observed(t, func(context.Context, *ownCall) *ownResult { return &ownResult{IsError: tt.failed} }, adapter, &seen)
			run(tt.ctx, &ownCall{Name: tt.call})
			e := seen.All()[0]
			if e.ErrorType != tt.want || e.Disposition.Outcome != tt.outcome || e.Ending != toolkit.EndingReturned {
				t.Errorf("got %q, %v, %v, want %q, %v, returned", e.ErrorType, e.Disposition.Outcome, e.Ending, tt.want, tt.outcome)
			}
		})
	}
}

func TestObserveFuncBuildsContentOnlyIfWanted(t *testing.T) {
	built := 0
	adapter := ownAdapter
	adapter.Result = func(r *ownResult, _ error) toolkit.Result {
		return toolkit.Result{Fault: toolkit.SoftError(r.IsError, r.Output)}
	}
	adapter.Content = func(r *ownResult, res *toolkit.Result) { built++; res.Output = r.Output }
	answer := func(context.Context, *ownCall) *ownResult { return &ownResult{Output: "out", IsError: true} }

	var last toolkit.Ended
	unwanted := funcs{end: func(_ context.Context, e *toolkit.Ended) { last = *e }}
	observed(t, answer, adapter, unwanted)(t.Context(), &ownCall{})
	if built != 0 || last.Content || last.Result.Output != "" || last.ResultBytes != -1 {
		t.Errorf("unwanted: built %d times, content %v, %d bytes, want never, false, -1", built, last.Content, last.ResultBytes)
	}
	if last.Result.Fault == nil || last.Err == nil {
		t.Error("without content: got no fault, want it")
	}

	adapter.Size = func(r *ownResult) int { return len(r.Output) }
	observed(t, answer, adapter, unwanted)(t.Context(), &ownCall{})
	if built != 0 || last.ResultBytes != 3 {
		t.Errorf("with Size: built %d times, %d bytes, want 0 and 3", built, last.ResultBytes)
	}

	adapter.Size = nil
	wanted := funcs{wants: func(context.Context) bool { return true }, end: unwanted.end}
	observed(t, answer, adapter, quiet{}, wanted)(t.Context(), &ownCall{})
	if built != 1 || !last.Content || last.Result.Output != "out" || last.ResultBytes != 3 || last.Result.Fault == nil {
		t.Errorf("wanted: built %d times, %v with content %v, want once, the output and its fault", built, last.Result, last.Content)
	}
}

// TestAdapterPanicsWhileObserving: the caller gets the function's result, and the call is
// recorded with the name of the function that panicked.
func TestAdapterPanicsWhileObserving(t *testing.T) {
	type adapter = toolkit.Adapter[*ownCall, *ownResult]
	for name, breaks := range map[string]func(*adapter){
		"Call":    func(a *adapter) { a.Call = func(*ownCall) toolkit.Call { panic("boom") } },
		"Result":  func(a *adapter) { a.Result = func(*ownResult, error) toolkit.Result { panic("boom") } },
		"Report":  func(a *adapter) { a.Report = func(*ownCall, *ownResult, error, *toolkit.Disposition) { panic("boom") } },
		"Content": func(a *adapter) { a.Content = func(*ownResult, *toolkit.Result) { panic("boom") } },
		"Size":    func(a *adapter) { a.Size = func(*ownResult) int { panic("boom") } },
	} {
		t.Run(name, func(t *testing.T) {
			before := counters.AdapterPanics.Load()
			var seen tooltest.Recorder
			a, result := ownAdapter, &ownResult{}
			breaks(&a)
			run := observed(t, func(context.Context, *ownCall) *ownResult { return result }, a, &seen)
			if got := run(t.Context(), &ownCall{}); got != result || seen.Len() != 1 || counters.AdapterPanics.Load()-before != 1 {
				t.Fatalf(
					"got %v, %d calls recorded, %d panics, want the identical result, 1, 1", got, seen.Len(),
					counters.AdapterPanics.Load()-before,
				)
			}
			if tags := seen.All()[0].Disposition.Tags; !slices.Contains(tags, toolkit.Tag{Key: "adapter.panic", Value: name}) {
				t.Errorf("got the tags %v, want adapter.panic=%s", tags, name)
			}
		})
	}
}

func TestWrappingNamesWhatIsMissing(t *testing.T) {
	type adapter = toolkit.Adapter[*ownCall, *ownResult]
	plain := func(context.Context, *ownCall) *ownResult { return nil }
	for _, tt := range []struct {
		field    string
		remove   func(*adapter)
		observed bool // also needed without policies
	}{
		{"Tools", func(a *adapter) { a.Tools = nil }, true},
		{"Call", func(a *adapter) { a.Call = nil }, true},
		{"Result", func(a *adapter) { a.Result = nil }, true},
		{"With", func(a *adapter) { a.With = nil }, false},
		{"Answer", func(a *adapter) { a.Answer = nil }, false},
	} {
		a := ownAdapter
		tt.remove(&a)
		want := "Adapter." + tt.field + ": got nil"
		if f, err := toolkit.GovernFunc(plain, a); f != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("GovernFunc without %s: got %v, want an error that names it", tt.field, err)
		}
		if f, err := toolkit.ObserveFunc(plain, a, quiet{}); tt.observed != (err != nil) || tt.observed &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("ObserveFunc without %s: got %t, %v", tt.field, f != nil, err)
		}
	}
	a := ownAdapter
	a.Result = nil
	if _, err := toolkit.ObserveFunc(execute(func(context.Context, *ownCall) (*ownResult, error) { return nil, nil }), a,
		quiet{}); err != nil {
		t.Errorf("a function with an error needs no Result: %v", err)
	}
	var none func(context.Context, *ownCall) *ownResult
	for name, err := range map[string]error{
		"ObserveFunc": second(toolkit.ObserveFunc(none, ownAdapter, quiet{})),
		"GovernFunc":  second(toolkit.GovernFunc(execute(nil), ownAdapter)),
	} {
		if err == nil || !strings.Contains(err.Error(), "nil function") {
			t.Errorf("%s of nil: got %v, want an error that says so", name, err)
		}
	}
	if _, err := toolkit.ObserveFunc(func(context.Context, json.RawMessage) (string, error) { return "", nil },
		toolkit.ToolAdapter(toolkit.Definition{})); err == nil || !strings.Contains(err.Error(), "empty name") {
		t.Errorf("ToolAdapter without a name: got %v, want an error that says so", err)
	}
	noError := func(context.Context, int) int { return 0 }
	if _, err := toolkit.GovernFunc(noError, toolkit.TypedAdapter[int, int](named("n"))); err == nil ||
		!strings.Contains(err.Error(), "without an error") {
		t.Errorf("TypedAdapter for a function without an error, governed: got %v, want an error", err)
	}
	if _, err := toolkit.ObserveFunc(noError, toolkit.TypedAdapter[int, int](named("n"))); err != nil {
		t.Errorf("TypedAdapter for a function without an error, observed: got %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestObserveFuncWithoutObserversIsTheFunction(t *testing.T) {
	result := &ownResult{}
	f := func(context.Context, *ownCall) *ownResult { return result }
	if got := observed(t, f, ownAdapter, nil, nil)(t.Context(), nil); got != result {
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
	run := observed(t, func(ctx context.Context, _ *ownCall) *ownResult { got = ctx.Value(key{}); return nil },
		ownAdapter, add("a"), add("b"))
	if run(t.Context(), &ownCall{}); got != "ab" {
		t.Errorf("got %q, want ab", got)
	}
}

func TestToolAdapter(t *testing.T) {
	var seen tooltest.Recorder
	shout := func(_ context.Context, args json.RawMessage) (string, error) {
		return strings.ToUpper(string(args)), nil
	}
	def := toolkit.Definition{Name: "shout", InputSchema: json.RawMessage(`{"type":"object"}`)}
	out, err := observed(t, shout, toolkit.ToolAdapter(def), &seen)(t.Context(), json.RawMessage("x"))
	e := seen.All()[0]
	if out != "X" || err != nil || e.Call.Name != "shout" || e.Info.Tool == nil || e.Result.Output != "X" ||
		e.ResultBytes != 1 || e.ArgumentsBytes != 1 {
		t.Errorf("got %q, %v, recorded %v of tool %v", out, err, e, e.Info.Tool)
	}
	stop := errors.New("stop")
	run := governed(t, shout, toolkit.ToolAdapter(def), func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "no"}, stop }
	})
	if out, err := run(t.Context(), nil); out != "no" || err != stop {
		t.Errorf("got %q, %v, want the policy's answer and its very error", out, err)
	}
}

func TestTypedAdapter(t *testing.T) {
	type query struct{ City string }
	type forecast struct{ Degrees int }
	var seen tooltest.Recorder
	weather := func(_ context.Context, q query) (forecast, error) { return forecast{len(q.City)}, nil }
	var rename toolkit.Middleware = func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Arguments = json.RawMessage(`{"City":"Ulaanbaatar"}`)
			res, err := next(ctx, call)
			res.Output = `{"Degrees":1` + res.Output[len(`{"Degrees":`):]
			return res, err
		}
	}
	adapter := toolkit.TypedAdapter[query, forecast](named("weather"))
	run := governed(t, weather, adapter, toolkit.Observe(adapter.Tools.Lookup, &seen), rename)
	if got, err := run(t.Context(), query{"Oslo"}); got.Degrees != 111 || err != nil {
		t.Errorf("got %v, %v, want what the policy made of arguments and result", got, err)
	}
	if e := seen.All()[0]; string(e.Call.Arguments) != `{"City":"Oslo"}` || e.Result.Output != `{"Degrees":111}` {
		t.Errorf("recorded %s, %s", e.Call.Arguments, e.Result.Output)
	}
	cut := after(func(r *toolkit.Result) { r.Output = r.Output[:3] })
	if got, err := governed(t, weather, adapter, cut)(t.Context(), query{"Oslo"}); got.Degrees != 4 || err != nil {
		t.Errorf("cut: got %v, %v, want the tool's own result", got, err)
	}
}

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

// after is a middleware that changes the result.
func after(change func(*toolkit.Result)) toolkit.Middleware {
	return func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			res, err := next(ctx, call)
			change(&res)
			return res, err
		}
	}
}

func TestGovernFuncReturnsTheIdenticalResultUnlessAPolicyChangedIt(t *testing.T) {
	adapter := ownAdapter
	adapter.Result = func(r *ownResult, _ error) toolkit.Result {
		return toolkit.Result{Fault: uncomparable{"soft"}, Output: r.Output,
			Parts: []toolkit.Part{{Kind: toolkit.PartText, Text: "part", Data: []byte{1}}},
			Meta:  map[string]json.RawMessage{"a": json.RawMessage(`1`)}}
	}
	for _, tt := range []struct {
		name   string
		change func(*toolkit.Result)
		same   bool
	}{
		{"nothing", func(*toolkit.Result) {}, true},
		{"an equal copy", func(r *toolkit.Result) { c := r.Clone(); c.Fault = r.Fault; r.Parts, r.Meta = c.Parts, c.Meta }, true},
		{"output", func(r *toolkit.Result) { r.Output = "changed" }, false},
		{"a part's text, in a copy", func(r *toolkit.Result) { *r = r.Clone(); r.Parts[0].Text = "[REDACTED]" }, false},
		{"a part's data, in a copy", func(r *toolkit.Result) { *r = r.Clone(); r.Parts[0].Data[0] = 0 }, false},
		{"_meta, in a copy", func(r *toolkit.Result) { *r = r.Clone(); r.Meta["a"][0] = '2' }, false},
		{"a part taken away", func(r *toolkit.Result) { r.Parts = nil }, false},
		{"the fault taken away", func(r *toolkit.Result) { r.Fault = nil }, false},
		{"another fault", func(r *toolkit.Result) { r.Fault = toolkit.ErrRateLimited }, false},
		{"suspended", func(r *toolkit.Result) { r.Suspended = true }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := &ownResult{Output: "out", IsError: true}
			run := governed(t, func(context.Context, *ownCall) *ownResult { return result }, adapter, after(tt.change))
			// A copied view belongs to the same call: that is no reason for a copy of the result.
			if got := run(t.Context(), &ownCall{}); (got == result) != tt.same {
				t.Errorf("got the identical result: %v, want %v", got == result, tt.same)
			}
		})
	}
}

// uncomparable is an error that == panics on, as validators return.
type uncomparable []string

func (u uncomparable) Error() string { return strings.Join(u, " ") }

func TestGovernFuncMakesAPolicysAnswerTheOtherType(t *testing.T) {
	refuse := func(toolkit.Handler) toolkit.Handler {
		return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(&toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: call.Name, Message: "not here"}), nil
		}
	}
	run := governed(t, func(context.Context, *ownCall) *ownResult { t.Error("the tool ran"); return nil }, ownAdapter, refuse)
	if got := run(t.Context(), &ownCall{Name: "rm"}); !got.IsError || got.Output != `tool "rm": permission denied: not here` {
		t.Errorf("got %+v, want the refusal", got)
	}
}

// A stored result answers another call by a copy; a policy that stores it clones it.
func TestGovernFuncCopiesAStoredResult(t *testing.T) {
	copies := 0
	adapter := ownAdapter
	adapter.Copy = func(r *ownResult, c *ownCall) *ownResult {
		copies++
		return &ownResult{Output: r.Output + " for " + c.ID}
	}
	var stored *toolkit.Result
	store := func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if stored != nil {
				return *stored, nil
			}
			res, err := next(ctx, call)
			c := res.Clone()
			stored = &c
			return res, err
		}
	}
	result := &ownResult{Output: "out"}
	run := governed(t, func(context.Context, *ownCall) *ownResult { return result }, adapter, store)
	if first := run(t.Context(), &ownCall{ID: "1"}); first != result {
		t.Errorf("the first call got %v, want the identical result", first)
	}
	second := run(t.Context(), &ownCall{ID: "2"})
	if second == result || second.Output != "out for 1 for 2" || copies != 2 {
		t.Errorf("the second call got %+v after %d copies, want a copy of the stored copy", second, copies)
	}
}

func TestGovernFuncHandsChangedArgumentsToTheFunction(t *testing.T) {
	change := func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Arguments = json.RawMessage(`{"fixed":true}`)
			return next(ctx, call)
		}
	}
	original := &ownCall{Name: "own", Arguments: json.RawMessage(`{}`)}
	var got *ownCall
	f := func(_ context.Context, c *ownCall) *ownResult { got = c; return &ownResult{} }
	for name, middlewares := range map[string][]toolkit.Middleware{"unchanged": nil, "changed": {change}} {
		governed(t, f, ownAdapter, middlewares...)(t.Context(), original)
		if name == "unchanged" && got != original {
			t.Error("unchanged: got another call, want the identical one")
		}
		if name == "changed" && (got == original || string(got.Arguments) != `{"fixed":true}` || string(original.Arguments) != `{}`) {
			t.Errorf("changed: got %s, and the original is %s", got.Arguments, original.Arguments)
		}
	}
}

func TestGovernFuncTellsFailures(t *testing.T) {
	failure := errors.New("no")
	adapter := ownAdapter
	adapter.Tools = knows("own")
	for _, tt := range []struct {
		name, call, want string
		outcome          toolkit.Outcome
		err              error
	}{
		{"error", "own", "tool_error", toolkit.OutcomeExecuted, failure},
		{"unknown name", "made_up", "unknown_tool", toolkit.OutcomeRefused, failure},
		{"timeout", "own", "timeout", toolkit.OutcomeExecuted, context.DeadlineExceeded},
		{"success of an unknown name", "made_up", "", toolkit.OutcomeExecuted, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen tooltest.Recorder
			run := governed(t, execute(func(context.Context, *ownCall) (*ownResult, error) { return nil, tt.err }), adapter,
				toolkit.Observe(adapter.Tools.Lookup, &seen))
			if _, err := run(t.Context(), &ownCall{Name: tt.call}); err != tt.err {
				t.Errorf("got error %v, want the very %v", err, tt.err)
			}
			if e := seen.All()[0]; e.ErrorType != tt.want || e.Disposition.Outcome != tt.outcome {
				t.Errorf("told %q, %v, want %q, %v", e.ErrorType, e.Disposition.Outcome, tt.want, tt.outcome)
			}
		})
	}
}

func TestGovernFuncRefusesACallOfAMiddlewaresOwn(t *testing.T) {
	for name, tt := range map[string]struct {
		replace toolkit.Middleware
		runs    bool
	}{
		"call": {func(next toolkit.Handler) toolkit.Handler {
			return func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
				return next(ctx, toolkit.Call{Name: c.Name})
			}
		}, false},
		"context": {func(next toolkit.Handler) toolkit.Handler {
			return func(_ context.Context, c toolkit.Call) (toolkit.Result, error) { return next(context.Background(), c) }
		}, true},
	} {
		ran := false
		run := governed(t, execute(func(context.Context, *ownCall) (*ownResult, error) { ran = true; return nil, nil }),
			ownAdapter, tt.replace)
		if _, err := run(t.Context(), &ownCall{Name: "own"}); ran != tt.runs || !ran &&
			(err == nil || !strings.Contains(err.Error(), "want one made of the call it was given")) {
			t.Errorf("replaced %s: ran %t, %v", name, ran, err)
		}
	}
}

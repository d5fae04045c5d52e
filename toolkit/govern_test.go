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

func TestGovernNamesWhatIsMissing(t *testing.T) {
	type lens = toolkit.Lens[*ownCall, *ownResult]
	plain := func(context.Context, *ownCall) *ownResult { return nil }
	for field, remove := range map[string]func(*lens){
		"Call":      func(l *lens) { l.Call = nil },
		"Failed":    func(l *lens) { l.Failed = nil },
		"View":      func(l *lens) { l.View = nil },
		"Answer":    func(l *lens) { l.Answer = nil },
		"Copy":      func(l *lens) { l.Copy = nil },
		"Arguments": func(l *lens) { l.Arguments = nil },
	} {
		l := ownLens
		remove(&l)
		f, err := toolkit.Govern(plain, l)
		if f != nil || err == nil || !strings.Contains(err.Error(), "Lens."+field+": got nil, want a function") {
			t.Errorf("without %s: got %v, want an error that names it", field, err)
		}
	}
	l := ownLens
	l.Failed = nil
	if _, err := toolkit.Govern(withError(func(context.Context, *ownCall) (*ownResult, error) { return nil, nil }), l); err != nil {
		t.Errorf("a function with an error needs no Failed: %v", err)
	}
	var none func(context.Context, *ownCall) *ownResult
	if _, err := toolkit.Govern(none, ownLens); err == nil || !strings.Contains(err.Error(), "next: got nil") {
		t.Errorf("nil function: got %v, want an error that says so", err)
	}
	if _, err := toolkit.Govern(withError(nil), ownLens); err == nil || !strings.Contains(err.Error(), "next: got nil") {
		t.Errorf("nil function: got %v, want an error that says so", err)
	}
}

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

func TestGovernReturnsTheIdenticalResultUnlessAPolicyChangedIt(t *testing.T) {
	lens := ownLens
	lens.View = func(r *ownResult) toolkit.Result {
		return toolkit.Result{Output: r.Output, Parts: []toolkit.Part{{Kind: toolkit.PartText, Text: "part", Data: []byte{1}}}, Meta: map[string]json.RawMessage{"a": json.RawMessage(`1`)}}
	}
	lens.Failed = func(r *ownResult) error { return uncomparable{"soft"} }
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
			run, err := toolkit.Govern(func(context.Context, *ownCall) *ownResult { return result }, lens, after(tt.change))
			if err != nil {
				t.Fatal(err)
			}
			// A copied view belongs to the same call, so even that is no reason for a copy.
			if got := run(t.Context(), &ownCall{}); (got == result) != tt.same {
				t.Errorf("got the identical result: %v, want %v", got == result, tt.same)
			}
		})
	}
}

// uncomparable is an error that == panics on, as validators return.
type uncomparable []string

func (u uncomparable) Error() string { return strings.Join(u, " ") }

func TestGovernMakesAPolicysAnswerTheOtherType(t *testing.T) {
	refuse := func(toolkit.Handler) toolkit.Handler {
		return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(&toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: call.Name, Message: "not here"}), nil
		}
	}
	run, err := toolkit.Govern(func(context.Context, *ownCall) *ownResult { t.Error("the tool ran"); return nil }, ownLens, refuse)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t.Context(), &ownCall{Name: "rm"}); !got.IsError || got.Output != `tool "rm": permission denied: not here` {
		t.Errorf("got %+v, want the refusal", got)
	}
}

// A stored result answers another call by a copy; a policy that stores it clones it.
func TestGovernCopiesAStoredResult(t *testing.T) {
	copies := 0
	lens := ownLens
	lens.Copy = func(r *ownResult, c *ownCall) *ownResult {
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
	run, err := toolkit.Govern(func(context.Context, *ownCall) *ownResult { return result }, lens, store)
	if err != nil {
		t.Fatal(err)
	}
	if first := run(t.Context(), &ownCall{ID: "1"}); first != result {
		t.Errorf("the first call got %v, want the identical result", first)
	}
	second := run(t.Context(), &ownCall{ID: "2"})
	if second == result || second.Output != "out for 1 for 2" || copies != 2 {
		t.Errorf("the second call got %+v after %d copies, want a copy of the stored copy", second, copies)
	}
}

func TestGovernHandsChangedArgumentsToTheFunction(t *testing.T) {
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
		run, err := toolkit.Govern(f, ownLens, middlewares...)
		if err != nil {
			t.Fatal(err)
		}
		run(t.Context(), original)
		if name == "unchanged" && got != original {
			t.Error("unchanged: got another call, want the identical one")
		}
		if name == "changed" && (got == original || string(got.Arguments) != `{"fixed":true}` || string(original.Arguments) != `{}`) {
			t.Errorf("changed: got %s, and the original is %s", got.Arguments, original.Arguments)
		}
	}
}

func TestGovernTellsFailures(t *testing.T) {
	failure := errors.New("no")
	lens := ownLens
	lens.Tool = knows("own")
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
			run, err := toolkit.Govern(withError(func(context.Context, *ownCall) (*ownResult, error) { return nil, tt.err }), lens, toolkit.Observe(lens.Tool, &seen))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run(t.Context(), &ownCall{Name: tt.call}); err != tt.err {
				t.Errorf("got error %v, want the very %v", err, tt.err)
			}
			if e := seen.All()[0]; e.ErrorType != tt.want || e.Disposition.Outcome != tt.outcome {
				t.Errorf("told %q, %v, want %q, %v", e.ErrorType, e.Disposition.Outcome, tt.want, tt.outcome)
			}
		})
	}
}

func TestGovernRefusesAReplacedContext(t *testing.T) {
	replace := func(next toolkit.Handler) toolkit.Handler {
		return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return next(context.Background(), call)
		}
	}
	run, err := toolkit.Govern(withError(func(context.Context, *ownCall) (*ownResult, error) { t.Error("the tool ran"); return nil, nil }), ownLens, replace)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), &ownCall{Name: "own"}); err == nil || !strings.Contains(err.Error(), "want one made of the context it was given") {
		t.Errorf("got %v, want an error that tells the mistake", err)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestTypedAdapterWithChangedArguments checks that arguments which a policy changed run exactly,
// or not at all.
func TestTypedAdapterWithChangedArguments(t *testing.T) {
	type args struct {
		ID   any     `json:"id,omitempty"`
		N    int     `json:"n"`
		List []int   `json:"list"`
		P    *string `json:"p,omitempty"`
	}
	for _, tt := range []struct {
		changed, want string // "" for a refusal
	}{
		{`{"n":1,"list":null}`, `{"n":1,"list":null}`},
		{`{ "list":[1,2.0], "n":1e1 }`, ""}, // encoding/json reads no 2.0 into an int
		{`{"list":[1,2], "n":3}`, `{"n":3,"list":[1,2]}`},
		{`{}`, `{"n":0,"list":null}`},
		{`{"p":null,"n":2}`, `{"n":2,"list":null}`},
		{`{"id":"a","n":2}`, `{"id":"a","n":2,"list":null}`},
		{`{"id":9007199254740993,"n":2}`, ""}, // float64 does not hold it
		{`{"id":{"a":[1,2.5]},"n":2}`, `{"id":{"a":[1,2.5]},"n":2,"list":null}`},
		{`{"id":{"a":9007199254740993},"n":2}`, ""},
		{`{"id":[9007199254740993],"n":2}`, ""},
		{`{"N":2}`, ""}, // another member, to policies
		{`{"n":2,"unknown":true}`, ""},
		{`{"n":"2"}`, ""},
		{`[]`, ""},
		{`{`, ""},
	} {
		ran := ""
		run := governed(t, func(_ context.Context, in args) (string, error) {
			text, err := json.Marshal(in)
			ran = string(text)
			return "", err
		}, toolkit.TypedAdapter[args, string](named("n")), func(next toolkit.Handler) toolkit.Handler {
			return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				call.Arguments = json.RawMessage(tt.changed)
				return next(ctx, call)
			}
		})
		_, err := run(t.Context(), args{ID: "x", N: 7})
		if ran != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: ran with %q, %v, want %q", tt.changed, ran, err, tt.want)
		}
		if err != nil && (!errors.Is(err, toolkit.ErrInvalidArguments) || !strings.Contains(err.Error(), "arguments were changed")) {
			t.Errorf("%s: got %s, want one that says that they were changed", tt.changed, err.Error())
		}
	}
}

// TestCallsWithoutFormAreNotJudged checks that no middleware but the first, which observes, sees
// a call that has no form in JSON, and that it has no identity.
func TestCallsWithoutFormAreNotJudged(t *testing.T) {
	seen, judged := 0, 0
	count := func(n *int, identity *bool) toolkit.Middleware {
		return func(next toolkit.Handler) toolkit.Handler {
			return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				*n++
				_, *identity = call.Record.Identity(call)
				if call.Name != "n" || call.Arguments != nil {
					t.Errorf("got %s with %s, want the name alone", call.Name, call.Arguments)
				}
				return next(ctx, call.Fork())
			}
		}
	}
	var first, second bool
	run := governed(t, func(context.Context, any) (string, error) { t.Error("ran"); return "", nil },
		toolkit.TypedAdapter[any, string](named("n")), count(&seen, &first), count(&judged, &second))
	for _, in := range []any{func() {}, []byte("a"), panics{}} {
		if _, err := run(t.Context(), in); !errors.Is(err, toolkit.ErrInvalidArguments) ||
			strings.Contains(fmt.Sprint(err), "adapter") {
			t.Errorf("%T: got %v", in, err)
		}
	}
	if seen != 3 || judged != 0 || first {
		t.Errorf("got %d and %d calls, identity %t, want 3, 0 and none", seen, judged, first)
	}
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("no") }

// TestDetach checks that a copy is the call as it was, and that its result is still the caller's.
func TestDetach(t *testing.T) {
	original := &ownCall{Name: "own", Arguments: json.RawMessage(`{"a":1}`)}
	result := &ownResult{Output: "out"}
	run := governed(t, func(_ context.Context, c *ownCall) *ownResult {
		if c == original || c.Name != "own" || string(c.Arguments) != `{"a":1}` {
			t.Errorf("ran with %s%s, want a copy of the call as it was", c.Name, c.Arguments)
		}
		return result
	}, ownAdapter, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			d := call.Detach()
			original.Name, original.Arguments[2] = "other", 'x'
			return next(ctx, d)
		}
	})
	if got := run(t.Context(), original); got != result {
		t.Errorf("got %v, want the identical result", got)
	}
}

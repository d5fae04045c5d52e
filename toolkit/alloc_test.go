// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// The shape of system A by value, as users' registries have it.
type (
	plainCall struct {
		ID, Name  string
		Arguments json.RawMessage
	}
	plainResult struct {
		ToolCallID, Output string
		IsError            bool
	}
)

var (
	plainTool    = toolkit.Definition{Name: "tool"}
	plainAdapter = toolkit.Adapter[plainCall, plainResult]{
		Tools: toolkit.Lookup(func(string) *toolkit.Definition { return &plainTool }),
		Call:  func(c plainCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
		Result: func(r plainResult, _ error) toolkit.Result {
			return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output)}
		},
		With: func(c plainCall, args json.RawMessage) plainCall { c.Arguments = bytes.Clone(args); return c },
		Answer: func(c plainCall, r toolkit.Result, _ error) plainResult {
			return plainResult{c.ID, r.Output, r.Fault != nil}
		},
	}
)

func plainExecute(_ context.Context, c plainCall) plainResult {
	return plainResult{ToolCallID: c.ID, Output: "out"}
}

func plainHandler(context.Context, toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: "out"}, nil
}

// shapes are one call in each form, for as many observers as given.
var shapes = []struct {
	name string
	make func(observers ...toolkit.Observer) func(context.Context)
}{
	{"Observe", func(observers ...toolkit.Observer) func(context.Context) {
		h := toolkit.Observe(func(string) *toolkit.Definition { return &plainTool }, observers...)(plainHandler)
		return func(ctx context.Context) { _, _ = h(ctx, toolkit.Call{ID: "1", Name: "tool"}) }
	}},
	{"ObserveFunc", func(observers ...toolkit.Observer) func(context.Context) {
		f, _ := toolkit.ObserveFunc(plainExecute, plainAdapter, observers...)
		return func(ctx context.Context) { _ = f(ctx, plainCall{ID: "1", Name: "tool"}) }
	}},
	{"ObserveFuncError", func(observers ...toolkit.Observer) func(context.Context) {
		f, _ := toolkit.ObserveFunc(func(ctx context.Context, c plainCall) (plainResult,
			error) {
			return plainExecute(ctx, c), nil
		}, plainAdapter, observers...)
		return func(ctx context.Context) { _, _ = f(ctx, plainCall{ID: "1", Name: "tool"}) }
	}},
	{"ToolAdapter", func(observers ...toolkit.Observer) func(context.Context) {
		f, _ := toolkit.ObserveFunc(func(context.Context, json.RawMessage) (string, error) { return "out", nil },
			toolkit.ToolAdapter(plainTool), observers...)
		return func(ctx context.Context) { _, _ = f(ctx, nil) }
	}},
}

// wanting looks at content and notes on the record; it allocates nothing itself.
type wanting struct{ quiet }

func (wanting) Wants(context.Context) bool { return true }

func TestObservingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets sync.Pool forget at random")
	}
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s"})
	for _, s := range shapes {
		for name, observers := range map[string][]toolkit.Observer{
			"none": nil, "quiet": {quiet{}}, "three": {quiet{}, quiet{}, quiet{}}, "wanting": {wanting{}},
		} {
			call := s.make(observers...)
			if got := testing.AllocsPerRun(200, func() { call(ctx) }); got != 0 {
				t.Errorf("%s with %s: got %v allocations, want 0", s.name, name, got)
			}
		}
	}
}

func TestNotingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets sync.Pool forget at random")
	}
	h := toolkit.Observe(nil, quiet{})(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Record.Note(func(s *toolkit.Disposition) { s.Attempts++ })
		_ = call.Record.Info()
		return toolkit.Result{}, nil
	})
	if got := testing.AllocsPerRun(200, func() { _, _ = h(context.Background(), toolkit.Call{}) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

// TestGoverningAllocatesOnce: the state of a call, whatever the number of middlewares.
func TestGoverningAllocatesOnce(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets sync.Pool forget at random")
	}
	pass := func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) { return next(ctx, call) }
	}
	f := governed(t, plainExecute, plainAdapter, toolkit.Observe(plainAdapter.Tools.Lookup, quiet{}), pass)
	if got := testing.AllocsPerRun(200, func() { _ = f(context.Background(), plainCall{ID: "1", Name: "tool"}) }); got != 1 {
		t.Errorf("got %v allocations, want 1", got)
	}
}

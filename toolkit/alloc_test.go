// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
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
	plainTool = toolkit.Definition{Name: "tool"}
	plainLens = toolkit.Lens[plainCall, plainResult]{
		Call:   func(c plainCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
		Tool:   func(string) *toolkit.Definition { return &plainTool },
		Failed: func(r plainResult) error { return toolkit.SoftError(r.IsError, r.Output) },
		View:   func(r plainResult) toolkit.Result { return toolkit.Result{Output: r.Output} },
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
	{"Watch", func(observers ...toolkit.Observer) func(context.Context) {
		f := toolkit.Watch(plainExecute, plainLens, observers...)
		return func(ctx context.Context) { _ = f(ctx, plainCall{ID: "1", Name: "tool"}) }
	}},
	{"WatchError", func(observers ...toolkit.Observer) func(context.Context) {
		f := toolkit.Watch(func(ctx context.Context, c plainCall) (plainResult, error) { return plainExecute(ctx, c), nil }, plainLens, observers...)
		return func(ctx context.Context) { _, _ = f(ctx, plainCall{ID: "1", Name: "tool"}) }
	}},
	{"ToolLens", func(observers ...toolkit.Observer) func(context.Context) {
		f := toolkit.Watch(func(context.Context, json.RawMessage) (string, error) { return "out", nil }, toolkit.ToolLens(plainTool), observers...)
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

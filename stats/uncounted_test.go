// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope/internal/uncounted"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// A call is left out where the context says so, those inside it and next to it are counted, and none stays running.
func TestUncounted(t *testing.T) {
	r, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(context.Background())
	outer, inner := &toolkit.Definition{Name: "outer"}, &toolkit.Definition{Name: "inner"}
	run := func(ctx context.Context, def *toolkit.Definition, next func(context.Context)) {
		h := toolkit.Observe(func(string) *toolkit.Definition { return def },
			r)(func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			next(ctx)
			return toolkit.Result{Output: "x"}, nil
		})
		if _, err := h(ctx, toolkit.Call{Name: def.Name}); err != nil {
			t.Fatal(err)
		}
	}
	none := func(context.Context) {}
	always := uncounted.With(t.Context(), new(uncounted.Call))
	run(always, outer, func(ctx context.Context) { run(ctx, inner, none) })
	run(always, outer, none) // it was for one call
	never := uncounted.With(t.Context(), &uncounted.Call{Skip: func(e *toolkit.Ended) bool { return e.ErrorType != "" }})
	run(never, outer, none)
	s := r.Snapshot(stats.Window{})
	for name, want := range map[string]uint64{"outer": 2, "inner": 1} {
		if tool := s.Tool(name); tool == nil || tool.Calls() != want || tool.InFlight != 0 {
			t.Errorf("%s: got %+v, want %d calls and none running", name, tool, want)
		}
	}
}

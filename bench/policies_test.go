// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// unseeing observes nothing: calls have a record, and nothing more is done for them.
type unseeing struct{}

func (unseeing) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (unseeing) Wants(context.Context) bool          { return false }
func (unseeing) End(context.Context, *toolkit.Ended) {}

// BenchmarkGoverned is a cache miss under every policy, without observers: the cost of the policies
// alone. callers=cancelable is a caller whose context can be cancelled.
func BenchmarkGoverned(b *testing.B) {
	session := toolkit.WithSession(b.Context(), toolkit.Session{ID: "0b6d6a5e-4f0f-4e0e-8f6a-5f7d3f1c2a11", Agent: "planner"})
	for _, c := range []struct {
		name string
		ctx  context.Context
	}{{"staying", context.WithoutCancel(session)}, {"cancelable", session}} {
		b.Run("caller="+c.name, func(b *testing.B) {
			policies, err := bench.Policies()
			if err != nil {
				b.Fatal(err)
			}
			handle := toolkit.Observe(bench.Lookup, unseeing{})(middleware.Wrap(bench.FreshTool, policies...))
			bench.Measure(b, 1, func() { _, _ = handle(c.ctx, bench.FreshCall()) })
		})
	}
	b.Run("caller=none", func(b *testing.B) {
		handle := toolkit.Observe(bench.Lookup, unseeing{})(bench.FreshTool)
		bench.Measure(b, 1, func() { _, _ = handle(session, bench.FreshCall()) })
	})
}

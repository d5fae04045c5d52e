// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

// shapes are policies that are asked and have nothing against the call.
var shapes = []struct {
	name    string
	options limit.Options
	def     toolkit.Definition
}{
	{"idle", limit.Options{}, toolkit.Definition{}},
	{"global", limit.Options{Concurrency: limit.Concurrency{Global: 8}, Rate: limit.Rate{IgnoreDefinitions: true}},
		toolkit.Definition{}},
	{"tool", limit.Options{Concurrency: limit.Concurrency{PerTool: 8}, Rate: limit.Rate{IgnoreDefinitions: true}},
		toolkit.Definition{}},
	{"key", limit.Options{Concurrency: limit.Concurrency{PerKey: 8}, Rate: limit.Rate{IgnoreDefinitions: true}},
		toolkit.Definition{}},
	{"global+tool+key", limit.Options{Concurrency: limit.Concurrency{Global: 8, PerTool: 8, PerKey: 8},
		Rate: limit.Rate{IgnoreDefinitions: true}}, toolkit.Definition{}},
	{"rate", limit.Options{}, toolkit.Definition{RateLimit: toolkit.RateLimit{MaxCalls: 1000, Window: time.Microsecond}}},
	{"rate/key", limit.Options{Rate: limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: 1000, Window: time.Microsecond}}},
		toolkit.Definition{}},
}

// onRecord is a call inside an observed one of a tool with that definition: what a
// policy gets to see.
func onRecord(tb testing.TB, def *toolkit.Definition, f func(ctx context.Context, call toolkit.Call)) {
	ctx, running := toolkit.Begin(session(context.Background(), "s"), toolkit.Call{Name: "search"}, def, quiet{})
	defer running.End(toolkit.Result{}, nil)
	f(ctx, toolkit.Call{Name: "search", Record: running.Record()})
}

type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

func TestACallThatMayRunAllocatesNothing(t *testing.T) {
	for _, s := range shapes {
		h := policy(t, s.options).Wrap(quick)
		onRecord(t, &s.def, func(ctx context.Context, call toolkit.Call) {
			if got := testing.AllocsPerRun(5000, func() { _, _ = h(ctx, call) }); got != 0 {
				t.Errorf("%s: got %v allocations, want 0", s.name, got)
			}
		})
	}
}

// Pairs: the handler bare, and limited by a policy that has a slot for it.
func BenchmarkLimit(b *testing.B) {
	bench := func(h toolkit.Handler, def *toolkit.Definition) func(b *testing.B) {
		return func(b *testing.B) {
			onRecord(b, def, func(ctx context.Context, call toolkit.Call) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = h(ctx, call)
				}
			})
		}
	}
	b.Run("bare", bench(quick, nil))
	for _, s := range shapes {
		b.Run(s.name, bench(policy(b, s.options).Wrap(quick), &s.def))
	}
}

// All cores at once ask one policy.
func BenchmarkLimitParallel(b *testing.B) {
	for _, s := range shapes {
		h := policy(b, s.options).Wrap(quick)
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				onRecord(b, &s.def, func(ctx context.Context, call toolkit.Call) {
					for pb.Next() {
						_, _ = h(ctx, call)
					}
				})
			})
		})
	}
}

// A queue that is always full: what a call costs that has to wait for its slot.
func BenchmarkWaiting(b *testing.B) {
	h := policy(b, limit.Options{Concurrency: limit.Concurrency{Global: 1}}).Wrap(quick)
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = h(b.Context(), toolkit.Call{Name: "search"})
		}
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout_test

import (
	"context"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

func nothing(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }

// waiting is a tool that waits for its context, as those do that call others.
func waiting(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
	select {
	case <-ctx.Done():
	default:
	}
	return toolkit.Result{}, nil
}

// byHand is what people write without the policy.
func byHand(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return next(ctx, call)
	}
}

// within runs work once inside an observed call, so that the record is alive.
func within(def *toolkit.Definition, tool toolkit.Handler, work func(ctx context.Context, run func())) {
	h := toolkit.Observe(func(string) *toolkit.Definition { return def },
		quiet{})(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		work(ctx, func() { _, _ = tool(ctx, call) })
		return toolkit.Result{}, nil
	})
	_, _ = h(context.Background(), toolkit.Call{Name: "x"})
}

// quiet is an observer that does nothing.
type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

func TestAllocations(t *testing.T) {
	for name, c := range map[string]struct {
		tool toolkit.Handler
		def  toolkit.Definition
		most float64
	}{
		"idle":       {policy(t, timeout.Options{Default: -1}).Wrap(nothing), toolkit.Definition{}, 0},
		"default":    {policy(t, timeout.Options{}).Wrap(nothing), toolkit.Definition{}, 1},
		"definition": {policy(t, timeout.Options{}).Wrap(nothing), toolkit.Definition{Timeout: time.Minute}, 1},
		"tool": {policy(t, timeout.Options{Tools: map[string]time.Duration{"x": 1e9}}).Wrap(nothing),
			toolkit.Definition{}, 1},
		"default, waited for":        {policy(t, timeout.Options{}).Wrap(waiting), toolkit.Definition{}, 6},
		"context.WithTimeout itself": {byHand(nothing), toolkit.Definition{}, 4},
	} {
		within(&c.def, c.tool, func(_ context.Context, run func()) {
			if got := testing.AllocsPerRun(200, run); got > c.most {
				t.Errorf("%s: %v allocations, want at most %v", name, got, c.most)
			}
		})
	}
}

func BenchmarkTimeout(b *testing.B) {
	for _, c := range []struct {
		name string
		tool toolkit.Handler
		def  toolkit.Definition
	}{
		{"bare", nothing, toolkit.Definition{}},
		{"idle", policy(b, timeout.Options{Default: -1}).Wrap(nothing), toolkit.Definition{}},
		{"context.WithTimeout", byHand(nothing), toolkit.Definition{}},
		{"context.WithTimeout, waited for", byHand(waiting), toolkit.Definition{}},
		{"policy", policy(b, timeout.Options{}).Wrap(nothing), toolkit.Definition{}},
		{"policy by definition", policy(b, timeout.Options{}).Wrap(nothing), toolkit.Definition{Timeout: time.Minute}},
		{"policy, waited for", policy(b, timeout.Options{}).Wrap(waiting), toolkit.Definition{}},
		{"policy, abandon", policy(b, timeout.Options{Abandon: []string{"x"}}).Wrap(nothing), toolkit.Definition{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			within(&c.def, c.tool, func(_ context.Context, run func()) {
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
			})
		})
	}
}

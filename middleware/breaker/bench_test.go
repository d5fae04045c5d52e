// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"errors"
	"testing"

	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
)

type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

// onRecord is a call inside an observed one.
func onRecord(f func(call toolkit.Call)) {
	_, running := toolkit.Begin(context.Background(), toolkit.Call{Name: "search"}, nil, quiet{})
	defer running.End(toolkit.Result{}, nil)
	f(toolkit.Call{Name: "search", Record: running.Record()})
}

func TestAClosedCircuitAllocatesNothing(t *testing.T) {
	h := policy(t, breaker.Options{}).Wrap(well)
	onRecord(func(call toolkit.Call) {
		if got := testing.AllocsPerRun(1000, func() { _, _ = h(context.Background(), call) }); got != 0 {
			t.Errorf("got %v allocations, want 0", got)
		}
	})
}

// Pairs: the handler bare, behind a closed circuit, and behind an open one.
func BenchmarkBreaker(b *testing.B) {
	broken := policy(b, breaker.Options{Consecutive: 1})
	_, _ = broken.Wrap(answer(nil, errors.New("down")))(context.Background(), toolkit.Call{Name: "search"})
	none := breaker.Options{Key: func(context.Context, toolkit.Call) string { return "" }}
	for _, s := range []struct {
		name string
		h    toolkit.Handler
	}{{"bare", well}, {"no circuit", policy(b, none).Wrap(well)}, {"closed", policy(b, breaker.Options{}).Wrap(well)},
		{"open", broken.Wrap(well)}} {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			onRecord(func(call toolkit.Call) {
				for b.Loop() {
					_, _ = s.h(context.Background(), call)
				}
			})
		})
	}
}

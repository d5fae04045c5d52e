// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry_test

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
)

// shapes are calls that succeed at once.
var shapes = []struct {
	name    string
	options retry.Options
	def     toolkit.Definition
}{
	{"off", retry.Options{}, readOnly},
	{"idle", retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, Tools: []string{"other"}}, toolkit.Definition{Name: "write"}},
	{"first attempt", retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}}, readOnly},
}

func quick(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }

type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

// onRecord is a call inside an observed one.
func onRecord(def *toolkit.Definition, f func(call toolkit.Call)) {
	_, running := toolkit.Begin(context.Background(), toolkit.Call{Name: def.Name}, def, quiet{})
	defer running.End(toolkit.Result{}, nil)
	f(toolkit.Call{Name: def.Name, Record: running.Record()})
}

func TestAnIdlePolicyAllocatesNothing(t *testing.T) {
	for _, s := range shapes[:2] {
		h := policy(t, s.options).Wrap(quick)
		onRecord(&s.def, func(call toolkit.Call) {
			if got := testing.AllocsPerRun(1000, func() { _, _ = h(context.Background(), call) }); got != 0 {
				t.Errorf("%s: got %v allocations, want 0", s.name, got)
			}
		})
	}
}

// Pairs: the handler bare, and under the policy.
func BenchmarkRetry(b *testing.B) {
	bench := func(h toolkit.Handler, def *toolkit.Definition) func(b *testing.B) {
		return func(b *testing.B) {
			onRecord(def, func(call toolkit.Call) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = h(context.Background(), call)
				}
			})
		}
	}
	b.Run("bare", bench(quick, &readOnly))
	for _, s := range shapes {
		b.Run(s.name, bench(policy(b, s.options).Wrap(quick), &s.def))
	}
}

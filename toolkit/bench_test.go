// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// Pairs: the function bare (no observers leave it as it is), and observed by one
// that does nothing.
func BenchmarkObserve(b *testing.B) {
	ctx := context.Background()
	for _, s := range shapes {
		for _, pair := range []struct {
			name      string
			observers []toolkit.Observer
		}{{"bare", nil}, {"observed", []toolkit.Observer{quiet{}}}} {
			call := s.make(pair.observers...)
			b.Run(s.name+"/"+pair.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					call(ctx)
				}
			})
			b.Run(s.name+"/"+pair.name+"/parallel", func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(p *testing.PB) {
					for p.Next() {
						call(ctx)
					}
				})
			})
		}
	}
}

func BenchmarkBegin(b *testing.B) {
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, running := toolkit.Begin(ctx, toolkit.Call{Name: "tool"}, &plainTool, quiet{})
		running.End(toolkit.Result{}, nil)
	}
}

func BenchmarkRegistry(b *testing.B) {
	ctx := context.Background()
	tool := tooltest.Echo(plainTool)
	r := registry(b, tool)
	for _, pair := range []struct {
		name   string
		handle toolkit.Handler
	}{{"bare", tool.Handle}, {"registry", r.Handle}} {
		b.Run(pair.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = pair.handle(ctx, toolkit.Call{Name: "tool"})
			}
		})
	}
}

func BenchmarkExecutor(b *testing.B) {
	ctx := context.Background()
	calls := numbered("tool", 8)
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, c := range calls {
				_, _ = plainHandler(ctx, c)
			}
		}
	})
	for _, pair := range []struct {
		name     string
		parallel int
	}{{"sequential", 1}, {"parallel", 0}} {
		e := &toolkit.Executor{Handler: plainHandler, Parallel: pair.parallel}
		b.Run(pair.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Execute(ctx, calls...)
			}
		})
	}
}

// BenchmarkGovernFunc is a function of another registry observed, and under two middlewares that
// pass calls on.
func BenchmarkGovernFunc(b *testing.B) {
	ctx := context.Background()
	pass := func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) { return next(ctx, call) }
	}
	f := governed(b, plainExecute, plainAdapter, toolkit.Observe(plainAdapter.Tools.Lookup, quiet{}), pass, pass)
	b.ReportAllocs()
	for b.Loop() {
		_ = f(ctx, plainCall{ID: "1", Name: "tool"})
	}
}

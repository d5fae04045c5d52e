// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/toolkit"
)

func answer(context.Context, toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: output}, nil
}

// A call as models make them: 300 bytes of arguments, 500 of output.
var (
	arguments = []byte(`{"path":"internal/report/summary.go","from":120,"to":240,"query":"` + strings.Repeat("what is asked ", 16) + `"}`)
	output    = strings.Repeat("0123456789", 50)
)

// within runs work once inside an observed call of a session, so that the record
// is alive.
func within(s toolkit.Session, tool toolkit.Handler, work func(run func(name string), call toolkit.Call)) {
	def := toolkit.Definition{Name: "x", ReadOnly: toolkit.Yes}
	h := toolkit.Observe(func(string) *toolkit.Definition { return &def }, ends{func(*toolkit.Ended) {}})(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		work(func(name string) {
			call := call
			call.Name = name
			_, _ = tool(ctx, call)
		}, call)
		return toolkit.Result{}, nil
	})
	ctx := context.Background()
	if s != (toolkit.Session{}) {
		ctx = toolkit.WithSession(ctx, s)
	}
	_, _ = h(ctx, toolkit.Call{Name: "x", Arguments: arguments})
}

// names go round slower than the window forgets, so that nothing repeats.
var names = func() (all [100]string) {
	for i := range all {
		all[i] = "tool_" + strings.Repeat("x", i)
	}
	return all
}()

func TestAllocations(t *testing.T) {
	within(toolkit.Session{ID: "s"}, policy(t, loop.Options{}).Wrap(answer), func(run func(string), _ toolkit.Call) {
		i := 0
		if got := testing.AllocsPerRun(1000, func() { run(names[i%len(names)]); i++ }); got != 0 {
			t.Errorf("%v allocations of a call that is in no loop, want 0", got)
		}
	})
	within(toolkit.Session{}, policy(t, loop.Options{}).Wrap(answer), func(run func(string), _ toolkit.Call) {
		if got := testing.AllocsPerRun(1000, func() { run("x") }); got != 0 {
			t.Errorf("%v allocations without a session, want 0", got)
		}
	})
}

func BenchmarkLoop(b *testing.B) {
	bench := func(name string, s toolkit.Session, tool toolkit.Handler, next func(i int) string) {
		b.Run(name, func(b *testing.B) {
			within(s, tool, func(run func(string), _ toolkit.Call) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					run(next(i))
					i++
				}
			})
		})
	}
	other := func(i int) string { return names[i%len(names)] }
	again := func(int) string { return "x" }
	never := loop.Thresholds{Signal: -1, Advice: -1}
	bench("bare", toolkit.Session{ID: "s"}, answer, other)
	bench("no session", toolkit.Session{}, policy(b, loop.Options{}).Wrap(answer), other)
	bench("no loop", toolkit.Session{ID: "s"}, policy(b, loop.Options{}).Wrap(answer), other)
	bench("the same call, never told", toolkit.Session{ID: "s"}, policy(b, loop.Options{Default: never}).Wrap(answer), again)
	bench("the same call, stopped", toolkit.Session{ID: "s"}, policy(b, loop.Options{Default: loop.Thresholds{Stop: 3}}).Wrap(answer), again)
	b.Run("fingerprint alone", func(b *testing.B) {
		within(toolkit.Session{ID: "s"}, answer, func(_ func(string), call toolkit.Call) {
			for b.Loop() {
				call.Record.Identity(call)
			}
		})
	})
}

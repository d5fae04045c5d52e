// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/toolkit"
)

func nothing(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }

// quiet is an observer that does nothing.
type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

// within runs work once inside an observed call of a session, so that the record
// is alive.
func within(s toolkit.Session, tool toolkit.Handler, work func(run func())) {
	h := toolkit.Observe(lookup, quiet{})(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		work(func() { _, _ = tool(ctx, call) })
		return toolkit.Result{}, nil
	})
	ctx := context.Background()
	if s != (toolkit.Session{}) {
		ctx = toolkit.WithSession(ctx, s)
	}
	_, _ = h(ctx, toolkit.Call{Name: "tenth"})
}

var variants = []struct {
	name    string
	options budget.Options
	session toolkit.Session
}{
	{"no session", budget.Options{Session: budget.Limits{Calls: 1e9}}, toolkit.Session{}},
	{"calls", budget.Options{Session: budget.Limits{Calls: 1e9}}, toolkit.Session{ID: "s"}},
	{"calls, time and cost of a session", budget.Options{
		Session: budget.Limits{Calls: 1e9, Time: 1e6 * time.Hour, Cost: 1e9}}, toolkit.Session{ID: "s"}},
	{"all of turn, session and tenant", budget.Options{
		Turn:    budget.Limits{Calls: 1e9, Time: 1e6 * time.Hour, Cost: 1e9},
		Session: budget.Limits{Calls: 1e9, Time: 1e6 * time.Hour, Cost: 1e9},
		Tenant:  budget.Limits{Calls: 1e9, Time: 1e6 * time.Hour, Cost: 1e9},
	}, toolkit.Session{Tenant: "t", ID: "s", Turn: 1}},
}

// TestAllocations: a call that costs something has a payer for further attempts, and a context that says so.
func TestAllocations(t *testing.T) {
	for _, v := range variants {
		most := 0.0
		if v.options.Session.Cost > 0 {
			most = 2
		}
		within(v.session, policy(t, v.options).Wrap(nothing), func(run func()) {
			run() // makes the accounts
			if got := testing.AllocsPerRun(200, run); got > most {
				t.Errorf("%s: %v allocations, want at most %v", v.name, got, most)
			}
		})
	}
}

func BenchmarkBudget(b *testing.B) {
	run := func(name string, s toolkit.Session, tool toolkit.Handler) {
		b.Run(name, func(b *testing.B) {
			within(s, tool, func(run func()) {
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
			})
		})
	}
	run("bare", toolkit.Session{ID: "s"}, nothing)
	for _, v := range variants {
		run(v.name, v.session, policy(b, v.options).Wrap(nothing))
	}
}

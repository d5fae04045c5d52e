// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"context"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

// BenchmarkGoverned compares a call with rates and a budget of the process to one with those of all processes.
func BenchmarkGoverned(b *testing.B) {
	store := open(b, startServer(b))
	for _, c := range []struct {
		name   string
		rates  limit.Rates
		ledger budget.Ledger
	}{{"local", nil, nil}, {"redis", store.Rates(), store.Ledger()}} {
		b.Run(c.name, func(b *testing.B) {
			limits, err := limit.New(limit.Options{Rate: limit.Rate{
				Global: toolkit.RateLimit{MaxCalls: 1 << 30, Window: time.Minute}, Store: c.rates,
			}})
			if err != nil {
				b.Fatal(err)
			}
			budgets, err := budget.New(budget.Options{Session: budget.Limits{Calls: 1 << 30}, Ledger: c.ledger})
			if err != nil {
				b.Fatal(err)
			}
			handle := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil },
				limits, budgets)
			ctx := toolkit.WithSession(b.Context(), toolkit.Session{ID: "s"})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := handle(ctx, toolkit.Call{Name: "tool"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

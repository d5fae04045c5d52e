// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"errors"
	"testing"

	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/budget/budgettest"
	"github.com/toolscope/toolscope/toolkit"
)

func TestLedgerOfOneProcess(t *testing.T) {
	budgettest.Run(t, func() budget.Ledger { return budget.NewLedger(0, 0) })
}

type awayLedger struct {
	budget.Ledger
	away bool
}

func (a *awayLedger) Reserve(ctx context.Context, receipt string, accounts []budget.Account, cost int64,
) (*budget.Shortage, error) {
	if a.away {
		return nil, errors.New("no answer")
	}
	return a.Ledger.Reserve(ctx, receipt, accounts, cost)
}

func TestPoliciesShareALedger(t *testing.T) {
	ledger := &awayLedger{Ledger: budget.NewLedger(0, 0)}
	ran := 0
	handler := func() toolkit.Handler {
		p, err := budget.New(budget.Options{Session: budget.Limits{Calls: 3}, Ledger: ledger})
		if err != nil {
			t.Fatal(err)
		}
		return p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			ran++
			return toolkit.Result{Output: "ran"}, nil
		})
	}
	one, two := handler(), handler()
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{Tenant: "t", ID: "s"})
	kind := func(h toolkit.Handler, ctx context.Context) string {
		_, err := h(ctx, toolkit.Call{Name: "tool"})
		if err == nil {
			return ""
		}
		return toolkit.TypeOf(err)
	}
	for i, want := range []string{"", "", "", "budget_exceeded", "budget_exceeded"} {
		if got := kind([]toolkit.Handler{one, two}[i%2], ctx); got != want {
			t.Errorf("call %d: got %q, want %q", i, got, want)
		}
	}
	ledger.away = true
	other := toolkit.WithSession(t.Context(), toolkit.Session{ID: "other"})
	if got := kind(one, other); got != "overloaded" || ran != 3 {
		t.Errorf("ledger away: got %q and %d runs, want overloaded and 3", got, ran)
	}
	if got := kind(one, t.Context()); got != "" {
		t.Errorf("a call without a session: got %q, want it let through", got)
	}
}

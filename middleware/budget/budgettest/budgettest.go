// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package budgettest has the tests that any ledger of budgets must pass:
//
//	func TestLedger(t *testing.T) {
//		budgettest.Run(t, func() budget.Ledger { return newLedger(t) })
//	}
package budgettest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/budget"
)

// Run runs the tests, each on an empty ledger that newLedger makes.
func Run(t *testing.T, newLedger func() budget.Ledger) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, budget.Ledger)
	}{
		{"calls are granted exactly", calls},
		{"all accounts or none", allOrNone},
		{"cost of attempts", attempts},
		{"a call that reached no tool is given back", givenBack},
		{"time counts when a call has ended", ran},
		{"a receipt is settled once", once},
		{"all at once", concurrent},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newLedger()) })
	}
}

func account(name string, l budget.Limits) budget.Account {
	return budget.Account{Name: name, Limits: l, Idle: time.Hour}
}

func reserve(t *testing.T, l budget.Ledger, receipt string, cost int64, accounts ...budget.Account) *budget.Shortage {
	t.Helper()
	short, err := l.Reserve(context.Background(), receipt, accounts, cost)
	if err != nil {
		t.Fatalf("Reserve: %v", err)
	}
	return short
}

func settle(t *testing.T, l budget.Ledger, receipt string, used budget.Used, accounts ...budget.Account) {
	t.Helper()
	if err := l.Settle(context.Background(), receipt, accounts, used); err != nil {
		t.Fatalf("Settle: %v", err)
	}
}

func calls(t *testing.T, l budget.Ledger) {
	a := account("a", budget.Limits{Calls: 3})
	for i := range 3 {
		if short := reserve(t, l, fmt.Sprint(i), 0, a); short != nil {
			t.Fatalf("call %d: got %+v, want it granted", i, short)
		}
		settle(t, l, fmt.Sprint(i), budget.Used{Attempts: 1}, a)
	}
	if short := reserve(t, l, "more", 0, a); short == nil || short.What != "calls" || short.Account != 0 {
		t.Errorf("got %+v, want a shortage of calls", short)
	}
	if short := reserve(t, l, "other", 0, account("b", a.Limits)); short != nil {
		t.Errorf("another account: got %+v, want it granted", short)
	}
}

func allOrNone(t *testing.T, l budget.Ledger) {
	wide, narrow := account("tenant", budget.Limits{Calls: 2}), account("session", budget.Limits{Calls: 1})
	reserve(t, l, "1", 0, wide, narrow)
	for i := range 5 {
		if short := reserve(t, l, fmt.Sprint("no", i), 0, wide, narrow); short == nil || short.Account != 1 {
			t.Fatalf("got %+v, want a shortage of the second account", short)
		}
	}
	if short := reserve(t, l, "2", 0, wide); short != nil {
		t.Errorf("got %+v: a call that was not granted was charged", short)
	}
}

func attempts(t *testing.T, l budget.Ledger) {
	const unit = 1_000_000_000
	a := account("a", budget.Limits{Cost: 10})
	if short := reserve(t, l, "1", 4*unit, a); short != nil {
		t.Fatalf("got %+v, want it granted", short)
	}
	more := func() bool {
		ok, err := l.ReserveMore(context.Background(), "1", []budget.Account{a}, 4*unit)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !more() {
		t.Error("a second attempt: got none, want it granted")
	}
	if more() {
		t.Error("a third attempt: got it granted, want none: 2 are left")
	}
	if short := reserve(t, l, "2", 3*unit, a); short == nil || short.What != "cost" || short.Left != 2*unit {
		t.Errorf("got %+v, want a shortage of cost with 2 left", short)
	}
	settle(t, l, "1", budget.Used{Attempts: 1}, a)
	if short := reserve(t, l, "3", 6*unit, a); short != nil {
		t.Errorf("got %+v, want it granted: one attempt was settled", short)
	}
	settle(t, l, "3", budget.Used{Attempts: 1}, a)
	if short := reserve(t, l, "4", 1, a); short == nil || short.Left != 0 {
		t.Errorf("got %+v, want a shortage with 0 left", short)
	}
}

func givenBack(t *testing.T, l budget.Ledger) {
	a := account("a", budget.Limits{Calls: 1, Cost: 1})
	for i := range 3 {
		if short := reserve(t, l, fmt.Sprint(i), 1_000_000_000, a); short != nil {
			t.Fatalf("got %+v, want it granted", short)
		}
		settle(t, l, fmt.Sprint(i), budget.Used{}, a)
	}
}

func ran(t *testing.T, l budget.Ledger) {
	a := account("a", budget.Limits{Time: time.Second})
	reserve(t, l, "1", 0, a)
	settle(t, l, "1", budget.Used{Attempts: 1, Time: 999 * time.Millisecond}, a)
	if short := reserve(t, l, "2", 0, a); short != nil {
		t.Fatalf("got %+v, want it granted: a millisecond is left", short)
	}
	settle(t, l, "2", budget.Used{Attempts: 1, Time: time.Millisecond}, a)
	if short := reserve(t, l, "3", 0, a); short == nil || short.What != "time" {
		t.Errorf("got %+v, want a shortage of time", short)
	}
}

func once(t *testing.T, l budget.Ledger) {
	a := account("a", budget.Limits{Calls: 2})
	reserve(t, l, "1", 0, a)
	reserve(t, l, "2", 0, a)
	settle(t, l, "1", budget.Used{}, a)
	for range 3 {
		settle(t, l, "1", budget.Used{}, a)
	}
	settle(t, l, "unknown", budget.Used{}, a)
	if short := reserve(t, l, "3", 0, a); short != nil {
		t.Fatalf("got %+v, want it granted", short)
	}
	if short := reserve(t, l, "4", 0, a); short == nil {
		t.Error("got it granted, want a shortage: a receipt was settled more than once")
	}
}

func concurrent(t *testing.T, l budget.Ledger) {
	tenant, session := account("t", budget.Limits{Calls: 40}), account("s", budget.Limits{Calls: 50, Cost: 30})
	var granted atomic.Int64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 10 {
				receipt := fmt.Sprint(g, "-", i)
				accounts := []budget.Account{tenant, session}
				short, err := l.Reserve(context.Background(), receipt, accounts, 1_000_000_000)
				if err != nil {
					t.Error(err)
				} else if short == nil {
					granted.Add(1)
					_ = l.Settle(context.Background(), receipt, accounts, budget.Used{Attempts: 1})
				}
			}
		})
	}
	wg.Wait()
	if n := granted.Load(); n != 30 {
		t.Errorf("got %d calls granted, want 30", n)
	}
}

func over(t *testing.T, l budget.Ledger) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	accounts := []budget.Account{account("a", budget.Limits{Calls: 1})}
	if _, err := l.Reserve(ctx, "1", accounts, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if short := reserve(t, l, "2", 0, accounts...); short != nil {
		t.Errorf("got %+v, want it granted: a reservation that failed was charged", short)
	}
}

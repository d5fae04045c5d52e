// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"context"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
)

// A Ledger keeps the accounts of budgets, for processes that share them. [NewLedger] makes one of this process.
// Package budgettest has the tests that any must pass. Safe for concurrent use. It bounds its waits, and returns when
// the context ends.
//
// A receipt names one call's reservation, and is never used again. A receipt that is not settled, as its process
// died, remains charged as reserved.
type Ledger interface {
	// Reserve charges one call, and the cost of one attempt in billionths, to all accounts, or to none: then it
	// says which one has too little left.
	Reserve(ctx context.Context, receipt string, accounts []Account, cost int64) (*Shortage, error)
	// ReserveMore charges the cost of one more attempt to all accounts, or to none (false).
	ReserveMore(ctx context.Context, receipt string, accounts []Account, cost int64) (bool, error)
	// Settle puts what the call used in the place of what was reserved. A second one of a receipt changes nothing.
	Settle(ctx context.Context, receipt string, accounts []Account, used Used) error
}

// An Account is a budget's: that of a turn, a session or a tenant.
type Account struct {
	Name   string // of the scope and whose it is; different for each account
	Limits Limits
	Idle   time.Duration // an account unused for longer may be forgotten
}

// CostUnits is the limit of cost in billionths; 0 is no limit.
func (l Limits) CostUnits() int64 { return units(l.Cost) }

// A Shortage says what an account has too little of.
type Shortage struct {
	Account int    // its position
	What    string // calls, time or cost
	Left    int64  // of the cost, in billionths
}

// Used is what a call used.
type Used struct {
	Attempts int           // how often the tool ran; 0 gives the call back
	Time     time.Duration // how long it ran
}

// ledger keeps the accounts of one process.
type ledger struct {
	mu       sync.Mutex
	accounts *sessions.Table[string, *account]
	receipts *sessions.Table[string, *receipt]
}

// receipt is what was reserved; 0 attempts if it was settled.
type receipt struct {
	cost     int64
	attempts int
}

// maxReceipts is how many calls of a ledger may run: the oldest one's receipt beyond that remains charged.
const maxReceipts = 100_000

// NewLedger makes a ledger that policies of this process share. It remembers about keep accounts, of which the longest
// unused is forgotten first, and none that is unused for longer than idle; 0 is 10,000 and 24 hours.
func NewLedger(keep int, idle time.Duration) Ledger {
	if idle <= 0 {
		idle = 24 * time.Hour
	}
	return &ledger{
		accounts: sessions.New[string](keep, idle, func() *account { return new(account) }),
		receipts: sessions.New[string](maxReceipts, 24*time.Hour, func() *receipt { return new(receipt) }),
	}
}

// Reserve is that of [Ledger].
func (l *ledger) Reserve(ctx context.Context, name string, accounts []Account, cost int64) (*Shortage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for i, a := range accounts {
		acc := l.accounts.Get(a.Name, now)
		if what := acc.over(a.Limits, cost); what != "" {
			return &Shortage{i, what, max(0, units(a.Limits.Cost)-acc.cost)}, nil
		}
	}
	for _, a := range accounts {
		l.accounts.Get(a.Name, now).reserve(cost)
	}
	*l.receipts.Get(name, now) = receipt{cost, 1}
	return nil, nil
}

// ReserveMore is that of [Ledger].
func (l *ledger) ReserveMore(ctx context.Context, name string, accounts []Account, cost int64) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	r := l.receipts.Get(name, now)
	if r.attempts == 0 {
		return false, nil
	}
	for _, a := range accounts {
		if l.accounts.Get(a.Name, now).over(Limits{Cost: a.Limits.Cost}, cost) != "" {
			return false, nil
		}
	}
	for _, a := range accounts {
		l.accounts.Get(a.Name, now).again(cost)
	}
	r.attempts++
	return true, nil
}

// Settle is that of [Ledger].
func (l *ledger) Settle(ctx context.Context, name string, accounts []Account, used Used) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	r := l.receipts.Get(name, now)
	if r.attempts > 0 {
		for _, a := range accounts {
			acc := l.accounts.Get(a.Name, now)
			acc.settle(r.cost, r.attempts, used.Attempts, 0)
			acc.ran += used.Time
		}
	}
	l.receipts.Drop(name)
	return nil
}

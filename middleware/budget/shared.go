// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
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

// sharedCall is a call whose accounts several processes share.
type sharedCall struct {
	policy   *policy
	ctx      context.Context
	call     toolkit.Call
	receipt  string
	accounts []Account
	scopes   []*scope
	cost     int64
	began    time.Time
	waited   time.Duration
}

// runShared runs a call if all its accounts have enough left. While the ledger does not answer, calls are refused.
func (p *policy) runShared(ctx context.Context, call toolkit.Call, session *toolkit.Session, next toolkit.Handler,
) (toolkit.Result, error) {
	s := &sharedCall{policy: p, ctx: ctx, call: call}
	var r reservation
	for i := range p.scopes {
		k, ok := p.scopes[i].key(session)
		if !ok {
			call.Record.Tag("budget", "unscoped")
			continue
		}
		s.scopes = append(s.scopes, &p.scopes[i])
		s.accounts = append(s.accounts, Account{p.scopes[i].accountName(k), p.scopes[i].limits, p.idle})
	}
	if len(s.accounts) == 0 {
		return next(ctx, call)
	}
	s.cost, s.receipt, s.waited = p.costOf(call), newReceipt(), waited(call)
	short, err := p.ledger.Reserve(ctx, s.receipt, s.accounts, s.cost)
	if err != nil {
		return s.refuseAway(err)
	}
	p.health.Answered()
	if short != nil {
		of := s.scopes[short.Account]
		call.Record.Tag("budget", short.What)
		call.Record.Tag("budget.scope", of.name)
		r.cost, r.left = s.cost, float64(short.Left)/1e9
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrBudgetExceeded, Message: of.refusal(short.What, r)})
	}
	s.began = time.Now()
	defer s.settle()
	if s.cost > 0 {
		ctx = handoff.WithReserver(ctx, call, s)
	}
	return next(ctx, call)
}

// Reserve reserves the cost of one more attempt in all accounts, or in none (false).
func (s *sharedCall) Reserve() bool {
	ok, err := s.policy.ledger.ReserveMore(s.ctx, s.receipt, s.accounts, s.cost)
	if err != nil {
		s.away(err)
		return false
	}
	return ok
}

// settle gives back what the call did not use, even if its caller has gone. What the ledger does not hear of remains
// charged as reserved.
func (s *sharedCall) settle() {
	used := Used{Attempts: 1, Time: time.Since(s.began)}
	s.call.Record.Note(func(d *toolkit.Disposition) {
		used.Attempts = d.Runs()
		used.Time -= max(0, d.Waited()-s.waited)
	})
	used.Time = max(0, used.Time)
	if err := s.policy.ledger.Settle(context.WithoutCancel(s.ctx), s.receipt, s.accounts, used); err != nil {
		s.away(err)
	}
}

// away records that the ledger did not answer.
func (s *sharedCall) away(err error) {
	s.policy.health.Failed(err)
	s.call.Record.Tag("budget.store", "away")
}

// refuseAway ends a call whose budget cannot be checked.
func (s *sharedCall) refuseAway(err error) (toolkit.Result, error) {
	if s.ctx.Err() != nil {
		return middleware.Refuse(s.call, &toolkit.Error{Kind: toolkit.ErrCanceled, Cause: context.Cause(s.ctx),
			Message: "the caller gave up while the budget was checked"})
	}
	s.away(err)
	s.call.Record.Tag("budget", "unavailable")
	return middleware.Refuse(s.call, &toolkit.Error{Kind: toolkit.ErrOverloaded, Cause: err,
		Message: "the budget, which several processes share, cannot be checked now: try again later"})
}

// accountName is different for each account.
func (s *scope) accountName(k key) string {
	name := append([]byte(s.name), ' ')
	for _, part := range []string{k.tenant, k.session, k.agent, k.batch} {
		name = strconv.AppendQuote(name, part)
	}
	return string(strconv.AppendInt(name, int64(k.turn), 10))
}

func newReceipt() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
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

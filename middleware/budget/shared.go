// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

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

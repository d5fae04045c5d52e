// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/middleware/internal/owner"
	"github.com/toolscope/toolscope/middleware/internal/shared"
	"github.com/toolscope/toolscope/toolkit"
)

// policy limits what is used up. It stands at
// [middleware.StageBudget]. Safe for concurrent use.
type policy struct {
	scopes []scope // the widest first, which is the order in which accounts are locked
	timed  bool    // whether any scope limits time
	costly bool    // whether any limits cost
	lookup toolkit.Lookup
	ledger Ledger        // nil: the accounts are this process's
	idle   time.Duration // of accounts in the ledger
	health shared.Health // of the ledger
}

// A scope is one width of budgets.
type scope struct {
	name     string
	limits   Limits
	key      func(*toolkit.Session) (key, bool)
	accounts *sessions.Table[key, *account]
}

// A key names the account of a scope.
type key struct {
	tenant, session, agent string
	turn                   int
	batch                  string
}

var _ middleware.Policy = (*policy)(nil)

// New makes the policy. The error names the option that is wrong.
func New(o Options) (middleware.Policy, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	p := &policy{lookup: o.Lookup, ledger: o.Ledger, idle: o.Idle}
	for _, s := range []scope{
		{name: "tenant", limits: o.Tenant, key: tenantOf},
		{name: "session", limits: o.Session, key: sessionOf},
		{name: "turn", limits: o.Turn, key: turnOf},
	} {
		if s.limits == (Limits{}) {
			continue
		}
		s.accounts = sessions.New[key](o.Keep, o.Idle, func() *account { return new(account) })
		p.scopes = append(p.scopes, s)
		p.timed = p.timed || s.limits.Time > 0
		p.costly = p.costly || s.limits.Cost > 0
	}
	return p, nil
}

// Inherit takes over what is used up of the budgets of the policy that p takes the place of, so that
// with other limits no caller starts at zero. It must be called before p is in use. What runs under the
// old policy counts in both.
func (p *policy) Inherit(from middleware.Policy) {
	old, ok := from.(*policy)
	if !ok {
		return
	}
	for i := range p.scopes {
		for j := range old.scopes {
			if p.scopes[i].name == old.scopes[j].name {
				p.scopes[i].accounts.Inherit(old.scopes[j].accounts, func(a *account) { a.inherit(old.timed) })
			}
		}
	}
}

// Figures reports how many turns, sessions and tenants are remembered, those included that are idle for
// too long and that no caller has noticed yet, and how many were forgotten, being idle or too many.
func (p *policy) Figures(report func(name string, value float64)) {
	var accounts, forgotten float64
	for i := range p.scopes {
		accounts += float64(p.scopes[i].accounts.Len())
		forgotten += float64(p.scopes[i].accounts.Forgotten())
	}
	report("accounts", accounts)
	report("forgotten", forgotten)
	if p.ledger != nil {
		p.health.Figures(report)
	}
}

// Problems are what the health report says while a shared ledger does not answer.
func (p *policy) Problems() []string { return p.health.Problems(p.ledger) }

func tenantOf(s *toolkit.Session) (key, bool) {
	o, ok := owner.ForSession(s, middleware.PerTenant)
	return key{tenant: o.Tenant}, ok
}

func sessionOf(s *toolkit.Session) (key, bool) {
	o, ok := owner.ForSession(s, middleware.PerSession)
	return key{tenant: o.Tenant, session: o.Session}, ok
}

func turnOf(s *toolkit.Session) (key, bool) {
	k, ok := sessionOf(s)
	if !ok || s.Turn == 0 && s.Batch == "" {
		return key{}, false
	}
	k.agent, k.turn = s.Agent, s.Turn
	if k.turn == 0 {
		k.batch = s.Batch
	}
	return k, true
}

// Stage is [middleware.StageBudget].
func (p *policy) Stage() middleware.Stage { return middleware.StageBudget }

// Wrap is a [toolkit.Middleware].
func (p *policy) Wrap(next toolkit.Handler) toolkit.Handler {
	next = toolkit.Chain(next)
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		session := call.Record.Session()
		if session == nil {
			session = toolkit.SessionFrom(ctx)
		}
		if session == nil {
			call.Record.Tag("budget", "unscoped")
			return next(ctx, call)
		}
		if p.ledger != nil {
			return p.runShared(ctx, call, session, next)
		}
		var r reservation
		if what, of := p.reserve(&r, session, call); of != nil {
			call.Record.Tag("budget", what)
			call.Record.Tag("budget.scope", of.name)
			return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrBudgetExceeded, Message: of.refusal(what, r)})
		}
		if r.unscoped {
			call.Record.Tag("budget", "unscoped")
		}
		if p.costly && r.cost > 0 {
			return p.runPaid(ctx, call, r, next)
		}
		defer p.settle(&r, call)
		return next(ctx, call)
	}
}

// runPaid runs a call each attempt of which costs something.
func (p *policy) runPaid(ctx context.Context, call toolkit.Call, r reservation, next toolkit.Handler) (toolkit.Result, error) {
	attempts := &attempts{p, r}
	defer p.settle(&attempts.reservation, call)
	return next(handoff.WithReserver(ctx, call, attempts), call)
}

// attempts reserves the cost of further attempts of a call.
type attempts struct {
	policy *policy
	reservation
}

// Reserve reserves the cost of one more attempt in all accounts, or in none (false).
func (a *attempts) Reserve() bool {
	a.lock()
	defer a.unlock()
	for i, acc := range a.accounts {
		if acc != nil && acc.over(Limits{Cost: a.policy.scopes[i].limits.Cost}, a.cost) != "" {
			return false
		}
	}
	for _, acc := range a.accounts {
		if acc != nil {
			acc.again(a.cost)
		}
	}
	a.more++
	return true
}

// A reservation is what one call may use up, of which accounts.
type reservation struct {
	accounts [3]*account   // by the policy's scopes; nil for none
	cost     int64         // of one attempt
	more     int           // how many attempts beyond the first are reserved
	waited   time.Duration // by the call before it came here
	unscoped bool
	left     float64 // of the cost, where it was not enough
}

// reserve counts one more call in all accounts, or in none: then it says what of
// which scope is used up.
func (p *policy) reserve(r *reservation, s *toolkit.Session, call toolkit.Call) (what string, of *scope) {
	r.cost = p.costOf(call)
	if p.timed {
		r.waited = waited(call)
	}
	now := time.Now()
	for i := range p.scopes {
		if k, ok := p.scopes[i].key(s); ok {
			r.accounts[i] = p.scopes[i].accounts.Get(k, now)
		} else {
			r.unscoped = true
		}
	}
	r.lock()
	defer r.unlock()
	for i, a := range r.accounts {
		if a == nil {
			continue
		}
		if p.timed {
			a.pass(now)
		}
		if what := a.over(p.scopes[i].limits, r.cost); what != "" {
			r.left = float64(max(0, units(p.scopes[i].limits.Cost)-a.cost)) / 1e9
			return what, &p.scopes[i]
		}
	}
	for _, a := range r.accounts {
		if a != nil {
			a.reserve(r.cost)
		}
	}
	return "", nil
}

// costOf is the cost of one attempt, in units.
func (p *policy) costOf(call toolkit.Call) int64 {
	tool := call.Record.Tool()
	if tool == nil && p.lookup != nil {
		tool = p.lookup(call.Name)
	}
	if tool == nil {
		return 0
	}
	return units(tool.Cost)
}

// lock locks all accounts, the widest first.
func (r *reservation) lock() {
	for _, a := range r.accounts {
		if a != nil {
			a.mu.Lock()
		}
	}
}

func (r *reservation) unlock() {
	for _, a := range r.accounts {
		if a != nil {
			a.mu.Unlock()
		}
	}
}

// settle gives back what the call did not use up.
func (p *policy) settle(r *reservation, call toolkit.Call) {
	ran := 1
	var waits time.Duration
	call.Record.Note(func(s *toolkit.Disposition) {
		ran = s.Runs()
		waits = max(0, s.Waited()-r.waited)
	})
	var now time.Time
	if p.timed {
		now = time.Now()
	}
	r.lock()
	defer r.unlock()
	for _, a := range r.accounts {
		if a == nil {
			continue
		}
		if p.timed {
			a.pass(now)
		}
		a.settle(r.cost, 1+r.more, ran, waits)
	}
}

// waited is how long the call has waited so far.
func waited(call toolkit.Call) (d time.Duration) {
	call.Record.Note(func(s *toolkit.Disposition) { d = s.Waited() })
	return d
}

// refusal is what the model reads instead of a result.
func (s *scope) refusal(what string, r reservation) string {
	hint := "go on with what you have"
	if s.name == "turn" {
		hint += "; the next turn has a budget of its own"
	}
	switch what {
	case "calls":
		return fmt.Sprintf("the budget of a %s is used up: %d calls of %d; %s", s.name, s.limits.Calls, s.limits.Calls, hint)
	case "time":
		return fmt.Sprintf("the budget of a %s is used up: its calls ran for %v, all they may; %s", s.name, s.limits.Time, hint)
	}
	return fmt.Sprintf("the budget of a %s does not suffice: of %s there is %s left, and this call costs %s; %s",
		s.name, amount(s.limits.Cost), amount(r.left), amount(float64(r.cost)/1e9), hint)
}

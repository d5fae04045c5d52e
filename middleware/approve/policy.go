// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/internal/arrival"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/check"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/middleware/internal/owner"
	"github.com/toolscope/toolscope/middleware/internal/shared"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// The longest texts of a request, in bytes.
const (
	maxArguments = 4 << 10
	maxText      = 1 << 10
)

// A Policy asks before calls go on; make one with [New]. Safe for concurrent use.
type Policy struct {
	options Options
	words   *wordSet // that are asked about; nil for none
	desk    *desk
	asking  atomic.Int64 // askers that have not come back
	served  atomic.Bool  // whether a handler was made of it

	askers     []Asker // those that ask by themselves
	byDefault  bool    // whether askers is the default, which a policy that is served does not need
	overHTTP   bool    // whether HTTP was asked for
	external   bool    // whether External is among the askers
	unattended bool
	health     shared.Health // of the requests that processes share
}

var _ middleware.Policy = (*Policy)(nil)

// New makes a policy. An error names the field that is wrong, what it has and what is
// wanted.
func New(o Options) (*Policy, error) {
	c := &check.Options{Package: "approve"}
	check.Default(c, "Expiry", &o.Expiry, 5*time.Minute)
	check.Default(c, "MaxPending", &o.MaxPending, 1000)
	p := &Policy{}
	for i, asker := range o.Askers {
		switch asker {
		case nil:
			c.Fail(fmt.Sprintf("Askers[%d]", i), "nil", "an asker")
		case byHTTP:
			p.overHTTP = true
		case byApplication:
			p.external = true
		case byNone:
			p.unattended = true
		default:
			p.askers = append(p.askers, asker)
		}
	}
	switch {
	case p.unattended && len(o.Askers) > 1:
		c.Fail("Askers", fmt.Sprintf("Unattended and %d more", len(o.Askers)-1), "Unattended alone")
	case o.Defer && p.unattended:
		c.Fail("Askers", "Unattended with Defer", "HTTP or External: a deferred call waits for an answer")
	case o.Defer && len(p.askers) > 0:
		c.Fail("Askers", len(p.askers), "only HTTP or External with Defer: a deferred call does not wait for others")
	case o.Defer && !p.external:
		p.overHTTP = true
	case len(o.Askers) == 0:
		p.askers, p.byDefault = []Asker{Terminal()}, true
	}
	for i := range o.People {
		c.Wrap(fmt.Sprintf("People[%d]", i), o.People[i].check())
	}
	c.Wrap("TwoPeople", checkPatterns(o.TwoPeople))
	c.If(o.WithoutSensitive && len(o.SensitiveWords) > 0, "SensitiveWords", fmt.Sprintf("%d words with WithoutSensitive",
		len(o.SensitiveWords)), "one of the two")
	checkWords(c, o.SensitiveWords)
	for i := range o.Patterns {
		c.Wrap(fmt.Sprintf("Patterns[%d]", i), o.Patterns[i].check())
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if o.Redactor == nil {
		o.Redactor = redact.Default()
	}
	if o.WorkDir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("approve: WorkDir: %w", err)
		}
		o.WorkDir = dir
	}
	if !o.WithoutSensitive {
		p.words = newWordSet(o.SensitiveWords)
	}
	o.Askers, o.Patterns = nil, slices.Clone(o.Patterns)
	p.options, p.desk = o, newDesk(o.Tell)
	if o.Requests != nil {
		p.desk.by = p
	}
	return p, nil
}

// Inherit takes over the open requests and unused approvals of the policy that p takes
// the place of, so that they can be answered through p. It must be called before p is
// in use. old's Tell goes on receiving them. A handler of old also serves p.
func (p *Policy) Inherit(old *Policy) {
	if old != nil {
		p.desk = old.desk
		p.served.Store(old.served.Load())
		p.desk.mu.Lock()
		p.desk.by = nil
		if p.options.Requests != nil {
			p.desk.by = p
		}
		p.desk.mu.Unlock()
		p.watch()
	}
}

// Stage is [middleware.StageApprove].
func (p *Policy) Stage() middleware.Stage { return middleware.StageApprove }

// Made reports whether [New] made the policy: see [middleware.Check].
func (p *Policy) Made() bool { return p != nil && p.desk != nil }

// Pending are the open requests, the oldest first; Decided the last 200 closed ones, the
// latest first.
func (p *Policy) Pending() []Request {
	if p.options.Requests != nil {
		return p.pendingShared(nil)
	}
	open, _ := p.desk.list(time.Now())
	return open
}

// Decided are the last 200 requests that were closed, the latest first.
func (p *Policy) Decided() []Decision { _, closed := p.desk.list(time.Now()); return closed }

// Decide answers an open request. The digest must be the request's, so that an answer is
// for what was shown. It returns [ErrUnknown], [ErrClosed] or [ErrDigest] for an answer that
// comes to nothing: the first answer stands. Another error says that the person may not approve the call.
// Where two people have to approve, the request stays open after the first.
func (p *Policy) Decide(id, digest string, a Answer) error {
	_, err := p.decide(id, digest, a)
	return err
}

// decide is [Policy.Decide], and says what the request is then.
func (p *Policy) decide(id, digest string, a Answer) (State, error) {
	who := a.By
	a.By, a.Note = p.text(a.By), p.text(a.Note)
	mayApprove := func(tool, risk string) error { return p.options.mayApprove(who, tool, risk) }
	if p.options.Requests != nil {
		return p.decideShared(id, digest, a, mayApprove)
	}
	return p.desk.decide(id, digest, a, time.Now(), p.options.Expiry, mayApprove)
}

// Wrap asks before calls go on that need it. The call tells "approval" with "approved",
// "pattern", "rejected", "expired", "withdrawn", "unavailable" (no person can be asked),
// "overloaded" or "deferred", and approval.id, approval.trigger, approval.rule and approval.by.
// The wait is recorded apart from running time. What goes on is the copy of the call
// that was approved.
func (p *Policy) Wrap(next toolkit.Handler) toolkit.Handler {
	next = p.stoppable(next)
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if s := p.stopped(ctx, call); s != nil {
			return refuseStopped(call, s)
		}
		why, needed := p.needed(ctx, call, call.Record.Tool())
		ctx = handoff.WithoutQuestion(ctx)
		if !needed {
			return next(ctx, call)
		}
		now := time.Now()
		call.Record.Tag("approval.trigger", why.name)
		if why.rule != "" {
			call.Record.Tag("approval.rule", why.rule)
		}
		for i := range p.options.Patterns {
			if pattern := &p.options.Patterns[i]; pattern.matches(call.Name, call.Arguments, now) {
				call.Record.Tag("approval", "pattern")
				call.Record.Tag("approval.by", pattern.Approver)
				return next(ctx, call)
			}
		}
		call = call.Detach()
		if len(call.Arguments) > maxShown {
			call.Record.Tag("approval", "unavailable")
			return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrApprovalDenied, Message: fmt.Sprintf(
				"a person must approve this call, and cannot read %d bytes of arguments: make smaller calls, of at most %d "+
					"bytes each", len(call.Arguments), maxShown)})
		}
		req := p.request(call, call.Record.Info(), sessionOf(ctx, call), why, now)
		switch x := approval.Of(ctx, call.ID, call.Name); {
		case x != nil && !p.unattended:
			return p.exchanged(ctx, call, req, x, next)
		case p.options.Defer:
			return p.deferred(ctx, call, req, next)
		}
		switch id, err := p.open(ctx, req); {
		case err != nil:
			return p.refuseAway(call, err)
		case id == "":
			return p.overloaded(ctx, call)
		}
		call.Record.Tag("approval.id", req.ID)
		state, answer, err := p.wait(ctx, req)
		waited := time.Since(now)
		call.Record.Note(func(s *toolkit.Disposition) { s.Approval += waited })
		if answer.By != "" {
			call.Record.Tag("approval.by", answer.By)
		}
		if err != nil {
			call.Record.Tag("approval", "unavailable")
			return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrApprovalDenied,
				Message: "a person must approve this call, and no person can be asked: " + err.Error()})
		}
		call.Record.Tag("approval", string(state))
		if state == Approved {
			return next(ctx, call)
		}
		return refuse(ctx, call, state, answer, p.options.Expiry)
	}
}

// refuse says why a call was not approved.
func refuse(ctx context.Context, call toolkit.Call, state State, answer Answer, expiry time.Duration) (toolkit.Result, error) {
	err := &toolkit.Error{Kind: toolkit.ErrApprovalDenied,
		Message: "a person was asked and said no; do not make this call again unless they ask for it"}
	switch {
	case state == Expired:
		err.Kind = toolkit.ErrApprovalExpired
		err.Message = fmt.Sprintf("a person was asked and did not answer within %v", expiry)
	case state == Withdrawn:
		err.Kind, err.Cause = toolkit.ErrCanceled, context.Cause(ctx)
		err.Message = "the call was cancelled while it waited for approval"
	case answer.Note != "":
		err.Message += ": " + answer.Note
	}
	return middleware.Refuse(call, err)
}

// stopped returns what stops a call, nil for nothing.
func (p *Policy) stopped(ctx context.Context, call toolkit.Call) *Stop {
	if !p.desk.stops.any.Load() {
		return nil
	}
	return p.desk.stops.find(call.Name, sessionOf(ctx, call))
}

// overloaded refuses a call for which no request could be opened.
func (p *Policy) overloaded(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	if s := p.stopped(ctx, call); s != nil {
		return refuseStopped(call, s)
	}
	call.Record.Tag("approval", "overloaded")
	return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrOverloaded,
		Message: fmt.Sprintf("%d calls wait for approval, as many as may: try again later", p.options.MaxPending)})
}

// deferred lets an approved call through, or opens a request and suspends the call.
func (p *Policy) deferred(ctx context.Context, call toolkit.Call, req *pending, next toolkit.Handler) (toolkit.Result, error) {
	if req.owner.owner == (middleware.Owner{}) {
		call.Record.Tag("approval", "unscoped")
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrApprovalDenied,
			Message: "a person must approve this call, which can be given later only within a session"})
	}
	g, ok, err := p.takeGrant(ctx, req)
	if err != nil {
		return p.refuseAway(call, err)
	}
	if ok {
		call.Record.Tag("approval", string(Approved))
		call.Record.Tag("approval.id", g.id)
		call.Record.Tag("approval.by", g.by)
		return next(ctx, call)
	}
	return p.suspend(ctx, call, req)
}

// suspend opens a request and suspends its call.
func (p *Policy) suspend(ctx context.Context, call toolkit.Call, req *pending) (toolkit.Result, error) {
	req.deferred = true
	id, err := p.open(ctx, req)
	if err != nil {
		return p.refuseAway(call, err)
	}
	if id == "" {
		return p.overloaded(ctx, call)
	}
	call.Record.Tag("approval", "deferred")
	call.Record.Tag("approval.id", id)
	call.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	return toolkit.Result{Suspended: true, Output: "this call waits for a person's approval (request " + id +
		"): make it again, unchanged, once it is given"}, nil
}

// wait waits for the first answer, the expiry or the caller's going away. An error
// says that no person can be asked.
func (p *Policy) wait(ctx context.Context, req *pending) (State, Answer, error) {
	limited, cancel := context.WithDeadline(ctx, req.Expires)
	defer cancel()
	askers, patient := p.askers, p.served.Load() || p.overHTTP || p.external || p.options.Requests != nil
	if p.byDefault && patient {
		askers = nil
	}
	if p.unattended {
		askers = []Asker{byNone}
	}
	arrival.Pass(ctx)
	failed := make(chan error, len(askers))
	for _, asker := range askers {
		go func() { failed <- p.ask(limited, asker, req) }()
	}
	var errs []error
	for {
		select {
		case <-req.done:
			state, answer := p.desk.settle(req, Expired, time.Now())
			return state, answer, nil
		case <-limited.Done():
			state := Expired
			if ctx.Err() != nil {
				state = Withdrawn
			}
			state, answer := p.settle(req, state)
			return state, answer, nil
		case err := <-failed:
			if err == nil || limited.Err() != nil {
				continue // it has answered, or failed since the wait is over
			}
			if errs = append(errs, err); len(errs) < len(askers) || patient {
				continue
			}
			if state, answer := p.settle(req, Withdrawn); state != Withdrawn {
				return state, answer, nil
			}
			return Withdrawn, Answer{}, errors.Join(errs...)
		}
	}
}

// settle closes a request without an answer, if it is still open, and returns what became of it.
func (p *Policy) settle(req *pending, state State) (State, Answer) {
	p.closeShared(req, state)
	return p.desk.settle(req, state, time.Now())
}

// ask asks one asker; nil if it gave an answer, whether it was the first or not. An
// asker that does not come back does not hold its call, and there cannot be more of
// them than requests.
func (p *Policy) ask(ctx context.Context, asker Asker, req *pending) (err error) {
	defer p.asking.Add(-1)
	if p.asking.Add(1) > int64(p.options.MaxPending*max(1, len(p.askers))) {
		return errors.New("too many askers have not come back")
	}
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("the asker panicked")
		}
	}()
	a, err := asker.Ask(ctx, p.desk.request(req))
	if err != nil || ctx.Err() != nil {
		return err
	}
	_ = p.Decide(req.ID, req.Digest, a) // another caller may have been faster
	return nil
}

// request is the question about a call. Its exported members are redacted.
func (p *Policy) request(
	call toolkit.Call, facts toolkit.CallInfo, session *toolkit.Session, why trigger, now time.Time,
) *pending {
	digest := Digest(call.Name, call.Arguments, p.options.WorkDir, why.version)
	shown, _ := p.options.Redactor.ForTool(call.Name).JSONMax(call.Arguments, maxArguments)
	req := &pending{
		Request: Request{
			ID: newID(), Digest: digest, Tool: p.text(call.Name), Arguments: string(shown), CallID: p.text(call.ID),
			Trigger: why.name, Reason: p.text(why.reason), Rule: p.text(why.rule), Created: now, Expires: now.Add(p.options.Expiry),
		},
		done: make(chan struct{}), state: Pending, tool: call.Name, people: 1,
	}
	req.content = &content{arguments: bytes.Clone(call.Arguments), tool: call.Name, redactor: p.options.Redactor}
	if matchesAny(p.options.TwoPeople, call.Name) {
		req.people = 2
	}
	if tool := facts.Tool; tool != nil {
		req.Title, req.Risk = p.text(tool.Title), string(tool.Risk)
	}
	if s := session; s != nil {
		own := *s
		req.session = &own
		req.Session, req.Tenant, req.Agent = p.text(s.ID), p.text(s.Tenant), p.text(s.Agent)
	}
	owner, _ := owner.ForSession(session, middleware.PerSession)
	if owner.Session == "" {
		owner = middleware.Owner{}
	}
	req.owner = grantKey{owner: owner, digest: digest}
	return req
}

func (p *Policy) text(s string) string {
	out, _ := p.options.Redactor.TextMax(s, maxText)
	return out
}

// CanAsk returns nil if the policy has a way to ask a person, or is [Unattended]. Otherwise the error is
// [ErrCannotAsk] and says what to set: [HTTP] is among the askers and nothing serves the requests, or the terminal
// is the only asker and there is none. toolscope.New and Scope.Apply return it.
func (p *Policy) CanAsk() error {
	if p.served.Load() || p.unattended {
		return nil
	}
	if p.overHTTP {
		return fmt.Errorf("%w: got answers over HTTP (in a file: remote: true) that nothing serves, want "+
			"toolscope.Options.ApprovalsToken or approve.NewHandler", ErrCannotAsk)
	}
	if p.external {
		return nil
	}
	var missing []error
	for _, asker := range p.askers {
		checked, ok := asker.(interface{ available() error })
		if !ok {
			return nil
		}
		err := checked.available()
		if err == nil {
			return nil
		}
		missing = append(missing, err)
	}
	return fmt.Errorf("%w: %w: want toolscope.Options.ApprovalsToken, another asker, or approve.Unattended "+
		"(in a file: unattended: true) to refuse the calls", ErrCannotAsk, errors.Join(missing...))
}

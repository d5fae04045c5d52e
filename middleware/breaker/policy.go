// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// A Policy breaks circuits; make one with [New]. Safe for concurrent use.
type Policy struct {
	options Options
	on      map[string]bool
	began   time.Time
	now     func() time.Duration // since began
	table   table
	panics  atomic.Uint64
	peers   peers
}

var _ middleware.Policy = (*Policy)(nil)

// New makes a policy. The error names the field, what it got and what it wants.
func New(o Options) (*Policy, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	p := &Policy{options: o, on: make(map[string]bool, len(o.On)), began: time.Now()}
	p.now = func() time.Duration { return time.Since(p.began) }
	for _, k := range o.On {
		p.on[string(k)] = true
	}
	for _, v := range o.OnTypes {
		p.on[v] = true
	}
	p.options.On, p.options.OnTypes = nil, nil // the caller's slices
	p.table = table{options: &p.options, all: make(map[string]*circuit)}
	return p, nil
}

// Stage is [middleware.StageBreaker].
func (p *Policy) Stage() middleware.Stage { return middleware.StageBreaker }

// Made reports whether [New] made the policy: see [middleware.Check].
func (p *Policy) Made() bool { return p != nil && p.on != nil }

// key is whose circuit a call belongs to; a host's function that panics leaves it to the tool's.
func (p *Policy) key(ctx context.Context, call toolkit.Call) (key string) {
	if p.options.Key == nil {
		return call.Name
	}
	defer func() {
		if recover() != nil {
			call.Record.Tag("breaker.key", "panicked")
			key = call.Name
		}
	}()
	return p.options.Key(ctx, call)
}

// Wrap refuses calls whose circuit is open as circuit_open, with an [Error] as the cause, and
// watches how the others end. A call tells "breaker" with "open" or "half_open" if it was
// refused, with "half_open" if it tries, with "full" if there were too many circuits to give it
// one; and "breaker.changed" with the state that it brought the circuit to.
func (p *Policy) Wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (res toolkit.Result, err error) {
		if p.options.Peers != nil {
			p.lookAtPeers()
		}
		key := p.key(ctx, call)
		if key == "" {
			return next(ctx, call)
		}
		var t ticket
		c := p.table.find(key)
		if c != nil {
			var refused *Error
			if t, refused = p.ask(c, call); refused != nil {
				return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrCircuitOpen, Message: refused.Error(), Cause: refused})
			}
		}
		// What does not return has panicked, or ended its goroutine.
		kind := string(toolkit.ErrPanic)
		v := nothing
		if p.on[kind] {
			v = failure
		}
		defer func() { p.settle(c, key, call, t, v, kind) }()
		res, err = next(ctx, call)
		v, kind = p.judge(call, res, err)
		return res, err
	}
}

// ask asks the circuit, and tells.
func (p *Policy) ask(c *circuit, call toolkit.Call) (ticket, *Error) {
	t, refused, change := c.ask(&p.options, p.now)
	switch {
	case refused != nil:
		call.Record.Tag("breaker", refused.State.String())
	case t.probe:
		call.Record.Tag("breaker", HalfOpen.String())
	}
	p.reportChange(c, call, change, "")
	return t, refused
}

// settle tells the circuit how the call ended. The first ending that says something makes
// the circuit, so that a name which reaches no tool has none.
func (p *Policy) settle(c *circuit, key string, call toolkit.Call, t ticket, v verdict, kind string) {
	if v == nothing && !t.probe {
		return
	}
	now := p.now()
	if c == nil {
		if c = p.table.make(key, now); c == nil {
			call.Record.Tag("breaker", "full")
			return
		}
	}
	p.reportChange(c, call, c.settle(&p.options, now, t, v, kind), kind)
}

// judge is what an ending says of the circuit.
func (p *Policy) judge(call toolkit.Call, res toolkit.Result, err error) (v verdict, kind string) {
	if err == nil && res.Fault == nil || res.Suspended {
		return success, ""
	}
	kind = middleware.ErrorType(res, err)
	switch {
	case call.Record.Disposition().Outcome == toolkit.OutcomeRefused:
		return nothing, kind // it never reached the tool
	case p.on[kind]:
		return failure, kind
	case kind == string(toolkit.ErrCanceled), kind == string(toolkit.ErrUnknownTool):
		return nothing, kind
	}
	return success, kind // the tool answered
}

// reportChange tells of a change, on the call and to the host.
func (p *Policy) reportChange(c *circuit, call toolkit.Call, s step, kind string) {
	if s.from == s.to {
		return
	}
	call.Record.Tag("breaker.changed", s.to.String())
	if p.options.Peers != nil {
		if p.peers.health.Away() {
			call.Record.Tag("breaker.store", "away")
		}
		if s.to == Open {
			p.tellPeers(c.key)
		}
	}
	p.callOnChange(c, s, kind)
}

// callOnChange tells the host of a change.
func (p *Policy) callOnChange(c *circuit, s step, kind string) {
	if p.options.OnChange == nil {
		return
	}
	change := Change{Key: c.key, From: s.from, To: s.to, At: time.Now()}
	if s.to == Open {
		change.Failure, change.RetryIn = kind, p.options.OpenFor
	}
	defer func() {
		if recover() != nil {
			p.panics.Add(1)
		}
	}()
	p.options.OnChange(change)
}

// States lists the circuits by key, those included that never opened.
func (p *Policy) States() []Circuit {
	list := p.table.list()
	states := make([]Circuit, len(list))
	for i, c := range list {
		states[i] = c.snapshot(&p.options, p.began, p.now())
	}
	return states
}

// Figures reports how many calls got no circuit, since there were MaxKeys others, and how often OnChange
// panicked.
func (p *Policy) Figures(report func(name string, value float64)) {
	p.table.mu.RLock()
	without := p.table.without
	p.table.mu.RUnlock()
	report("without", float64(without))
	report("panics", float64(p.panics.Load()))
	if p.options.Peers != nil {
		p.peers.health.Figures(report)
	}
}

// Problems are what the health report says while a store that processes share does not answer.
func (p *Policy) Problems() []string { return p.peers.health.Problems(p.options.Peers) }

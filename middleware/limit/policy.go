// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"sync/atomic"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// policy limits calls. Safe for concurrent use.
type policy struct {
	slots  *slots // nil: any number of calls runs at once
	rates  *rates // nil: any number of calls begins
	exempt map[string]struct{}

	unkeyed atomic.Uint64
}

var _ middleware.Policy = (*policy)(nil)

// New makes a policy. The error names the field, what it got and what it wants.
//
// The policy asks the rate limits first and then waits for a slot, so that no caller holds one
// while the other has still to say no. A call that waited or was refused tells
// "limit" with "concurrency" or "rate", and "limit.scope" with "global", "tool" or "key"; one
// without a key, where a limit per key is set, tells "limit" with "unscoped". One whose tool a time
// limit further in abandoned tells "limit" with "held": its slot is taken until the tool has ended.
// Refusals are overloaded and rate_limited, with an [Error] as their cause; a caller who
// gives up while waiting is refused as canceled, or timeout, with the context's cause.
// Without any limit set, the policy returns the handler that it wraps.
func New(o Options) (middleware.Policy, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	keyOf := keyFunc(o.Key)
	p := &policy{exempt: make(map[string]struct{}, len(o.Exempt))}
	for _, name := range o.Exempt {
		p.exempt[name] = struct{}{}
	}
	counted := p.counting(keyOf)
	if r := o.Rate; r.limits() {
		p.rates = newRates(r, counted, o.Lookup)
	}
	if c := o.Concurrency; c.limits() {
		if c.PerKey > 0 && o.Rate.PerKey.MaxCalls == 0 { // else the rates have counted it
			keyOf = counted
		}
		p.slots = newSlots(c, keyOf)
	}
	return p, nil
}

// Stage is [middleware.StageLimit].
func (p *policy) Stage() middleware.Stage { return middleware.StageLimit }

// Wrap is a [toolkit.Middleware].
func (p *policy) Wrap(next toolkit.Handler) toolkit.Handler {
	limited := next
	if p.slots != nil {
		limited = p.slots.wrap(limited)
	}
	if p.rates != nil {
		limited = p.rates.wrap(limited)
	}
	if len(p.exempt) == 0 {
		return limited
	}
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if _, ok := p.exempt[call.Name]; ok {
			return next(ctx, call)
		}
		return limited(ctx, call)
	}
}

// counting is keyOf for limits per key: it tells of calls that have none.
func (p *policy) counting(keyOf func(context.Context, toolkit.Call) id) func(context.Context, toolkit.Call) id {
	return func(ctx context.Context, call toolkit.Call) id {
		key := keyOf(ctx, call)
		if key.name == "" {
			p.unkeyed.Add(1)
			call.Record.Tag("limit", "unscoped")
		}
		return key
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
)

// A Policy answers calls from a store. Make one with [New]. Its answers are shared by all
// handlers it wraps: a tool's name must mean the same tool in each. Safe for concurrent
// use.
type Policy struct {
	options Options
	scope   reuse.Scope
	memory  *memory // nil if the store is outside
	outside *guard
	lost    *lostWrites
	renewal *renewal
	counts  counts
}

var (
	_ middleware.Policy = (*Policy)(nil)
	_ handoff.Answerer  = (*Policy)(nil)
)

// New makes a cache. An error names the option that is wrong.
func New(options Options) (*Policy, error) {
	o, err := options.check()
	if err != nil {
		return nil, err
	}
	c := &Policy{options: o, renewal: newRenewal(o), lost: &lostWrites{start: time.Now()}}
	c.scope = reuse.NewScope(o.Tools, o.Share, o.Reach)
	switch m := o.Store.(type) {
	case nil:
		if c.memory, err = newMemory(o.MaxBytes); err != nil {
			return nil, err
		}
	case *memory:
		c.memory = m
	default:
		c.outside = newGuard(m, o.StoreTimeout)
	}
	c.options.Tools = nil
	return c, nil
}

// Inherit lets c see the end of writes that run under the cache that it takes the place of: what is
// read while they do is not kept. Answers are not taken over. It must be called before c is in use, and
// is for stores in memory that New made; one that is shared has seen them.
func (c *Policy) Inherit(old *Policy) {
	if c.options.Store == nil && old.options.Store == nil {
		c.memory.counters = old.memory.counters
	}
}

// Stage is middleware.StageCache.
func (c *Policy) Stage() middleware.Stage { return middleware.StageCache }

// Made reports whether [New] made the policy: see [middleware.Check].
func (c *Policy) Made() bool { return c != nil && c.lost != nil }

// Close ends the runs in the background and waits for them; calls go on, without
// renewals. It is needed only with StaleFor, and may be called more than once.
func (c *Policy) Close() { c.renewal.close() }

// Wrap answers next's calls from the store.
func (c *Policy) Wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		tool := call.Record.Tool()
		p := c.plan(call.Name, tool)
		if p.ttl <= 0 && !p.writes {
			return next(ctx, call)
		}
		if p.ttl <= 0 {
			return c.write(ctx, call, tool, next)
		}
		var l look
		if res, ok := c.recall(&l, &call, tool); ok {
			return res, nil
		}
		return c.serve(ctx, call, &l, tool, p, next)
	}
}

// plan is what the cache does with a tool's calls.
type plan struct {
	ttl    time.Duration // 0 or less: its answers are not stored
	writes bool
}

func (c *Policy) plan(name string, tool *toolkit.Definition) plan {
	shares, writes := c.scope.Classify(name, tool)
	p := plan{writes: writes}
	if !shares {
		return p
	}
	p.ttl = c.options.TTL
	if tool != nil && tool.CacheTTL != 0 {
		p.ttl = tool.CacheTTL
	}
	return p
}

// Answer gives the answer to call that a store in memory has, without waiting, as a hit; false
// if there is none or the store is outside the process. A policy directly
// outside the cache asks it (handoff.AnswererWrapper).
func (c *Policy) Answer(call toolkit.Call) (toolkit.Result, bool) {
	tool := call.Record.Tool()
	if p := c.plan(call.Name, tool); p.ttl <= 0 {
		return toolkit.Result{}, false
	}
	var l look
	return c.recall(&l, &call, tool)
}

// look is a call's look into the store.
type look struct {
	key   Key
	why   string // the call must not be stored; then the rest is empty
	hash  uint64 // of the key, for a store in memory
	entry *Entry // what is stored; nil for nothing
	stamp uint64 // the key's now
}

// recall looks into a store in memory and gives the answer if it is right and not too old. Where
// there is none, serve follows, which tells why and does the rest.
func (c *Policy) recall(l *look, call *toolkit.Call, tool *toolkit.Definition) (toolkit.Result, bool) {
	if l.why = c.scope.Fill((*reuse.Key)(&l.key), call, tool); l.why != "" || c.memory == nil {
		return toolkit.Result{}, false
	}
	l.hash, l.entry, l.stamp = c.memory.get(&l.key)
	if l.entry == nil || l.entry.Stamp != l.stamp || reuse.Writing(l.stamp) {
		return toolkit.Result{}, false
	}
	age := l.entry.Age()
	if age > l.entry.TTL {
		return toolkit.Result{}, false
	}
	return c.hit(call, l.entry, age), true
}

// write runs a call that is not stored and may make stale what is.
func (c *Policy) write(ctx context.Context, call toolkit.Call, tool *toolkit.Definition,
	next toolkit.Handler) (res toolkit.Result, err error) {
	w := c.begin(ctx, call, tool)
	defer func() { w.ended(err) }()
	return next(ctx, call)
}

// serve answers a call whose answer may be stored and that recall had none for.
func (c *Policy) serve(ctx context.Context, call toolkit.Call, l *look, tool *toolkit.Definition, p plan,
	next toolkit.Handler) (res toolkit.Result, err error) {
	stored := l.why == ""
	if !stored {
		c.counts.unkeyed.Count(l.why)
		call.Record.Tag("cache", l.why)
	} else if err := c.ask(ctx, l); err != nil {
		c.failed(call)
		stored = false
	} else if res, ok := c.fresh(ctx, call, l, p, next); ok {
		return res, nil
	} else {
		c.counts.misses.Add(1)
	}
	if p.writes {
		l.stamp = reuse.Own(l.stamp, l.key.Reach, l.key.Resources, reuse.Begin+reuse.End)
		w := c.begin(ctx, call, tool)
		defer func() { w.ended(err) }()
	}
	res, err = next(ctx, call)
	if stored {
		c.fill(ctx, call, l, p, res, err)
	}
	return res, err
}

// fresh gives the answer of an entry that is still right.
func (c *Policy) fresh(ctx context.Context, call toolkit.Call, l *look, p plan, next toolkit.Handler) (toolkit.Result, bool) {
	entry := l.entry
	if entry == nil {
		return toolkit.Result{}, false
	}
	if entry.Stamp != l.stamp || reuse.Writing(l.stamp) {
		c.counts.stale.Add(1)
		return toolkit.Result{}, false
	}
	age := entry.Age()
	if age > entry.TTL {
		if age > entry.TTL+c.options.StaleFor || p.writes || entry.Result.Fault != nil {
			return toolkit.Result{}, false
		}
		c.renew(ctx, call, *l, p, next)
		call.Record.Tag("cache", "stale")
	}
	return c.hit(&call, entry, age), true
}

// hit tells of a hit and copies the answer.
func (c *Policy) hit(call *toolkit.Call, entry *Entry, age time.Duration) toolkit.Result {
	c.counts.hits.Add(1)
	call.Record.Note(func(s *toolkit.Disposition) {
		s.Outcome, s.Age, s.Origin = toolkit.OutcomeCacheHit, age, entry.Origin
	})
	return entry.Result.Clone()
}

// fill stores the answer of a call that began at stamp, if it may be stored.
func (c *Policy) fill(ctx context.Context, call toolkit.Call, l *look, p plan, res toolkit.Result, err error) {
	ttl := p.ttl
	outcome := toolkit.OutcomeExecuted
	call.Record.Note(func(s *toolkit.Disposition) { outcome = s.Outcome })
	switch {
	case err != nil || ctx.Err() != nil || reuse.Writing(l.stamp) || !res.Shareable():
		return
	case outcome == toolkit.OutcomeRefused:
		return
	case res.Fault != nil:
		if ttl = min(ttl, c.options.FaultTTL); ttl <= 0 || !toolFault(res.Fault) {
			return
		}
	}
	entry := Entry{Result: res.Clone(), Stamp: l.stamp, Stored: time.Now(), TTL: ttl, Origin: call.Record.Info().Span}
	if err := c.set(ctx, l, entry, ttl+c.options.StaleFor); err != nil {
		c.failed(call)
		return
	}
	c.counts.fills.Add(1)
}

// toolFault reports whether a failure is the tool's own: an error.type of its own, or
// tool_error. All other kinds are of what is around the tool, and none of them is stored.
func toolFault(err error) bool {
	kind := toolkit.Kind(toolkit.TypeOf(err))
	return kind == toolkit.ErrTool || kind != toolkit.TypeOther && !kind.Known()
}

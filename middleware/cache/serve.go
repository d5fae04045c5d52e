// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"errors"
	"time"

	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
)

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
		c.failed(call, err)
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
		c.failed(call, err)
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

// renew runs the tool in the background and stores its answer. The run has the call's
// context values, its own time, and a record that belongs to no call: it is in no statistics, and observers
// receive it apart (toolkit.BackgroundObserver).
func (c *Policy) renew(ctx context.Context, call toolkit.Call, l look, p plan, next toolkit.Handler) {
	c.renewal.start(l.key.Hash(), func() func() {
		l.key.Arguments = l.key.Arguments.Keep()
		call = call.Fork()
		return func() {
			c.counts.refreshes.Add(1)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.RefreshTimeout)
			defer cancel()
			defer context.AfterFunc(c.renewal.ctx, cancel)()
			res, err := c.renewed(ctx, call, next)
			if err != nil || res.Fault != nil {
				c.counts.refreshFailures.Add(1)
			}
			c.fill(ctx, call, &l, p, res, err)
		}
	})
}

// errGoexit is how a run is reported that ended its goroutine.
var errGoexit = errors.New("cache: the tool ended its goroutine")

// renewed runs the tool and tells observers. A panic is an error: the next caller meets it in the
// foreground.
func (c *Policy) renewed(ctx context.Context, call toolkit.Call, next toolkit.Handler) (res toolkit.Result, err error) {
	ctx, told := call.Record.BeginBackground(ctx, call, "renewal")
	err = errGoexit
	defer func() {
		if v := recover(); v != nil {
			err = call.Record.PanicError(v)
		}
		told(res, err)
		if err == errGoexit { // no caller goes on after this
			c.counts.refreshFailures.Add(1)
		}
	}()
	return next(ctx, call)
}

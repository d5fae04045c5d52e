// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
)

// policy runs identical calls once. Make one with [New]. Duplicates are looked for among the
// calls of all handlers it wraps: a tool's name must mean the same tool in each. Safe
// for concurrent use. It needs no closing.
type policy struct {
	options  Options
	scope    reuse.Scope
	counters *reuse.Counters
	table    *table
	collide  bool // every key has one hash: for tests
	counts   counts
	fleet    fleet
}

var _ handoff.AnswererWrapper = (*policy)(nil)

// New makes the policy. An error names the option that is wrong.
func New(options Options) (middleware.Policy, error) {
	o, err := options.check()
	if err != nil {
		return nil, err
	}
	d := &policy{options: o, counters: new(reuse.Counters), table: newTable(o)}
	d.scope = reuse.NewScope(o.Tools, o.Share, o.Reach)
	d.options.Tools = nil
	return d, nil
}

// Inherit lets d see the end of writes that run under the policy that it takes the place of: what
// is read while they do is not kept. Answers are not taken over, and what runs has no duplicates among
// d's calls. It must be called before d is in use.
func (d *policy) Inherit(from middleware.Policy) {
	if old, ok := from.(*policy); ok {
		d.counters = old.counters
	}
}

// Stage is middleware.StageDedupe.
func (d *policy) Stage() middleware.Stage { return middleware.StageDedupe }

// Wrap runs next once for identical calls.
func (d *policy) Wrap(next toolkit.Handler) toolkit.Handler { return d.WrapAnswerer(nil, next) }

// WrapAnswerer is Wrap, but that a call that inner has an answer to at hand is inner's: it
// needs no run that others could wait for. A duplicate that runs or has finished comes first. A
// nil inner has no answers.
func (d *policy) WrapAnswerer(inner handoff.Answerer, next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		tool := call.Record.Tool()
		shares, writes := d.scope.Classify(call.Name, tool)
		if !shares {
			if !writes {
				return next(ctx, call)
			}
			return d.alone(ctx, call, tool, writes, next)
		}
		var k key
		if why := d.key(&k, call, tool); why != "" {
			d.counts.unkeyed.Count(why)
			call.Record.Tag("dedupe", why)
			return d.alone(ctx, call, tool, writes, next)
		}
		return d.serve(ctx, call, &k, tool, writes, inner, next)
	}
}

// alone runs a call that has no duplicates; what it may write is counted.
func (d *policy) alone(ctx context.Context, call toolkit.Call, tool *toolkit.Definition, writes bool,
	next toolkit.Handler) (res toolkit.Result, err error) {
	if !writes {
		return next(ctx, call)
	}
	if d.options.Flights != nil {
		inner := next
		next = func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			return d.writeShared(ctx, call, d.scope.Writer(call), reuse.Resources(tool), inner)
		}
	}
	hash, resources := reuse.OwnerHash(d.scope.Writer(call)), reuse.Resources(tool)
	d.counters.Add(hash, resources, reuse.Begin)
	defer func() { d.written(call, hash, resources, err) }()
	return next(ctx, call)
}

// written counts that a write has ended, when its tool has: one that a time limit abandoned may
// write until then. err is what the call ended with; nil if it panicked.
func (d *policy) written(call toolkit.Call, hash uint64, resources []string, err error) {
	if tool := handoff.AbandonedOf(call, err); tool == nil || !d.writesUntil(tool, hash, resources) {
		d.counters.Add(hash, resources, reuse.End)
	}
}

func (d *policy) writesUntil(tool *handoff.Abandoned, hash uint64, resources []string) bool {
	return tool.OnEnd(func() { d.counters.Add(hash, resources, reuse.End) })
}

// key fills in the call's key; if it must have no duplicates, it returns why.
func (d *policy) key(k *key, call toolkit.Call, tool *toolkit.Definition) (why string) {
	if why = d.scope.Fill(&k.Key, &call, tool); why != "" {
		return why
	}
	k.batch, k.ownerHash = call.Record.Session().Batch, reuse.OwnerHash(k.Owner)
	k.reachHash = k.ownerHash
	if k.Reach != k.Owner {
		k.reachHash = reuse.OwnerHash(k.Reach)
	}
	if !d.collide {
		k.hash = k.Hash(k.ownerHash)
	}
	return ""
}

// serve answers a call that may have duplicates.
func (d *policy) serve(ctx context.Context, call toolkit.Call, k *key, tool *toolkit.Definition, writes bool,
	inner handoff.Answerer, next toolkit.Handler) (toolkit.Result, error) {
	stays := ctx.Done() == nil // asked without the lock: a context may be the application's own type
	s := d.table.shard(k.hash)
	s.mu.Lock()
	e := d.duplicate(s, k)
	if e == nil && inner != nil {
		s.mu.Unlock()
		if res, ok := inner.Answer(call); ok {
			return res, nil
		}
		s.mu.Lock()
		e = d.duplicate(s, k) // which came meanwhile
	}
	if e == nil {
		return d.lead(ctx, stays, call, s, k, tool, writes, next)
	}
	if !e.running {
		res, origin, age := e.res, e.origin, time.Since(e.finished)
		s.mu.Unlock()
		d.counts.repeated.Add(1)
		call.Record.Note(func(served *toolkit.Disposition) {
			served.Outcome, served.Origin, served.Age = toolkit.OutcomeRepeated, origin, max(0, age)
		})
		return res.Clone(), nil
	}
	if inside(ctx) {
		s.mu.Unlock()
		return d.alone(ctx, call, tool, writes, next)
	}
	e.waiters++
	e.joined = true
	if e.done == nil {
		e.done = make(chan struct{})
	}
	s.mu.Unlock()
	return d.follow(ctx, call, s, e, tool, writes, next)
}

// duplicate finds the entry that answers the key; nil if none does. The caller holds the lock of s.
func (d *policy) duplicate(s *shard, k *key) *entry {
	e := s.find(k)
	if e == nil {
		return nil
	}
	stamp := d.counters.Stamp(k.reachHash, k.Resources)
	switch {
	case e.running:
		if e.given || stamp != e.during {
			return nil
		}
	case stamp != e.after:
		s.remove(e) // a write made it stale
		return nil
	case k.batch != "" && k.batch == e.batch:
	case e.res.Fault != nil || d.options.History <= 0 || time.Since(e.finished) > d.options.History:
		return nil
	default:
		s.touch(e)
	}
	return e
}

type counts struct {
	led       atomic.Uint64 // runs that duplicates could have waited for
	flights   atomic.Uint64 // of led, runs that other processes could have waited for
	coalesced atomic.Uint64 // calls answered by a duplicate that was running
	repeated  atomic.Uint64 // calls answered by a duplicate that had finished
	left      atomic.Uint64 // callers that gave up while others waited on
	unkeyed   reuse.Unkeyed
}

// Figures reports the counts since the policy was made, and how many finished calls are remembered.
func (d *policy) Figures(report func(name string, value float64)) {
	n := &d.counts
	report("led", float64(n.led.Load()))
	report("coalesced", float64(n.coalesced.Load()))
	report("repeated", float64(n.repeated.Load()))
	report("left", float64(n.left.Load()))
	n.unkeyed.Figures(report)
	report("answers", float64(d.table.finished()))
	if d.options.Flights != nil {
		report("flights", float64(n.flights.Load()))
		d.fleet.health.Figures(report)
	}
}

// Problems are what the health report says while shared flights do not answer.
func (d *policy) Problems() []string { return d.fleet.health.Problems(d.options.Flights) }

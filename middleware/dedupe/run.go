// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/toolscope/toolscope/internal/arrival"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// lead runs a call that has no duplicate yet and waits for it; stays is whether its caller cannot
// give up. The caller holds the lock of s, which lead gives back.
func (d *policy) lead(ctx context.Context, stays bool, call toolkit.Call, s *shard, k *key, tool *toolkit.Definition,
	writes bool, next toolkit.Handler) (toolkit.Result, error) {
	stamp := d.counters.Stamp(k.reachHash, k.Resources)
	if reuse.Writing(stamp) { // what it reads may be half written: no other call may have it
		s.mu.Unlock()
		return d.alone(ctx, call, tool, writes, next)
	}
	e := entries.Get().(*entry)
	e.key, e.running, e.during, e.after, e.waiters, e.origin = *k, true, stamp, stamp, 1, call.Record.Info().Span
	if writes {
		e.during = reuse.Own(stamp, k.Reach, k.Resources, reuse.Begin)
		e.after = reuse.Own(e.during, k.Reach, k.Resources, reuse.End)
		d.counters.Add(k.reachHash, k.Resources, reuse.Begin)
	}
	d.counts.led.Add(1)
	e.shared = d.options.Flights != nil && !inside(ctx)
	if stays {
		d.leadHere(ctx, call, s, e, writes, next)
	} else if !d.leadApart(ctx, call, s, e, writes, next) {
		return toolkit.Result{}, gaveUp(ctx, call)
	}
	switch e.ending {
	case toolkit.EndingPanicked:
		panic(e.panicked.Value)
	case toolkit.EndingGoexit:
		runtime.Goexit()
	}
	res, err := e.answer(ctx, call)
	e.release()
	return res, err
}

// leadHere runs the call of a caller that cannot give up, in its own goroutine: it stays
// for those who wait. Its arguments last as long as the run.
func (d *policy) leadHere(ctx context.Context, call toolkit.Call, s *shard, e *entry, writes bool, next toolkit.Handler) {
	s.insert(e)
	s.mu.Unlock()
	d.run(here{ctx}, call, s, e, writes, next)
}

// leadApart runs the call in a goroutine of its own, which the caller can leave while others
// wait (false).
func (d *policy) leadApart(ctx context.Context, call toolkit.Call, s *shard, e *entry, writes bool, next toolkit.Handler) bool {
	f := &flight{call: call.Fork(), d: d, s: s, e: e, writes: writes, next: next}
	if kept, ok := f.call.Record.Identity(f.call); ok {
		e.Arguments = kept // by the fork
	}
	e.Arguments = e.Arguments.Keep()
	e.done = make(chan struct{})
	f.ctx.Context = context.WithoutCancel(ctx)
	e.run = &f.ctx
	s.insert(e)
	s.mu.Unlock()
	go f.run()
	if !d.wait(ctx, s, e) {
		return false
	}
	call.Record.Join(f.call.Record)
	return true
}

// A flight is a run in a goroutine of its own.
type flight struct {
	ctx    apart
	call   toolkit.Call // a fork of the caller's
	d      *policy
	s      *shard
	e      *entry
	writes bool
	next   toolkit.Handler
}

func (f *flight) run() {
	room(0)
	defer f.ctx.cancel(nil)
	f.d.run(&f.ctx, f.call, f.s, f.e, f.writes, f.next)
}

// run runs the tool and ends the entry, however the tool ends.
func (d *policy) run(ctx context.Context, call toolkit.Call, s *shard, e *entry, writes bool, next toolkit.Handler) {
	e.ending = toolkit.EndingGoexit
	defer func() {
		if e.ending == toolkit.EndingGoexit {
			if v := recover(); v != nil {
				e.ending, e.panicked = toolkit.EndingPanicked, call.Record.PanicError(v)
			}
		}
		d.finish(ctx, call, s, e, writes)
	}()
	if e.shared {
		e.res, e.err = d.fly(ctx, call, e, writes, next)
	} else {
		e.res, e.err = next(ctx, call)
	}
	e.ending = toolkit.EndingReturned
}

// finish ends the entry: it is remembered, if it may be, and those who wait go on.
func (d *policy) finish(ctx context.Context, call toolkit.Call, s *shard, e *entry, writes bool) {
	if writes {
		d.written(call, e.reachHash, e.Resources, e.err)
	}
	keep := d.keeps(ctx, call.Record, e)
	var kept *identity.Arguments
	if keep {
		e.finished = time.Now()
		kept = e.Arguments.Keep() // they outlast the call
	}
	s.mu.Lock()
	e.running = false
	switch {
	case !e.linked: // another took its place
	case keep && !e.given:
		e.Arguments = kept
		s.remember(e)
	default:
		s.remove(e)
	}
	e.free = !e.linked && !e.joined
	done := e.done
	s.mu.Unlock()
	if done != nil {
		close(done)
	}
}

// keeps reports whether the answer may be given to duplicates that come later: not what was
// refused, cancelled or cannot be shared, nor what a cache has anyway. A tool's own failure is
// kept for its batch only.
func (d *policy) keeps(ctx context.Context, record toolkit.Record, e *entry) bool {
	if e.batch == "" && d.options.History <= 0 {
		return false
	}
	if e.ending != toolkit.EndingReturned || e.err != nil || ctx.Err() != nil || !e.res.Shareable() {
		return false
	}
	var outcome toolkit.Outcome
	record.Note(func(served *toolkit.Disposition) { outcome = served.Outcome })
	if outcome != toolkit.OutcomeExecuted {
		return false
	}
	if e.res.Fault != nil {
		return e.batch != "" && toolkit.TypeOf(e.res.Fault) == string(toolkit.ErrTool)
	}
	return true
}

// follow waits for a duplicate that runs. The caller is among its waiters.
func (d *policy) follow(ctx context.Context, call toolkit.Call, s *shard, e *entry, tool *toolkit.Definition,
	writes bool, next toolkit.Handler) (toolkit.Result, error) {
	began := time.Now()
	arrival.Pass(ctx)
	if !d.wait(ctx, s, e) {
		call.Record.Note(func(served *toolkit.Disposition) { served.Outcome, served.Origin = toolkit.OutcomeRefused, e.origin })
		return toolkit.Result{}, gaveUp(ctx, call)
	}
	if !e.res.Shareable() {
		waited := time.Since(began)
		call.Record.Note(func(served *toolkit.Disposition) { served.Queue += waited })
		return d.alone(ctx, call, tool, writes, next)
	}
	d.counts.coalesced.Add(1)
	call.Record.Note(func(served *toolkit.Disposition) { served.Outcome, served.Origin = toolkit.OutcomeCoalesced, e.origin })
	switch e.ending {
	case toolkit.EndingPanicked:
		return toolkit.Failure(e.panicked), nil
	case toolkit.EndingGoexit:
		return toolkit.Failure(&toolkit.Error{Kind: toolkit.ErrTool, Tool: call.Name, Message: "the tool ended its goroutine"}), nil
	}
	return e.answer(ctx, call)
}

// wait waits until the run has ended. If the caller's own context ends before, it leaves
// (false) while others wait; the last one cancels the run and stays.
func (d *policy) wait(ctx context.Context, s *shard, e *entry) bool {
	select {
	case <-e.done:
		return true
	case <-ctx.Done():
	}
	s.mu.Lock()
	if !e.running {
		s.mu.Unlock()
		<-e.done
		return true
	}
	e.waiters--
	last := e.waiters == 0
	e.given = e.given || last
	s.mu.Unlock()
	if !last {
		d.counts.left.Add(1)
		return false
	}
	e.run.cancel(context.Cause(ctx))
	<-e.done
	return true
}

// answer is a caller's own copy of what the run returned. To the run a caller's deadline
// was a cancellation: the caller receives a timeout, as it would have been alone.
func (e *entry) answer(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	res, err := e.res.Clone(), e.err
	if e.given && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		res.Fault, err = timedOut(res.Fault, call), timedOut(err, call)
	}
	return res, err
}

// timedOut is err as a timeout if it says that the run was cancelled. Its own methods may panic: then
// it does not say.
func timedOut(err error, call toolkit.Call) (told error) {
	defer func() {
		if recover() != nil {
			told = err
		}
	}()
	if err == nil || !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: call.Name, Cause: err}
}

// gaveUp is the error of a caller that left.
func gaveUp(ctx context.Context, call toolkit.Call) error {
	kind := toolkit.ErrCanceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind = toolkit.ErrTimeout
	}
	return &toolkit.Error{Kind: kind, Tool: call.Name,
		Message: "gave up waiting for the call, which goes on for identical calls", Cause: context.Cause(ctx)}
}

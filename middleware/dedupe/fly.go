// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/middleware/internal/shared"
	"github.com/toolscope/toolscope/toolkit"
)

// graceTime is for how long the answer of a flight is kept for those that wait for it, if it is not kept longer.
const graceTime = 10 * time.Second

// How often those that wait look.
const (
	firstLook = 2 * time.Millisecond
	lastLook  = 20 * time.Millisecond
)

// fleet is what a policy that shares its flights has.
type fleet struct {
	health shared.Health
	lost   atomic.Int64 // until when no answer is shared, as a write was not counted: nanoseconds since 1970
}

// away records that the flights did not answer.
func (d *policy) away(call toolkit.Call, err error) {
	d.fleet.health.Failed(err)
	call.Record.Tag("dedupe.store", "away")
}

// flying is a call whose run processes share.
type flying struct {
	d      *policy
	call   toolkit.Call
	key    FlightKey
	e      *entry
	writes bool
	next   toolkit.Handler
	token  string
}

// fly runs a call that leads in this process, unless another process leads or has an answer.
func (d *policy) fly(ctx context.Context, call toolkit.Call, e *entry, writes bool, next toolkit.Handler,
) (toolkit.Result, error) {
	counters := e.Counters()
	slices.Sort(counters)
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	f := &flying{d: d, call: call, key: FlightKey{e.Digest(), slices.Compact(counters)}, e: e, writes: writes, next: next,
		token: hex.EncodeToString(random[:])}
	if time.Now().UnixNano() < d.fleet.lost.Load() {
		return f.alone(ctx)
	}
	anew, waited, look := d.options.History <= 0, false, firstLook
	for {
		j, err := d.options.Flights.Join(ctx, f.key, f.token, d.options.Lease, anew)
		if err != nil {
			if ctx.Err() != nil {
				return toolkit.Result{}, f.canceled(ctx)
			}
			d.away(call, err)
			return f.alone(ctx)
		}
		d.fleet.health.Answered()
		switch {
		case j.Leads:
			return f.lead(ctx, j)
		case j.Answer != nil:
			if res, ok := f.accept(j, waited); ok {
				return res, nil
			}
			anew = true
			continue
		}
		anew, waited = false, true
		timer := time.NewTimer(look)
		look = min(2*look, lastLook)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return toolkit.Result{}, f.canceled(ctx)
		}
	}
}

func (f *flying) canceled(ctx context.Context) error {
	return &toolkit.Error{Kind: toolkit.ErrCanceled, Tool: f.call.Name, Cause: context.Cause(ctx),
		Message: "gave up waiting for the same call of another process"}
}

// accept gives another process's answer, if it is right: no write has begun since its tool ran. Who has not waited
// gets only what History keeps.
func (f *flying) accept(j Joined, waited bool) (toolkit.Result, bool) {
	var a reuse.Answer
	if a.Decode(j.Answer) != nil || a.Stamp != j.Stamp || reuse.Writing(j.Stamp) {
		return toolkit.Result{}, false
	}
	age := max(0, time.Since(a.Stored))
	if !waited && (a.Result.Fault != nil || age > f.d.options.History) {
		return toolkit.Result{}, false
	}
	outcome := toolkit.OutcomeRepeated
	if waited {
		outcome = toolkit.OutcomeCoalesced
		f.d.counts.coalesced.Add(1)
	} else {
		f.d.counts.repeated.Add(1)
	}
	f.call.Record.Note(func(s *toolkit.Disposition) {
		s.Outcome, s.Origin = outcome, a.Origin
		if !waited {
			s.Age = age
		}
	})
	return a.Result, true
}

// alone runs the call for this process only.
func (f *flying) alone(ctx context.Context) (toolkit.Result, error) {
	if !f.writes {
		return f.next(ctx, f.call)
	}
	return f.d.writeShared(ctx, f.call, f.e.Reach, f.e.Resources, f.next)
}

// lead runs the call for all processes. Its lease is renewed while it runs, and given up however it ends.
func (f *flying) lead(ctx context.Context, j Joined) (res toolkit.Result, err error) {
	f.d.counts.flights.Add(1)
	var answer []byte
	keep := graceTime
	renewal := f.renewing(ctx)
	defer func() {
		renewal.stop()
		held, failed := f.d.options.Flights.Finish(context.WithoutCancel(ctx), f.key, f.token, answer, keep)
		switch {
		case failed != nil:
			f.d.away(f.call, failed)
		case !held || renewal.lost.Load():
			f.call.Record.Tag("dedupe", "lease_lost")
		}
	}()
	res, err = f.alone(context.WithValue(ctx, fenceKey{}, j.Fence))
	stamp := j.Stamp
	if f.writes {
		stamp = reuse.Own(stamp, f.e.Reach, f.e.Resources, reuse.Begin+reuse.End)
	}
	if reuse.Writing(j.Stamp) || !f.keeps(ctx, res, err) {
		return res, err
	}
	a := reuse.Answer{Result: res, Stamp: stamp, Stored: time.Now(), Origin: f.call.Record.Info().Span}
	if answer, _ = a.Encode(); res.Fault == nil {
		keep = max(keep, f.d.options.History)
	}
	return res, err
}

// keeps reports whether other processes may have the answer: what the tool answered, its own failures included.
func (f *flying) keeps(ctx context.Context, res toolkit.Result, err error) bool {
	if err != nil || ctx.Err() != nil || !res.Shareable() ||
		res.Fault != nil && toolkit.TypeOf(res.Fault) != string(toolkit.ErrTool) {
		return false
	}
	outcome := toolkit.OutcomeExecuted
	f.call.Record.Note(func(s *toolkit.Disposition) { outcome = s.Outcome })
	return outcome == toolkit.OutcomeExecuted
}

// renewal extends the lease of a tool that runs for long.
type renewal struct {
	cancel context.CancelFunc
	timer  *time.Timer
	lost   atomic.Bool
}

func (f *flying) renewing(ctx context.Context) *renewal {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &renewal{cancel: cancel}
	every := f.d.options.Lease / 3
	ready := make(chan struct{})
	r.timer = time.AfterFunc(every, func() {
		<-ready
		held, err := f.d.options.Flights.Renew(ctx, f.key, f.token, f.d.options.Lease)
		if err == nil && !held && ctx.Err() == nil {
			r.lost.Store(true)
			return
		}
		if ctx.Err() == nil {
			r.timer.Reset(every)
		}
	})
	close(ready)
	return r
}

func (r *renewal) stop() {
	r.cancel()
	r.timer.Stop()
}

// writeShared runs a call that may write, and lets other processes know.
func (d *policy) writeShared(ctx context.Context, call toolkit.Call, writer middleware.Owner, resources []string,
	next toolkit.Handler) (res toolkit.Result, err error) {
	counters := reuse.WriteCounters(writer, resources)
	slices.Sort(counters)
	counters = slices.Compact(counters)
	late := context.WithoutCancel(ctx)
	add := func(n uint64) bool {
		failed := d.options.Flights.AddWrites(late, counters, n)
		if failed != nil {
			d.away(call, failed)
			d.fleet.lost.Store(time.Now().Add(max(d.options.History, graceTime)).UnixNano())
		}
		return failed == nil
	}
	begun := add(reuse.Begin)
	end := func() {
		if begun {
			add(reuse.End)
		} else {
			add(reuse.Begin + reuse.End)
		}
	}
	defer func() {
		if tool := handoff.AbandonedOf(call, err); tool == nil || !tool.OnEnd(end) {
			end()
		}
	}()
	return next(ctx, call)
}

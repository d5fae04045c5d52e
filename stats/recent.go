// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"encoding/hex"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/stats/internal/steady"
	"github.com/toolscope/toolscope/toolkit"
)

// recentRing holds the calls that ended last. A place is owned, for as long as it
// takes to copy one call, by who sets busy; a writer that finds a place owned takes
// the next one, and never waits.
type recentRing struct {
	places  []recentPlace
	dropped atomic.Uint64
	_       [64]byte      // what each call writes has a cache line of its own
	last    atomic.Uint64 // the ID of the latest call
	_       [64]byte
}

type recentPlace struct {
	busy atomic.Bool
	call recentCall
}

// recentCall is a [RecentCall] as it is stored, before a reader asks for it. What a usual call has, one that its
// tool answered at once and well, stands first: two cache lines, and no more, are written for it.
type recentCall struct {
	id        uint64
	ended     int64
	duration  time.Duration
	run       time.Duration
	tool      *tool
	session   *session
	bytesIn   int
	bytesOut  int
	turn      int
	span      toolkit.SpanRef
	suspended bool
	unusual   bool // more is set
	more      recentMore
}

// recentMore is what few calls have.
type recentMore struct {
	served  toolkit.Disposition // without Tags, which are the call's
	ending  toolkit.Ending
	failure failure
	tags    callTags
}

func (r *recentRing) init(max int) { r.places = make([]recentPlace, max) }

// maxTries is how many places a writer tries before it gives up.
const maxTries = 4

// addCall keeps a call and returns its ID.
func (r *recentRing) addCall(e *toolkit.Ended, now int64, t *tool, s *session, f failure, tags callTags) uint64 {
	id := r.last.Add(1)
	for try := range uint64(min(maxTries, len(r.places))) {
		p := &r.places[(id+try)%uint64(len(r.places))]
		if !p.busy.CompareAndSwap(false, true) {
			continue
		}
		p.call.set(id, e, now, t, s, f, tags)
		p.busy.Store(false)
		return id
	}
	if len(r.places) > 0 {
		r.dropped.Add(1)
	}
	return id
}

// set makes c the call of e, which ended at now. The caller owns the place.
func (c *recentCall) set(id uint64, e *toolkit.Ended, now int64, t *tool, s *session, f failure, tags callTags) {
	c.id, c.ended, c.duration, c.run = id, now, e.Duration(), e.Disposition.Run
	c.tool, c.session, c.span = t, s, e.Info.Span
	c.bytesIn, c.bytesOut = e.ArgumentsBytes, e.ResultBytes
	c.turn, c.suspended = 0, e.Result.Suspended
	if e.Info.Session != nil {
		c.turn = e.Info.Session.Turn
	}
	before := c.unusual
	if c.unusual = unusual(e); c.unusual {
		c.more = recentMore{e.Disposition, e.Ending, f, tags}
		c.more.served.Tags = nil
	} else if before {
		c.more = recentMore{} // another call's, which must not stay in memory
	}
}

// unusual reports whether a call has more than how long it ran.
func unusual(e *toolkit.Ended) bool {
	s := &e.Disposition
	return e.ErrorType != "" || e.Ending != toolkit.EndingReturned || len(s.Tags) > 0 ||
		s.Outcome != toolkit.OutcomeExecuted || s.Attempts|s.Refused|s.Repeat != 0 ||
		s.Age|s.Queue|s.Approval|s.Backoff != 0 || s.Origin != toolkit.SpanRef{}
}

// all returns copies of the calls held, the latest first.
func (r *recentRing) all() []recentCall {
	all := make([]recentCall, 0, len(r.places))
	for i := range r.places {
		if c := r.places[i].read(); c.id > 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b recentCall) int { return cmp.Compare(b.id, a.id) })
	return all
}

// read returns a copy of the call held.
func (p *recentPlace) read() recentCall {
	for !p.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	defer p.busy.Store(false)
	return p.call
}

// removeIf empties the place if its call matches; it reports whether it did.
func (p *recentPlace) removeIf(match func(*recentCall) bool) bool {
	for !p.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	defer p.busy.Store(false)
	if p.call.id == 0 || !match(&p.call) {
		return false
	}
	p.call = recentCall{}
	return true
}

func (c *recentCall) export(policies *policySet, by *steady.Clock) RecentCall {
	s, m := &c.more.served, &c.more
	x := RecentCall{
		ID: c.id, Time: by.Wall(c.ended - int64(c.duration)), Tool: c.tool.name,
		Outcome: s.Outcome.String(), Ending: m.ending.String(),
		ErrorType: m.failure.kind, Error: m.failure.text, ErrorGroup: errorgroups.IDText(m.failure.group), Suspended: c.suspended,
		DurationMs: ms(c.duration), RunMs: ms(c.run), QueueMs: ms(s.Queue),
		ApprovalMs: ms(s.Approval), BackoffMs: ms(s.Backoff), AgeMs: ms(s.Age),
		Attempts: s.Attempts, Repeat: s.Repeat, BytesIn: c.bytesIn, BytesOut: c.bytesOut, Turn: c.turn,
	}
	x.Policies = m.tags.tags(policies)
	if c.session != nil {
		x.Session, x.Agent = c.session.name, c.session.agent
	}
	if c.span.IsValid() {
		x.TraceID, x.SpanID, x.Sampled = hex.EncodeToString(c.span.TraceID[:]), hex.EncodeToString(c.span.SpanID[:]), c.span.Sampled
	}
	if o := s.Origin; o.IsValid() {
		x.OriginTraceID, x.OriginSpanID = hex.EncodeToString(o.TraceID[:]), hex.EncodeToString(o.SpanID[:])
	}
	return x
}

// recentSize is what a place of the ring holds at most.
const recentSize = 352 + errorgroups.MaxText + sessionSize + maxCallTags*(32+2*maxPolicyText)

// matches reports whether a call is selected, but for the limit.
func (f *Filter) matches(c *RecentCall) bool {
	return (f.Tool == "" || f.Tool == c.Tool) &&
		(f.Outcome == "" || f.Outcome == c.Outcome) &&
		(f.ErrorType == "" || f.ErrorType == c.ErrorType) &&
		(f.ErrorGroup == "" || strings.EqualFold(f.ErrorGroup, c.ErrorGroup)) &&
		(f.Session == "" || f.Session == c.Session) &&
		(f.Policy == "" || slices.ContainsFunc(c.Policies, f.selectsTag)) &&
		(!f.ErrorsOnly || c.ErrorType != "") &&
		c.DurationMs >= ms(f.MinDuration) &&
		(f.Before == 0 || c.ID < f.Before) && c.ID > f.After
}

// selectsTag reports whether a fact is the one selected: by its key, or as key=value.
func (f *Filter) selectsTag(tag PolicyTag) bool {
	return f.Policy == tag.Key || f.Policy == tag.Key+"="+tag.Value
}

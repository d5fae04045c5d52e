// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/internal/superseded"
	"github.com/toolscope/toolscope/internal/uncounted"
	"github.com/toolscope/toolscope/stats/internal/journal"
	"github.com/toolscope/toolscope/stats/internal/steady"
	"github.com/toolscope/toolscope/toolkit"
)

// A Recorder counts and times every call that it observes. Make one with [New]. It is
// safe for concurrent use. A call takes no lock and allocates nothing, but for what
// is seen for the first time, for errors, for repeated calls, and for sampled calls
// that become exemplars; readers hold those locks for as long as it takes to copy.
type Recorder struct {
	config   config
	clock    steady.Clock
	tools    toolTable
	errors   *errorgroups.Table
	sessions sessionTable
	loops    loopTable
	recent   recentRing
	policies policyTable

	registered registeredTools
	slower     slower

	started int64        // by clock, as are all times here that are numbers
	due     atomic.Int64 // when the open interval ends
	armed   atomic.Bool  // whether the timer will seal it
	idle    atomic.Bool  // whether the next call must start the timer

	sealing sync.Mutex // held by who seals, and by who copies the open interval
	opened  int64      // when the open interval began
	history history
	timer   *time.Timer // nil with a clock of the application's
	closed  bool
	added   []ToolSnapshot // of origins, in the open interval

	journal *journal.Journal // nil without persistence
}

var _ toolkit.Observer = (*Recorder)(nil)

// New makes a recorder. An error names the field that is wrong, what it got and
// what it wants, or why the directory cannot be read.
func New(o Options) (*Recorder, error) {
	c, err := newConfig(o)
	if err != nil {
		return nil, err
	}
	return newFromConfig(c)
}

func newFromConfig(c config) (r *Recorder, err error) {
	r = &Recorder{config: c, errors: errorgroups.New(c.MaxErrorGroups)}
	r.clock.Start(c.now)
	r.started = r.clock.Read()
	r.opened = r.started
	r.tools.init(c.Digits, c.MaxTools)
	r.tools.names = c.names
	r.sessions.init(c.MaxSessions)
	r.loops.init(c.MaxLoops)
	r.recent.init(c.MaxRecent)
	r.history.init(r.started, c.Retention, c.MaxIntervalBytes)
	if c.Directory != "" {
		if err = r.openJournal(&c); err != nil {
			return nil, err
		}
	}
	r.due.Store(nextBoundary(r.started))
	if c.Clock == nil {
		r.armed.Store(true)
		r.sealing.Lock() // the timer may fire before it is here
		r.timer = time.AfterFunc(time.Duration(r.due.Load()-r.started), r.tick)
		r.sealing.Unlock()
	}
	return r, nil
}

// Begin counts the call as running.
func (r *Recorder) Begin(ctx context.Context, _ toolkit.Call, f *toolkit.CallInfo) context.Context {
	r.tools.forDefinition(f.Tool).begin()
	return uncounted.Begin(ctx)
}

// Wants is false: the recorder never looks at content.
func (r *Recorder) Wants(context.Context) bool { return false }

// End counts the call, unless package uncounted leaves it out. A call that was cancelled because another one answered
// first is no error.
func (r *Recorder) End(ctx context.Context, e *toolkit.Ended) {
	if uncounted.Skips(ctx, e) {
		r.tools.forDefinition(e.Info.Tool).inFlight.Add(-1)
		return
	}
	if superseded.Was(ctx, e.ErrorType) {
		needless := *e
		needless.ErrorType, needless.Err, needless.ResultBytes = "", nil, -1
		e = &needless
	}
	now := r.clock.At(e.End)
	if now >= r.due.Load() || r.idle.Load() {
		r.overdue(now)
	}
	t, cost := r.tools.forDefinition(e.Info.Tool), e.Cost()
	var tags callTags
	if len(e.Disposition.Tags) > 0 {
		tags = r.policies.tagsOf(e.Disposition.Tags, r.config.keys.Export, r.config.redact)
		t.countTags(tags)
	}
	t.end(e, now, cost)
	s := r.sessions.find(e.Info.Session, now, r.config.redact)
	s.end(e, now, cost)
	if e.Disposition.Repeat > 0 || e.ErrorType == string(toolkit.ErrLoopDetected) {
		r.loops.note(e, t, s, now)
	}
	var failure failure
	if e.ErrorType != "" {
		failure = r.countFailure(e, t, now)
	}
	id := r.recent.addCall(e, now, t, s, failure, tags)
	if e.ErrorType != "" {
		r.keepExample(id, e, now, t, s, failure, tags)
	}
}

// AddContent counts secrets removed from, and texts cut in, the content of calls
// of a tool. The caller is what redacts content; tool is nil if it is not registered.
// Numbers below 1 are ignored.
func (r *Recorder) AddContent(tool *toolkit.Definition, redactions, truncations int) {
	t := r.tools.forDefinition(tool)
	counters := &t.sum().counters
	atomic.AddUint64(&counters.Redactions, uint64(max(0, redactions)))
	atomic.AddUint64(&counters.Truncations, uint64(max(0, truncations)))
	t.seen(t.lastSeen.Load())
}

// Close seals the open interval, writes what is to be kept, and stops the timer.
// Calls that end later are still counted. It may be called more than once; it
// returns the first error of writing, or ctx's if writing takes longer.
func (r *Recorder) Close(ctx context.Context) error {
	r.sealing.Lock()
	if !r.closed {
		r.closed = true
		if r.timer != nil {
			r.timer.Stop()
			r.armed.Store(false)
			r.idle.Store(false)
		}
		now := r.clock.Read()
		r.seal(now)
		r.put(r.opened, max(now, r.opened+1))
		r.opened = now
	}
	r.sealing.Unlock()
	return r.journal.Close(ctx)
}

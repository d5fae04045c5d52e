// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
)

// Sealing takes the counters' contents out and puts them into the history as an
// interval. While there are calls a timer does it; the first call after a quiet
// time does it itself, when there is nothing to take out; and so does a reader who
// comes first. Who finds another sealing goes on with its own work. Times are the clock's, which
// never goes back.

// timerGrace is how long after its time a seal is left to the timer.
const timerGrace = int64(time.Second)

// tick is the timer's function.
func (r *Recorder) tick() {
	r.sealing.Lock()
	defer r.sealing.Unlock()
	r.armed.Store(false)
	if !r.closed {
		r.seal(r.clock.Read())
	}
}

// overdue is called by a call that ended at ended, after the open interval or as the first one
// after a quiet time. Only with a clock of the application's is ended taken for the time now.
func (r *Recorder) overdue(ended int64) {
	if r.armed.Load() && ended < r.due.Load()+timerGrace || !r.sealing.TryLock() {
		return
	}
	defer r.sealing.Unlock()
	now := r.clock.Read()
	if r.config.Clock != nil {
		now = r.clock.Raise(ended)
	}
	r.seal(now)
	r.arm(now, true) // the call is counted next
}

// seal ends the open interval if its time is over at now. The caller holds the
// sealing lock.
func (r *Recorder) seal(now int64) {
	due := r.due.Load()
	if now < due {
		r.arm(now, true)
		return
	}
	counted := r.put(r.opened, due)
	r.expire()
	r.opened = nextBoundary(now) - fineWidth
	r.due.Store(nextBoundary(now))
	if floor(now, minuteWidth) > floor(r.history.compacted, minuteWidth) || r.history.bytes > r.history.max {
		r.history.compact(now, r.errors.Knows)
	}
	r.arm(now, counted)
}

// arm sets the timer to the end of the open interval, if that is worth while.
func (r *Recorder) arm(now int64, busy bool) {
	if r.timer == nil || r.closed {
		return
	}
	r.armed.Store(busy)
	r.idle.Store(!busy)
	if busy {
		r.timer.Reset(time.Duration(r.due.Load() - now))
	}
}

// put takes out what was counted and makes it the interval from start to end; it
// reports false if nothing was.
func (r *Recorder) put(start, end int64) bool {
	tools, errors := r.takeOpen(true)
	if len(tools) == 0 {
		return false
	}
	s := sealed{start: start, end: end, tools: appendTools(nil, tools), errors: errors}
	r.history.insert(s)
	r.keep(&s)
	return true
}

// takeOpen is what was counted in the open interval. With reset it is taken out, and
// tools without calls are left out; else it is copied, with tools whose calls are
// still running.
func (r *Recorder) takeOpen(reset bool) ([]ToolSnapshot, []errorgroups.Count) {
	// The errors first: a tool is in the table before its errors are counted. So each of them belongs to a tool of
	// the list that is read after them.
	errors, types := r.errors.TakeOpen(reset)
	all := r.tools.all()
	tools := make([]ToolSnapshot, 0, len(all))
	for _, t := range all {
		s, counted := t.takeCounts(reset)
		if counted {
			s.Policies = t.policies.Load().takeCounts(&r.policies, reset)
		}
		s.ErrorTypes = sortedTypes(types[t.name])
		if counted || s.ErrorTypes != nil || !reset && (s.InFlight > 0 || s.Streak > 0) {
			tools = append(tools, s)
		}
	}
	if r.added == nil {
		return tools, errors
	}
	tools = mergeTools([][]ToolSnapshot{r.added, tools}, false)
	if reset {
		r.added = nil
		return tools, errors
	}
	for i := range tools {
		tools[i].Exemplars = slices.Clone(tools[i].Exemplars) // the caller's
	}
	return tools, errors
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"github.com/toolscope/toolscope/toolkit"
)

// Forget removes what is kept of a session by its name: its recent calls, its entry among the
// sessions, and its loops. It returns how many recent calls that were. The session is identified by ID and
// tenant as its calls gave them; one without an ID is known by its conversation. Recent calls include
// the example call of each error group. Histograms and error groups hold no sessions and stay as they
// are; the example text of an error group is redacted and cannot be tied to one. A call that ends meanwhile may be
// kept.
func (r *Recorder) Forget(s toolkit.Session) int {
	key, id := r.sessions.key(&s)
	if id == "" {
		return 0
	}
	r.sessions.remove(func(known *session) bool { return known.key == key })
	r.loops.remove(func(k loopKey, _ *loop) bool { return k.session.key == key })
	return r.removeCalls(func(c *recentCall) bool { return c.session != nil && c.session.key == key })
}

// expire removes what is older than [Options].RecentAge allows.
func (r *Recorder) expire() {
	if r.config.RecentAge == 0 {
		return
	}
	before := r.clock.Read() - int64(r.config.RecentAge)
	r.removeCalls(func(c *recentCall) bool { return c.ended < before })
	r.sessions.remove(func(s *session) bool { return s.calls.Load() > 0 && s.last.Load() < before })
	r.loops.remove(func(_ loopKey, l *loop) bool { return l.last < before })
}

// removeCalls removes the calls that match, from the ring and from the examples of error groups, and
// returns how many that were.
func (r *Recorder) removeCalls(match func(*recentCall) bool) int {
	removed := make(map[uint64]bool)
	note := func(c *recentCall) bool {
		if match(c) {
			removed[c.id] = true
			return true
		}
		return false
	}
	for i := range r.recent.places {
		r.recent.places[i].removeIf(note)
	}
	for _, p := range r.errorExamples() {
		p.removeIf(note)
	}
	return len(removed)
}

// remove takes sessions out of the table.
func (t *sessionTable) remove(match func(*session) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.places {
		for j := range t.places[i] {
			if s := t.places[i][j].Load(); s != nil && match(s) {
				t.places[i][j].Store(nil)
			}
		}
	}
}

// remove takes loops out of the table.
func (t *loopTable) remove(match func(loopKey, *loop) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, l := range t.held {
		if match(k, l) {
			delete(t.held, k)
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats/internal/steady"
	"github.com/toolscope/toolscope/toolkit"
)

// sessionWays is how many sessions share a place of the table.
const sessionWays = 8

// maxNameText is the longest name of a session, tenant or agent kept, in bytes.
const maxNameText = 128

// sessionTable holds the sessions seen last: a hash table of fixed size, read
// without a lock, whose places hold eight sessions each; a new one takes the place
// of that among them which was seen the longest time ago. Sessions are distinguished by
// two 64-bit hashes of tenant and id, so that names of any length cost nothing.
type sessionTable struct {
	places  [][sessionWays]atomic.Pointer[session]
	seeds   [2]maphash.Seed
	evicted atomic.Uint64
	mu      sync.Mutex // held to put a session in
}

type session struct {
	key                 [2]uint64
	name, tenant, agent string // redacted
	first               int64

	last                     atomic.Int64
	calls, executed, refused atomic.Uint64
	errors, looped, turns    atomic.Uint64
	streak, worst            atomic.Uint64
	bytesIn, bytesOut        atomic.Uint64
	runNs, waitNs            atomic.Int64
	cost                     atomic.Uint64 // bits of a float64
}

func (t *sessionTable) init(max int) {
	if max > 0 {
		places := (max + sessionWays - 1) / sessionWays
		t.places = make([][sessionWays]atomic.Pointer[session], 1<<bits.Len(uint(places-1)))
	}
	t.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
}

// find returns the session, nil for a call without one.
func (t *sessionTable) find(s *toolkit.Session, now int64, redact func(string, int) string) *session {
	if s == nil || len(t.places) == 0 {
		return nil
	}
	key, id := t.key(s)
	if id == "" {
		return nil
	}
	place := &t.places[key[0]&uint64(len(t.places)-1)]
	for i := range place {
		if known := place[i].Load(); known != nil && known.key == key {
			return known
		}
	}
	return t.insert(place, &session{
		key: key, first: now,
		name: redact(id, maxNameText), tenant: redact(s.Tenant, maxNameText), agent: redact(s.Agent, maxNameText),
	})
}

// key identifies a session, and is zero if the id is "".
func (t *sessionTable) key(s *toolkit.Session) (key [2]uint64, id string) {
	if id = cmp.Or(s.ID, s.Conversation); id == "" {
		return key, ""
	}
	for i, seed := range t.seeds {
		key[i] = maphash.String(seed, id)
		if s.Tenant != "" {
			key[i] += bits.RotateLeft64(maphash.String(seed, s.Tenant), 31)
		}
	}
	return key, id
}

func (t *sessionTable) insert(place *[sessionWays]atomic.Pointer[session], s *session) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	oldest := 0
	for i := range place {
		known := place[i].Load()
		if known == nil {
			place[i].Store(s)
			return s
		}
		if known.key == s.key {
			return known
		}
		if known.last.Load() < place[oldest].Load().last.Load() {
			oldest = i
		}
	}
	t.evicted.Add(1)
	place[oldest].Store(s)
	return s
}

// end counts a call that ended at now. A nil session counts nothing.
func (s *session) end(e *toolkit.Ended, now int64, cost float64) {
	if s == nil {
		return
	}
	v := &e.Disposition
	s.calls.Add(1)
	if ran(v) {
		s.executed.Add(1)
		s.runNs.Add(histogram.Clamp(v.Run))
	} else if !v.Outcome.Answered() {
		s.refused.Add(1)
	}
	if cost > 0 {
		addFloat(&s.cost, cost)
	}
	if w := v.Waited(); w > 0 {
		s.waitNs.Add(int64(w))
	}
	s.bytesIn.Add(uint64(max(0, e.ArgumentsBytes)))
	s.bytesOut.Add(uint64(max(0, e.ResultBytes)))
	if e.ErrorType != "" {
		s.errors.Add(1)
		raise(&s.worst, s.streak.Add(1))
	} else if s.streak.Load() != 0 {
		s.streak.Store(0)
	}
	if v.Repeat > 0 {
		s.looped.Add(1)
	}
	if turn := e.Info.Session.Turn; turn > 0 {
		raise(&s.turns, uint64(turn))
	}
	if s.last.Load() < now {
		s.last.Store(now)
	}
}

func (s *session) export(by *steady.Clock) SessionStats {
	x := SessionStats{
		Session: s.name, Tenant: s.tenant, Agent: s.agent,
		FirstSeen: by.Wall(s.first), LastSeen: by.Wall(s.last.Load()),
		Calls: s.calls.Load(), Executed: s.executed.Load(), Refused: s.refused.Load(),
		Errors: s.errors.Load(), Looped: s.looped.Load(), Turns: s.turns.Load(),
		Streak: s.streak.Load(), WorstStreak: s.worst.Load(),
		RunMs: float64(s.runNs.Load()) / 1e6, WaitMs: float64(s.waitNs.Load()) / 1e6,
		BytesIn: s.bytesIn.Load(), BytesOut: s.bytesOut.Load(),
		Cost: math.Float64frombits(s.cost.Load()),
	}
	x.Answered = x.Calls - min(x.Calls, x.Executed+x.Refused)
	if x.Turns > 0 {
		x.CallsPerTurn = float64(x.Calls) / float64(x.Turns)
	}
	return x
}

// each calls f with the sessions that had calls, in no order.
func (t *sessionTable) each(f func(*session)) {
	for i := range t.places {
		for j := range t.places[i] {
			if s := t.places[i][j].Load(); s != nil && s.calls.Load() > 0 {
				f(s)
			}
		}
	}
}

func (t *sessionTable) len() (n int) {
	t.each(func(*session) { n++ })
	return n
}

// latest returns the n sessions seen last, at least one, the one seen last first. Of many, only those
// are put in order and looked at closely that may be among them.
func (t *sessionTable) latest(n int, by *steady.Clock) []SessionStats {
	type seen struct {
		*session
		last int64
	}
	var some []seen
	from := int64(math.MinInt64)
	sort := func() {
		slices.SortFunc(some, func(a, b seen) int { return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(a.name, b.name)) })
		some = some[:min(len(some), n)]
	}
	t.each(func(s *session) {
		last := s.last.Load()
		if last < from {
			return
		}
		if some = append(some, seen{s, last}); len(some)/2 > n {
			sort()
			from = some[n-1].last
		}
	})
	sort()
	all := make([]SessionStats, len(some))
	for i := range some {
		all[i] = some[i].export(by)
	}
	return all
}

// sessionSize is about what a session holds at most.
const sessionSize = 208 + 3*maxNameText

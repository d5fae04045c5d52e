// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"math"
	"slices"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/internal/messages"
)

// Recent returns the calls that ended last and match the filter, the latest first. They include an
// example call of each error group, whatever ended since.
func (r *Recorder) Recent(f Filter) []RecentCall {
	r.expire()
	out := []RecentCall{}
	calls := r.keptCalls()
	policies := r.policies.load() // by now it has what the calls have
	for _, c := range calls {
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		if x := c.export(policies, &r.clock); f.matches(&x) {
			out = append(out, x)
		}
	}
	return out
}

// Call finds a recent call by its ID; false if it is not held any more.
func (r *Recorder) Call(id uint64) (RecentCall, bool) {
	r.expire()
	for _, c := range r.keptCalls() {
		if c.id == id {
			return c.export(r.policies.load(), &r.clock), true
		}
	}
	return RecentCall{}, false
}

// LastID is the ID of the call that ended last; 0 if none has. It changes with every
// call, so it shows whether there is anything new.
func (r *Recorder) LastID() uint64 { return r.recent.last.Load() }

// Sessions returns the sessions held, the one seen last first: at most limit of them, or all if it is 0.
func (r *Recorder) Sessions(limit int) []SessionStats {
	r.expire()
	if limit == 0 {
		limit = math.MaxInt / 2
	}
	return r.sessions.latest(limit, &r.clock)
}

// Loops returns the calls that sessions made more than once, the most frequent
// first.
func (r *Recorder) Loops() []Loop {
	r.expire()
	return r.loops.all(&r.clock)
}

// maxHealthLoops is how many loops a [Health] has.
const maxHealthLoops = 20

// Health says why an agent is slow, stuck or expensive: loops and sessions are
// those held, streaks and time shares those of the window, and tools never used
// those without any call at all.
func (r *Recorder) Health(w Window) *Health {
	loops := r.Loops()
	h := &Health{
		EvictedSessions: r.sessions.evicted.Load(),
		Loops:           loops[:min(len(loops), maxHealthLoops)], Streaks: []Streak{}, TimeShare: []Share{},
	}
	var calls, counted, turns uint64
	cost := 0.0
	r.sessions.each(func(s *session) {
		made := s.calls.Load()
		h.Sessions, calls = h.Sessions+1, calls+made
		cost += math.Float64frombits(s.cost.Load())
		if n := s.turns.Load(); n > 0 {
			counted, turns = counted+made, turns+n
		}
	})
	if n := float64(h.Sessions); n > 0 {
		h.CallsPerSession, h.CostPerSession = float64(calls)/n, cost/n
	}
	h.CallsPerTurn = ratio(counted, turns)
	for _, t := range Summarise(r.Snapshot(w), nil).Tools {
		if t.WorstStreak > 1 {
			h.Streaks = append(h.Streaks, Streak{t.Tool, t.Streak, t.WorstStreak})
		}
		if t.TotalMs > 0 {
			h.TimeShare = append(h.TimeShare, Share{t.Tool, t.TotalMs, t.TimeShare})
		}
	}
	slices.SortStableFunc(h.Streaks, func(a, b Streak) int {
		return cmp.Or(cmp.Compare(b.Streak, a.Streak), cmp.Compare(b.Worst, a.Worst))
	})
	h.Unused = r.unused()
	return h
}

// unused are the registered tools without a call, sorted; nil if none were
// registered.
func (r *Recorder) unused() []string {
	registered, any := r.registeredNames()
	if !any {
		return nil
	}
	used := make(map[string]bool)
	for _, t := range r.Snapshot(Window{}).Tools {
		used[t.Tool] = true
	}
	out := []string{}
	for _, name := range registered {
		if !used[name] {
			out = append(out, name)
		}
	}
	return out
}

// Limits are the bounds of what the recorder keeps, and what it holds now.
func (r *Recorder) Limits() Limits {
	c := &r.config
	tools := r.tools.all()
	r.sealing.Lock()
	l := Limits{
		Tools: len(tools) - sharedTools, MaxTools: c.MaxTools,
		MaxErrorGroups: c.MaxErrorGroups, Sessions: r.sessions.len(), MaxSessions: len(r.sessions.places) * sessionWays,
		Loops: r.loops.len(), MaxLoops: c.MaxLoops, MaxRecent: c.MaxRecent,
		EvictedSessions: r.sessions.evicted.Load(), DroppedRecent: r.recent.dropped.Load(),
		Intervals: len(r.history.intervals), IntervalBytes: r.history.bytes, MaxIntervalBytes: c.MaxIntervalBytes,
		Bytes: r.history.bytes + r.history.archive.size(),
	}
	r.sealing.Unlock()
	for _, t := range tools {
		l.Bytes += int64(t.size())
	}
	var groupBytes int
	l.ErrorGroups, l.EvictedGroups, groupBytes = r.errors.Held()
	l.Bytes += int64(groupBytes + len(r.errors.Slots())*recentSize)
	l.Bytes += int64(l.Sessions*sessionSize + l.Loops*loopSize + c.MaxRecent*recentSize + 8*l.MaxSessions)
	l.MaxBytes = c.maxBytes(l.MaxSessions)
	return l
}

// maxBytes adds the bounds up: each tool with all its counters made and an archive
// in which all are set, twice the intervals while they are rolled up, and the
// tables.
func (c *config) maxBytes(sessions int) int64 {
	const auxes = int(histogramColumns) - 1
	counters := histogram.Counters(c.Digits) + auxes*histogram.Counters(auxDigits)
	perTool := histogram.MaxLiveSize(c.Digits) + auxes*histogram.MaxLiveSize(auxDigits) + exemplarsSize + // counted now
		maxArchived*counters + maxArchivedTypes*80 + 64*120 + // archived
		policyCountsSize + maxPolicyArchived +
		5*definitionSize + toolSize + maxToolName
	tools := int64(c.MaxTools+1)*int64(perTool) + maxSpare*int64(histogram.MaxLiveSize(c.Digits))
	tables := policyTableSize +
		c.MaxErrorGroups*(errorgroups.GroupSize+messages.MaxLength+errorgroups.MaxText+32+recentSize) +
		sessions*(sessionSize+8) + c.MaxLoops*loopSize + c.MaxRecent*recentSize
	return tools + 2*c.MaxIntervalBytes + int64(tables)
}

const (
	// maxArchived is how many bytes a counter takes in the archive at most, for
	// counts up to a billion.
	maxArchived = 5
	// maxArchivedTypes is how many error.types of a tool there are at most.
	maxArchivedTypes = 100
	// definitionSize is what it takes to remember a definition's address.
	definitionSize = 128
)

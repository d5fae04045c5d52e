// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package errorgroups

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/internal/messages"
	"github.com/toolscope/toolscope/toolkit"
)

// maxTypes bounds the error.types of one tool; toolkit bounds those of a process to about eighty.
const maxTypes = 100

// A Table counts errors in groups, and by tool and error.type. It is safe for concurrent use.
type Table struct {
	mu      sync.Mutex
	max     int
	byID    map[uint64]*Group
	least   groupHeap
	evicted uint64
	types   Types
}

// Types is how often each error.type was counted, by tool.
type Types map[string]map[string]uint64

// New makes a table of at most max groups.
func New(max int) *Table {
	return &Table{max: max, byID: make(map[uint64]*Group), types: make(Types)}
}

// An Error is what is counted of one. Text was redacted.
type Error struct {
	Tool, Kind, Text string
	At               int64
	Span             toolkit.SpanRef // counts if it was sampled
}

// CountError counts an error and returns the id of its group.
func (t *Table) CountError(e Error) uint64 {
	message := messages.Normalise(e.Text)
	id := ID(e.Tool, e.Kind, message)
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.byID[id]
	if g == nil {
		g = t.place(&Group{ID: id, Tool: e.Tool, Kind: e.Kind, Message: message, Example: e.Text, First: e.At})
	}
	if s := e.Span; s.Sampled && s.IsValid() && g.Traces[0] != s.TraceID {
		copy(g.Traces[1:], g.Traces[:])
		g.Traces[0] = s.TraceID
	}
	t.countIn(g, e.At)
	return id
}

// Slot returns what the caller keeps of a group: what fresh made at the first call. It is dropped
// with the group. Slot returns nil for a group that is not held.
func (t *Table) Slot(id uint64, fresh func() any) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.byID[id]
	if g == nil {
		return nil
	}
	if g.slot == nil {
		g.slot = fresh()
	}
	return g.slot
}

// Slots returns the slots of all groups that have one.
func (t *Table) Slots() (slots []any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.least {
		if g.slot != nil {
			slots = append(slots, g.slot)
		}
	}
	return slots
}

// CountAgain counts one more error of a group; false if the group is not held any more.
func (t *Table) CountAgain(id uint64, at int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.byID[id]
	if g != nil {
		t.countIn(g, at)
	}
	return g != nil
}

// countIn counts one error of a group. The caller holds the lock.
func (t *Table) countIn(g *Group, at int64) {
	types := t.types[g.Tool]
	if types == nil {
		types = make(map[string]uint64)
		t.types[g.Tool] = types
	}
	if _, known := types[g.Kind]; known || len(types) < maxTypes {
		types[g.Kind]++
	} else {
		types[toolkit.TypeOther]++
	}
	g.estimate++
	g.Open++
	g.Last = max(g.Last, at)
	heap.Fix(&t.least, g.at)
}

// place puts a new group in, in the place of the least frequent if all are taken.
func (t *Table) place(g *Group) *Group {
	if len(t.least) < t.max {
		heap.Push(&t.least, g)
	} else {
		out := t.least[0]
		delete(t.byID, out.ID)
		t.evicted++
		g.estimate = out.estimate
		g.at = 0
		t.least[0] = g
	}
	t.byID[g.ID] = g
	return g
}

// A Count is how often the error of a group was counted in an interval.
type Count struct{ ID, Count uint64 }

// TakeOpen returns what was counted since the last reset, and forgets it if reset.
func (t *Table) TakeOpen(reset bool) (counts []Count, types Types) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.least {
		if g.Open > 0 {
			counts = append(counts, Count{g.ID, g.Open})
			if reset {
				g.Open = 0
			}
		}
	}
	if reset {
		types, t.types = t.types, make(Types)
		return counts, types
	}
	types = make(Types, len(t.types))
	for tool, kinds := range t.types {
		types[tool] = maps.Clone(kinds)
	}
	return counts, types
}

// Restore brings a group back that was counted, Open times, in an interval of the past.
func (t *Table) Restore(g *Group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.restore(g)
}

// Add counts a group that another table counted Open times. Its error.type is not counted by tool.
func (t *Table) Add(g *Group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	held := t.restore(g)
	held.Open = histogram.AddCapped(held.Open, g.Open)
}

// restore returns the group held. The caller holds the lock.
func (t *Table) restore(g *Group) *Group {
	held := t.byID[g.ID]
	if held == nil {
		held = t.place(&Group{
			ID: g.ID, Tool: g.Tool, Kind: g.Kind, First: g.First, Traces: g.Traces,
			Message: messages.Clip(g.Message, messages.MaxLength), Example: messages.Clip(g.Example, MaxText),
		})
	}
	held.estimate = histogram.AddCapped(held.estimate, g.Open)
	if g.Last > held.Last {
		held.Last, held.Traces = g.Last, g.Traces
	}
	held.First = min(held.First, g.First)
	heap.Fix(&t.least, held.at)
	return held
}

// Texts are copies of the groups counted, with the count as Open.
func (t *Table) Texts(counts []Count) []Group {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Group
	for _, c := range counts {
		if g := t.byID[c.ID]; g != nil {
			text := *g
			text.Open = c.Count
			out = append(out, text)
		}
	}
	return out
}

// Knows reports whether a group is held.
func (t *Table) Knows(id uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id] != nil
}

// Views returns the groups that trends has counts of, the most frequent first, and how often an
// error that has no group can have occurred at most. CountMax is that of all time.
func (t *Table) Views(trends map[uint64][]uint64, wall func(int64) time.Time) (out []View, unlisted uint64) {
	held, unlisted := t.copies(trends)
	out = make([]View, len(held))
	for i := range held {
		g := &held[i]
		v := g.view(wall)
		v.Trend = trends[g.ID]
		for _, n := range v.Trend {
			v.Count += n
		}
		v.CountMax = max(v.Count, g.estimate)
		out[i] = v
	}
	slices.SortFunc(out, func(a, b View) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.LastSeen.Compare(a.LastSeen), cmp.Compare(a.ID, b.ID))
	})
	return out, unlisted
}

// copies are the groups that trends has counts of; the lock is held to copy them
// only, since calls with errors wait for it.
func (t *Table) copies(trends map[uint64][]uint64) (held []Group, unlisted uint64) {
	held = make([]Group, 0, len(trends))
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.least) == t.max {
		unlisted = t.least[0].estimate
	}
	for id := range trends {
		if g := t.byID[id]; g != nil {
			held = append(held, *g)
		}
	}
	return held, unlisted
}

// Held is how many groups there are, how many were evicted, and how many bytes they hold.
func (t *Table) Held() (groups int, evicted uint64, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.least {
		bytes += GroupSize + len(g.Message) + len(g.Example)
	}
	return len(t.least), t.evicted, bytes
}

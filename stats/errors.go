// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"container/heap"
	"fmt"
	"sync"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/internal/messages"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

const (
	maxErrorText = 1024
	maxTraces    = 5
	// maxTypes bounds the error.types of one tool; toolkit bounds those of a
	// process to about eighty.
	maxTypes = 100
)

// errorTable counts errors in groups, by the Space-Saving algorithm (Metwally,
// Agrawal, El Abbadi 2005): when all groups are taken, a new one takes the place of
// the least frequent, and starts from its count as the most that may have been
// counted of the new one before. So a group more frequent than all errors divided
// by the number of groups is never lost.
type errorTable struct {
	mu      sync.Mutex
	max     int
	byID    map[uint64]*group
	least   groupHeap
	evicted uint64
}

// failure is what a call's error looks like once it was redacted and grouped.
type failure struct {
	text  string
	group uint64
	kind  string // its error.type as it is exported
}

func (t *errorTable) init(max int) {
	t.max, t.byID = max, make(map[uint64]*group)
}

// note counts the error of a call; kind is its error.type as it is exported. The text is redacted before anything else is done
// with it, by the rules for the tool as called.
func (t *errorTable) note(e *toolkit.Ended, kind string, of *tool, now int64, redactor *redact.Redactor) failure {
	text, _ := redactor.ForTool(e.Call.Name).TextMax(errorText(e), maxErrorText)
	message := messages.Normalise(text)
	id := groupID(of.name, kind, message)
	t.mu.Lock()
	defer t.mu.Unlock()
	if of.types == nil {
		of.types = make(map[string]uint64)
	}
	counted := kind
	if _, known := of.types[kind]; !known && len(of.types) >= maxTypes {
		counted = toolkit.TypeOther
	}
	of.types[counted]++
	g := t.byID[id]
	if g == nil {
		g = t.place(&group{id: id, tool: of.name, kind: kind, message: message, example: text, first: now})
	}
	g.estimate++
	g.open++
	g.last = max(g.last, now)
	if s := e.Info.Span; s.Sampled && s.IsValid() && g.traces[0] != s.TraceID {
		copy(g.traces[1:], g.traces[:])
		g.traces[0] = s.TraceID
	}
	heap.Fix(&t.least, g.at)
	return failure{text, id, kind}
}

// place puts a new group in, in the place of the least frequent if all are taken.
func (t *errorTable) place(g *group) *group {
	if len(t.least) < t.max {
		heap.Push(&t.least, g)
	} else {
		out := t.least[0]
		delete(t.byID, out.id)
		t.evicted++
		g.estimate, g.over = out.estimate, out.estimate
		g.at = 0
		t.least[0] = g
	}
	t.byID[g.id] = g
	return g
}

// idCount is how often the error of a group was counted in an interval.
type idCount struct{ id, count uint64 }

// takeOpen returns what was counted since the last seal, and forgets it if reset:
// of the groups, and of the error.types of each tool by name.
func (t *errorTable) takeOpen(tools []*tool, reset bool) ([]idCount, map[string][]TypeCount) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var counts []idCount
	for _, g := range t.least {
		if g.open > 0 {
			counts = append(counts, idCount{g.id, g.open})
			if reset {
				g.open = 0
			}
		}
	}
	types := make(map[string][]TypeCount)
	for _, of := range tools {
		for kind, n := range of.types {
			types[of.name] = append(types[of.name], TypeCount{kind, n})
		}
		if reset {
			of.types = nil
		}
	}
	return counts, types
}

// restore brings a group back that was counted in an interval of the past.
func (t *errorTable) restore(g *group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	count := g.open
	held := t.byID[g.id]
	if held == nil {
		held = &group{
			id: g.id, tool: g.tool, kind: g.kind, first: g.first, traces: g.traces,
			message: messages.Clip(g.message, messages.MaxLength), example: messages.Clip(g.example, maxErrorText),
		}
		held = t.place(held)
	}
	held.estimate = histogram.AddCapped(held.estimate, count)
	if g.last > held.last {
		held.last, held.traces = g.last, g.traces
	}
	held.first = min(held.first, g.first)
	heap.Fix(&t.least, held.at)
}

// texts are copies of the groups counted, with the count as open.
func (t *errorTable) texts(counts []idCount) []group {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []group
	for _, c := range counts {
		if g := t.byID[c.id]; g != nil {
			text := *g
			text.open = c.count
			out = append(out, text)
		}
	}
	return out
}

// knows reports whether a group is held.
func (t *errorTable) knows(id uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id] != nil
}

// export returns the groups that trends has counts of, and how often an error that
// has no group can have occurred at most. CountMax is that of all time.
func (t *errorTable) export(trends map[uint64][]uint64, by *steadyClock) (out []ErrorGroup, unlisted uint64) {
	held, unlisted := t.copies(trends)
	out = make([]ErrorGroup, len(held))
	for i := range held {
		g := &held[i]
		e := g.export(by)
		e.Trend = trends[g.id]
		for _, n := range e.Trend {
			e.Count += n
		}
		e.CountMax = max(e.Count, g.estimate)
		out[i] = e
	}
	return out, unlisted
}

// copies are the groups that trends has counts of; the lock is held to copy them
// only, since calls with errors wait for it.
func (t *errorTable) copies(trends map[uint64][]uint64) (held []group, unlisted uint64) {
	held = make([]group, 0, len(trends))
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

// held is how many groups there are, how many were given up, and how many bytes
// they hold.
func (t *errorTable) held() (groups int, evicted uint64, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.least {
		bytes += groupSize + len(g.message) + len(g.example)
	}
	return len(t.least), t.evicted, bytes
}

// endingTexts are the texts of failures that have neither an error nor a panic, by their endings.
var endingTexts = [...]string{"", "", "", "the tool ended its goroutine", "nobody ended the call"}

var _ [toolkit.EndingCount]struct{} = [len(endingTexts)]struct{}{}

// errorText is what a call's failure says of itself. Methods of errors are the
// host's code and may panic.
func errorText(e *toolkit.Ended) (text string) {
	defer func() {
		if recover() != nil {
			text = "the error's text could not be read: its method panicked"
		}
	}()
	switch v := e.Panic.(type) {
	case nil:
	case error:
		return v.Error()
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	default:
		return "a panic with a value that is no text"
	}
	if e.Err != nil {
		return e.Err.Error()
	}
	if int(e.Ending) < len(endingTexts) {
		return endingTexts[e.Ending]
	}
	return ""
}

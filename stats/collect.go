// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"slices"

	"github.com/toolscope/toolscope/internal/errorgroups"
)

// parts are the intervals of a window, the oldest first, and the open one.
type parts struct {
	sealed   []sealed
	open     []ToolSnapshot      // nil if the window ends before it
	errors   []errorgroups.Count // of the open one
	from, to int64
	now      int64
	opened   int64
}

// collect finds what a window covers: whole intervals, of which the first and the
// last may reach beyond it. With the archive, a window without a beginning has
// everything that was ever counted. No bound of the zero Window, which the total and all
// counters are made of, is compared with a clock.
func (r *Recorder) collect(w Window, archive bool) parts {
	r.sealing.Lock()
	now := r.clock.Read()
	if now >= r.due.Load() {
		r.seal(now)
	}
	all, ahead := w.all(), r.clock.Ahead()
	since, until := w.bounds(now - ahead)
	if until += ahead; since != minTime {
		since = min(since, now-ahead) + ahead
	}
	p := parts{now: now, opened: r.opened}
	if until > p.opened || until == now {
		p.open, p.errors = r.takeOpen(false)
	}
	list, old := r.history.intervals, r.history.archive
	r.sealing.Unlock()

	archive = archive && since == minTime && (all || until >= old.end) && old.tools != nil
	p.from, p.to = max(since, r.started), min(until, now)
	if archive {
		p.sealed = append(p.sealed, old)
	}
	for _, s := range list {
		if (all || s.end > since && s.start < until) && !(archive && s.archived) {
			p.sealed = append(p.sealed, s)
		}
	}
	for i := range p.sealed {
		p.from, p.to = min(p.from, p.sealed[i].start), max(p.to, p.sealed[i].end)
	}
	if p.open != nil {
		p.from, p.to = min(p.from, p.opened), now
	}
	p.to = max(p.to, p.from)
	return p
}

// Snapshot is what was counted in a window, or, for the zero Window, ever since the
// recorder was made, with what [Options].Directory brought back. An invalid window has
// nothing in it.
func (r *Recorder) Snapshot(w Window) *Snapshot {
	s := &Snapshot{Version: SnapshotVersion, Processes: 1, Tools: []ToolSnapshot{}, Errors: []ErrorGroup{}}
	if w.Validate() != nil {
		return s
	}
	p := r.collect(w, true)
	lists := make([][]ToolSnapshot, 0, len(p.sealed)+1)
	for i := range p.sealed {
		lists = append(lists, p.sealed[i].decode())
	}
	s.From, s.To = r.clock.Wall(p.from), r.clock.Wall(p.to)
	s.Tools = slices.DeleteFunc(mergeTools(append(lists, p.open), false), func(t ToolSnapshot) bool { return t.idle() })
	s.Errors, s.OtherErrors, s.MaxUnlisted = r.groups(&p, s.Tools)
	moveTools(s.Tools, -r.clock.Ahead())
	return s
}

// idle reports whether nothing was counted and nothing runs.
func (t *ToolSnapshot) idle() bool {
	return t.Counters == Counters{} && t.Calls() == 0 && t.InFlight <= 0 && len(t.ErrorTypes) == 0
}

// Intervals returns the parts of a window one by one, the oldest first: for plots
// over time and .hlog files. Error groups are left out. Parts without calls are
// missing; the zero Window has all that are kept.
func (r *Recorder) Intervals(w Window) []*Snapshot {
	if w.Validate() != nil {
		return nil
	}
	p := r.collect(w, false)
	var out []*Snapshot
	add := func(start, end int64, tools []ToolSnapshot) {
		if len(tools) > 0 {
			moveTools(tools, -r.clock.Ahead())
			out = append(out, &Snapshot{
				Version: SnapshotVersion, Processes: 1, Tools: tools,
				From: r.clock.Wall(start), To: r.clock.Wall(end),
			})
		}
	}
	for i := range p.sealed {
		add(p.sealed[i].start, p.sealed[i].end, p.sealed[i].decode())
	}
	add(p.opened, p.now, mergeTools([][]ToolSnapshot{p.open}, false))
	return out
}

// trendParts is how many parts a trend has.
const trendParts = 12

// groups are the error groups counted in the parts, the most frequent first; how
// many errors of the tools belong to none of them; and how often one that is not
// listed can have occurred at most.
func (r *Recorder) groups(p *parts, tools []ToolSnapshot) (groups []ErrorGroup, other, unlisted uint64) {
	trends := make(map[uint64][]uint64)
	add := func(at int64, errors []errorgroups.Count) {
		part := int(trendParts * float64(at-p.from) / float64(max(1, p.to-p.from)))
		for _, e := range errors {
			if trends[e.ID] == nil {
				trends[e.ID] = make([]uint64, trendParts)
			}
			trends[e.ID][min(max(part, 0), trendParts-1)] += e.Count
		}
	}
	for i := range p.sealed {
		add(p.sealed[i].start, p.sealed[i].errors)
	}
	add(p.now, p.errors)
	for i := range tools {
		other += tools[i].Errors()
	}
	groups, unlisted = errorViews(r.errors, trends, r.clock.Wall)
	for i := range groups {
		other -= min(other, groups[i].Count)
	}
	for i := range groups {
		groups[i].CountMax = min(groups[i].CountMax, groups[i].Count+other)
	}
	return groups, other, min(other, unlisted)
}

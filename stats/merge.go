// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/internal/histogram"
)

// Merge adds snapshots of several processes up. The result's histograms are those
// which would have been recorded in one process, and its span reaches from the
// earliest to the latest. InFlight is added up; Peak and the streaks are the
// highest of any one process. Nil snapshots are ignored.
func Merge(snapshots ...*Snapshot) *Snapshot {
	out := &Snapshot{Version: SnapshotVersion}
	var parts [][]ToolSnapshot
	var groups groupMerge
	for _, s := range snapshots {
		if s == nil {
			continue
		}
		if out.From.IsZero() || !s.From.IsZero() && s.From.Before(out.From) {
			out.From = s.From
		}
		if s.To.After(out.To) {
			out.To = s.To
		}
		out.Processes += s.Processes
		out.OtherErrors = histogram.AddCapped(out.OtherErrors, s.OtherErrors)
		parts = append(parts, s.Tools)
		groups.addSnapshot(s)
	}
	out.Tools = mergeTools(parts, true)
	out.Errors, out.MaxUnlisted = groups.result()
	return out
}

// Sub returns what s has more than an earlier snapshot of the same process or
// processes: what was counted between the two. Counts never go below 0; InFlight,
// Peak, streaks, exemplars and examples are those of s. The result has no span, and so no rates, if
// the system clock was set back between the two to before the earlier one.
func (s *Snapshot) Sub(earlier *Snapshot) *Snapshot {
	out := *s
	if earlier == nil {
		return &out
	}
	out.From = minTimeOf(earlier.To, s.To)
	out.OtherErrors -= min(out.OtherErrors, earlier.OtherErrors)
	out.Tools = []ToolSnapshot{}
	for i := range s.Tools {
		t := s.Tools[i]
		if old := earlier.Tool(t.Tool); old != nil {
			t = t.sub(old)
		}
		if t.Calls() > 0 || t.InFlight > 0 {
			out.Tools = append(out.Tools, t)
		}
	}
	before := make(map[string]*ErrorGroup, len(earlier.Errors))
	for i := range earlier.Errors {
		before[earlier.Errors[i].ID] = &earlier.Errors[i]
	}
	out.Errors = []ErrorGroup{}
	for _, g := range s.Errors {
		if old := before[g.ID]; old != nil {
			g.Count -= min(g.Count, old.Count)
			g.CountMax = max(g.Count, g.CountMax-min(g.CountMax, old.Count))
			g.Trend = nil
		}
		if g.Count > 0 {
			out.Errors = append(out.Errors, g)
		}
	}
	sortGroups(out.Errors)
	return &out
}

func (t ToolSnapshot) sub(old *ToolSnapshot) ToolSnapshot {
	histograms := t.Histograms.columns()
	for i, h := range old.Histograms.columns() {
		histograms[i] = (*Histogram)(histograms[i].raw().Sub(h.raw()))
	}
	counters := t.Counters.columns()
	for i, n := range old.Counters.columns() {
		counters[i] -= min(counters[i], n)
	}
	t.Cost = max(0, t.Cost-old.Cost)
	t.Policies = subPolicies(t.Policies, old.Policies)
	var types []TypeCount
	for _, e := range t.ErrorTypes {
		for _, o := range old.ErrorTypes {
			if o.Type == e.Type {
				e.Count -= min(e.Count, o.Count)
			}
		}
		if e.Count > 0 {
			types = append(types, e)
		}
	}
	t.ErrorTypes = types
	return t
}

// mergeTools adds up parts, each of them a list of different tools, and sorts the
// result by name. The parts come from several processes, or from one at different
// times, the latest last.
func mergeTools(parts [][]ToolSnapshot, processes bool) []ToolSnapshot {
	byName := make(map[string][]*ToolSnapshot)
	for _, tools := range parts {
		for i := range tools {
			byName[tools[i].Tool] = append(byName[tools[i].Tool], &tools[i])
		}
	}
	out := make([]ToolSnapshot, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, mergeTool(byName[name], processes))
	}
	return out
}

func mergeTool(parts []*ToolSnapshot, processes bool) ToolSnapshot {
	if len(parts) == 1 {
		return *parts[0]
	}
	out := ToolSnapshot{Tool: parts[0].Tool}
	hs := make([]*histogram.Histogram, len(parts))
	for column := range histogramColumns {
		for i, p := range parts {
			hs[i] = p.Histograms.columns()[column].raw()
		}
		out.Histograms.columns()[column] = (*Histogram)(histogram.Merge(hs...))
	}
	sums := out.Counters.columns()
	types := map[string]uint64{}
	policies := make([][]PolicyCount, len(parts))
	var samples []Exemplar
	for at, p := range parts {
		policies[at] = p.Policies
		for i, n := range p.Counters.columns() {
			sums[i] = histogram.AddCapped(sums[i], n)
		}
		for _, e := range p.ErrorTypes {
			types[e.Type] = histogram.AddCapped(types[e.Type], e.Count)
		}
		samples = append(samples, p.Exemplars...)
		out.Cost += p.Cost
		out.Peak = max(out.Peak, p.Peak)
		out.WorstStreak = max(out.WorstStreak, p.WorstStreak)
		if p.LastSeen.After(out.LastSeen) {
			out.LastSeen = p.LastSeen
		}
		if processes {
			out.InFlight += p.InFlight
			out.Streak = max(out.Streak, p.Streak)
		} else {
			out.InFlight, out.Streak = p.InFlight, p.Streak
		}
	}
	out.ErrorTypes, out.Policies = sortedTypes(types), sumPolicies(policies...)
	out.Exemplars = mergeExemplars(samples)
	return out
}

func sortedTypes(types map[string]uint64) []TypeCount {
	if len(types) == 0 {
		return nil
	}
	out := make([]TypeCount, 0, len(types))
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		out = append(out, TypeCount{kind, types[kind]})
	}
	return out
}

// sortGroups puts the most frequent error first.
func sortGroups(groups []ErrorGroup) {
	slices.SortFunc(groups, func(a, b ErrorGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.LastSeen.Compare(a.LastSeen), cmp.Compare(a.ID, b.ID))
	})
}

// groupMerge adds error groups of processes up. A group that a process does not
// list may have occurred there as often as that process's MaxUnlisted says.
type groupMerge struct {
	byID     map[string]*ErrorGroup
	absent   map[string]uint64 // MaxUnlisted of the processes that list the group
	unlisted uint64            // MaxUnlisted of all
}

func (m *groupMerge) addSnapshot(s *Snapshot) {
	if m.byID == nil {
		m.byID, m.absent = map[string]*ErrorGroup{}, map[string]uint64{}
	}
	m.unlisted = histogram.AddCapped(m.unlisted, s.MaxUnlisted)
	for _, g := range s.Errors {
		m.absent[g.ID] = histogram.AddCapped(m.absent[g.ID], s.MaxUnlisted)
		sum := m.byID[g.ID]
		if sum == nil {
			g.TraceIDs = slices.Clone(g.TraceIDs)
			g.Trend = nil
			m.byID[g.ID] = &g
			continue
		}
		sum.Count, sum.CountMax = histogram.AddCapped(sum.Count, g.Count), histogram.AddCapped(sum.CountMax, g.CountMax)
		if g.FirstSeen.Before(sum.FirstSeen) {
			sum.FirstSeen = g.FirstSeen
		}
		if g.LastSeen.After(sum.LastSeen) {
			sum.LastSeen, sum.Example = g.LastSeen, g.Example
			sum.TraceIDs = append(slices.Clone(g.TraceIDs), sum.TraceIDs...)
		} else {
			sum.TraceIDs = append(sum.TraceIDs, g.TraceIDs...)
		}
		sum.TraceIDs = sum.TraceIDs[:min(len(sum.TraceIDs), errorgroups.MaxTraces)]
	}
}

func (m *groupMerge) result() ([]ErrorGroup, uint64) {
	out := make([]ErrorGroup, 0, len(m.byID))
	for id, g := range m.byID {
		g.CountMax = histogram.AddCapped(g.CountMax, m.unlisted-min(m.unlisted, m.absent[id]))
		out = append(out, *g)
	}
	sortGroups(out)
	return out, m.unlisted
}

// spanOf is the time from a to b, not less than none.
func spanOf(a, b time.Time) time.Duration { return max(b.Sub(a), 0) }

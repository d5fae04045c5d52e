// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

func (v *view) tools(s *stats.Summary) *table {
	t := &table{
		titles: []string{"<TOOL", "CALLS", "RATE", "±", "ERRORS", "±", "P50", "P95", "P99", "±", "MAX", "HITS", "REFUSED", "TIME", "<DISTRIBUTION"},
		spare:  []int{14, 3, 10, 2, 5, 13, 12, 11, 9, 6, 7},
	}
	low, high := axis(v.snapshot)
	row := func(name string, x *stats.ToolStats, h *stats.Histogram, colour string) {
		errors := cell{text: "0"}
		if x.Errors > 0 {
			errors = cell{display.Percent(x.ErrorRate), red}
		}
		calls, failed, p99 := against(x)
		t.add(cell{name, colour}, cell{text: display.Count(x.Calls)}, cell{display.Rate(x.Calls, x.CallsPerSecond), quiet}, calls, errors, failed,
			cell{text: ran(x, x.P50Ms)}, cell{text: ran(x, x.P95Ms)}, cell{ran(x, x.P99Ms), bold}, p99, cell{ran(x, x.MaxMs), quiet},
			cell{text: unless(x.HitRatio == 0, display.Percent(x.HitRatio))}, cell{text: unless(x.Refused == 0, display.Count(x.Refused))},
			cell{unless(name == "all", display.Percent(x.TimeShare)), quiet}, cell{text: bars(h, low, high)})
	}
	for i := range s.Tools {
		x := &s.Tools[i]
		raw := v.snapshot.Tool(x.Tool)
		if raw == nil {
			continue
		}
		row(display.Clip(x.Tool, 32), x, raw.Executed, "")
	}
	if len(s.Tools) > 1 {
		row("all", &s.Overall, v.snapshot.Executed(""), quiet)
	}
	return t
}

// against compares the rate of calls, the part of errors and the p99 with the window
// before; the cells are empty if there is none.
func against(x *stats.ToolStats) (calls, errors, p99 cell) {
	p := x.Previous
	if p == nil {
		return calls, errors, p99
	}
	calls.text, _ = display.Change(p.CallsPerSecond, x.CallsPerSecond)
	calls.colour = quiet
	if p.ErrorRate != x.ErrorRate {
		text, mood := display.Points(p.ErrorRate, x.ErrorRate)
		errors = cell{text, moods[mood]}
	}
	text, mood := display.Change(p.P99Ms, x.P99Ms)
	return calls, errors, cell{text, moods[mood]}
}

// moods are the colours of changes.
var moods = map[string]string{display.Good: green, display.Bad: red, "": quiet}

func unless(no bool, text string) string {
	if no {
		return ""
	}
	return text
}

// ran is a running time, or a dash where no call ran.
func ran(x *stats.ToolStats, ms float64) string {
	if x.Executed == 0 {
		return "–"
	}
	return display.Milliseconds(ms)
}

// axis is the range of the running times of all tools.
func axis(s *stats.Snapshot) (low, high float64) {
	low, high = math.MaxFloat64, 1
	for i := range s.Tools {
		if h := s.Tools[i].Executed; h.Count() > 0 {
			low, high = min(low, math.Log(max(100, float64(h.Min())))), max(high, math.Log(float64(max(100, h.Max()))))
		}
	}
	return low, max(high, low+1)
}

// bars draws how often which running times occurred, on one logarithmic axis for all
// tools.
func bars(h *stats.Histogram, low, high float64) string {
	if h.Count() == 0 {
		return ""
	}
	const columns = 24
	levels := []rune(" ▁▂▃▄▅▆▇█")
	var counts [columns]uint64
	before, most := uint64(0), uint64(0)
	for i := range counts {
		upTo := h.Count()
		if i < columns-1 {
			upTo = h.AtMost(time.Duration(math.Exp(low + (high-low)*float64(i+1)/columns)))
		}
		counts[i] = upTo - before
		most, before = max(most, counts[i]), upTo
	}
	out := make([]rune, columns)
	for i, n := range counts {
		out[i] = levels[int(math.Ceil(float64(n)/float64(most)*float64(len(levels)-1)))]
	}
	return strings.TrimRight(string(out), " ")
}

func errorTable(s *stats.Summary, p paint) *table {
	t := &table{titles: []string{"ERRORS", "<", "<TOOL", "<TYPE", "<MESSAGE"}}
	for _, g := range s.Errors[:min(len(s.Errors), listedErrors)] {
		atMost := ""
		if g.CountMax > g.Count {
			atMost = "to " + display.Count(g.CountMax)
		}
		t.add(cell{display.Count(g.Count), bold}, cell{atMost, quiet}, cell{text: display.Clip(g.Tool, 24)}, cell{display.Clip(g.Type, 24), red}, cell{text: display.Clip(g.Message, 90)})
	}
	return t
}

// policyTable is what policies told of calls.
func policyTable(s *stats.Summary) *table {
	t := &table{titles: []string{"<POLICY", "<TOLD", "CALLS", "OF ALL"}}
	for _, c := range s.Overall.Policies {
		t.add(cell{text: display.Clip(c.Key, 32)}, cell{text: display.Clip(c.Value, 40)}, cell{text: display.Count(c.Count)},
			cell{display.Percent(float64(c.Count) / float64(max(1, s.Overall.Calls))), quiet})
	}
	return t
}

func (v *view) sessionTable() *table {
	t := &table{titles: []string{"<SESSION", "CALLS", "ERRORS", "IN A ROW", "REPEATS", "IN TOOLS", "COST", "<WORST LOOP"}, spare: []int{6, 5, 3, 4}}
	for _, s := range v.sessions[:min(len(v.sessions), listedSessions)] {
		errors := cell{text: display.Count(s.Errors)}
		if s.Errors > 0 {
			errors.colour = red
		}
		t.add(cell{text: display.Clip(s.Session, 32)}, cell{text: display.Count(s.Calls)}, errors, cell{text: unless(s.WorstStreak < 2, display.Count(s.WorstStreak))},
			cell{text: unless(s.Looped == 0, display.Count(s.Looped))}, cell{text: display.Milliseconds(s.RunMs)}, cell{text: unless(s.Cost == 0, display.Three(s.Cost))}, cell{v.worstLoop(s.Session), amber})
	}
	return t
}

// worstLoop is the call that a session made most often.
func (v *view) worstLoop(session string) string {
	for _, l := range v.loops { // the worst first
		if l.Session == session && l.Times > 2 {
			return fmt.Sprintf("%s × %s", display.Clip(l.Tool, 24), display.Count(l.Times))
		}
	}
	return ""
}

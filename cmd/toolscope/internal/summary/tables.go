// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package summary

import (
	"math"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// A column with its rank: those of the largest rank are left out first where the line is short.
func left(title string, rank int) screen.Column { return screen.Column{Title: title, Rank: rank} }
func right(title string, rank int) screen.Column {
	return screen.Column{Title: title, Rank: rank, Right: true}
}

// last is the column that is cut where the line is short.
func last(title string, rank int) screen.Column {
	return screen.Column{Title: title, Rank: rank, Wide: true}
}

// The cells of a table.
func plain(text string) screen.Cell          { return screen.Cell{Text: text} }
func styled(colour, text string) screen.Cell { return screen.Cell{Text: text, Colour: colour} }

func (v *View) tools(s *stats.Summary) *screen.Table {
	t := &screen.Table{Report: true, Columns: []screen.Column{
		left("TOOL", 0), right("CALLS", 0), right("RATE", 8), right("±", 10), right("ERRORS", 0), right("±", 7),
		right("P50", 2), right("P95", 1), right("P99", 0), right("±", 3), right("MAX", 9),
		right("HITS", 4), right("REFUSED", 5), right("TIME", 6), left("DISTRIBUTION", 11),
	}}
	low, high := axis(v.Snapshot)
	addRow := func(name string, x *stats.ToolStats, h *stats.Histogram, colour string) {
		errors := plain("0")
		if x.Errors > 0 {
			errors = styled(screen.Red, display.Percent(x.ErrorRate))
		}
		calls, failed, p99 := against(x)
		t.Add(styled(colour, name), plain(display.Count(x.Calls)), styled(screen.Quiet, display.Rate(x.Calls, x.CallsPerSecond)),
			calls, errors, failed, plain(Ran(x, x.P50Ms)), plain(Ran(x, x.P95Ms)), styled(screen.Bold, Ran(x, x.P99Ms)), p99,
			styled(screen.Quiet, Ran(x, x.MaxMs)), plain(unless(x.HitRatio == 0, display.Percent(x.HitRatio))),
			plain(unless(x.Refused == 0, display.Count(x.Refused))),
			styled(screen.Quiet, unless(name == "all", display.Percent(x.TimeShare))), plain(bars(h, low, high)))
	}
	for i := range s.Tools {
		if v.Rows > 0 && i == v.Rows {
			t.Note = display.Number(uint64(len(s.Tools)-i), "more tool")
			break
		}
		x := &s.Tools[i]
		raw := v.Snapshot.Tool(x.Tool)
		if raw == nil {
			continue
		}
		addRow(display.Clip(x.Tool, 32), x, raw.Executed, "")
	}
	if len(s.Tools) > 1 {
		addRow("all", &s.Overall, v.Snapshot.Executed(""), screen.Quiet)
	}
	return t
}

// against compares the rate of calls, the part of errors and the p99 with the window
// before; the cells are empty if there is none.
func against(x *stats.ToolStats) (calls, errors, p99 screen.Cell) {
	p := x.Previous
	if p == nil {
		return calls, errors, p99
	}
	calls.Text, _ = display.Change(p.CallsPerSecond, x.CallsPerSecond)
	calls.Colour = screen.Quiet
	if p.ErrorRate != x.ErrorRate {
		text, mood := display.Points(p.ErrorRate, x.ErrorRate)
		errors = styled(moods[mood], text)
	}
	text, mood := display.Change(p.P99Ms, x.P99Ms)
	return calls, errors, styled(moods[mood], text)
}

// moods are the colours of changes.
var moods = map[string]string{display.Good: screen.Green, display.Bad: screen.Red, "": screen.Quiet}

func unless(no bool, text string) string {
	if no {
		return ""
	}
	return text
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

// bars draws how often which running times occurred, on one logarithmic axis for all tools.
func bars(h *stats.Histogram, low, high float64) string {
	if h.Count() == 0 {
		return ""
	}
	counts := make([]float64, 24)
	before := uint64(0)
	for i := range counts {
		upTo := h.Count()
		if i < len(counts)-1 {
			upTo = h.AtMost(time.Duration(math.Exp(low + (high-low)*float64(i+1)/float64(len(counts)))))
		}
		counts[i], before = float64(upTo-before), upTo
	}
	return strings.TrimRight(screen.Spark(counts, len(counts)), " ")
}

func errorTable(s *stats.Summary) *screen.Table {
	t := &screen.Table{Report: true, Columns: []screen.Column{
		right("ERRORS", 0), left("", 0), left("TOOL", 0), left("TYPE", 0), last("MESSAGE", 0),
	}}
	for _, g := range s.Errors[:min(len(s.Errors), listedErrors)] {
		atMost := ""
		if g.CountMax > g.Count {
			atMost = "to " + display.Count(g.CountMax)
		}
		t.Add(styled(screen.Bold, display.Count(g.Count)), styled(screen.Quiet, atMost), plain(display.Clip(g.Tool, 24)),
			styled(screen.Red, display.Clip(g.Type, 24)), plain(display.Clip(g.Message, 90)))
	}
	if s.OtherErrors > 0 {
		t.Note = display.Count(s.OtherErrors) + " errors belong to no group listed; none of those occurred more than " +
			display.Count(s.MaxUnlisted) + " times."
	}
	return t
}

// policyTable is what policies recorded of calls.
func policyTable(s *stats.Summary) *screen.Table {
	t := &screen.Table{
		Report:  true,
		Columns: []screen.Column{left("POLICY", 0), left("RECORDED", 0), right("CALLS", 0), right("OF ALL", 0)},
	}
	for _, c := range s.Overall.Policies {
		t.Add(plain(display.Clip(c.Key, 32)), plain(display.Clip(c.Value, 40)), plain(display.Count(c.Count)),
			styled(screen.Quiet, display.Percent(float64(c.Count)/float64(max(1, s.Overall.Calls)))))
	}
	return t
}

func (v *View) sessionTable() *screen.Table {
	t := &screen.Table{Report: true, Columns: []screen.Column{
		left("SESSION", 0), right("CALLS", 0), right("ERRORS", 0), right("IN A ROW", 2), right("REPEATS", 1),
		right("IN TOOLS", 3), right("COST", 4), last("WORST LOOP", 0),
	}}
	for _, s := range v.Sessions[:min(len(v.Sessions), listedSessions)] {
		t.Add(plain(display.Clip(s.Session, 32)), plain(display.Count(s.Calls)), styled(
			unless(s.Errors == 0, screen.Red), display.Count(s.Errors),
		),
			plain(unless(s.WorstStreak < 2, display.Count(s.WorstStreak))), plain(unless(s.Looped == 0, display.Count(s.Looped))),
			plain(Spent(s.RunMs)), plain(unless(s.Cost == 0, display.Three(s.Cost))),
			styled(screen.Amber, WorstLoop(v.Loops, s.Session)))
	}
	return t
}

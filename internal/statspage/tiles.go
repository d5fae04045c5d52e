// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// A Tile is one of the figures at the top of the page.
type Tile struct {
	Label, Value, Detail string
	Change               string // against the window before
	Mood                 string // "good", "bad" or ""
	Trend                template.HTML
}

// Uses are the policies in use: the figures of those that are not are left out.
type Uses struct{ Hits, Refused, Waits, Retries, Cost, Redactions, Loops bool }

// UsesOf are those of which anything was counted.
func UsesOf(t *stats.ToolStats) Uses {
	return Uses{
		Hits:       t.CacheHits+t.Coalesced+t.Repeated > 0,
		Refused:    t.Refused > 0,
		Waits:      t.Queue != nil || t.Approval != nil || t.Backoff != nil,
		Retries:    t.Retries > 0,
		Cost:       t.Cost > 0,
		Redactions: t.Redactions+t.Truncations > 0,
		Loops:      t.Looped > 0,
	}
}

// Tiles are the figures of a tool, or of all together if its name is "": the main ones, and those of the policies in use.
func Tiles(s *stats.ToolStats, u Uses, l plot.Line, tool string) (main, minor []Tile) {
	of := ""
	if tool != "" {
		of = " of " + display.Clip(tool, 60)
	}
	time := func(ms float64) string { // a dash where no call ran
		if s.Executed == 0 {
			return "–"
		}
		return display.Milliseconds(ms)
	}
	main = []Tile{
		{Label: "Calls", Value: display.Count(s.Calls), Detail: display.Rate(s.Calls, s.CallsPerSecond),
			Trend: plot.Trend(l.Calls, l.Errors, "Calls"+of+" over time, errors in front")},
		{Label: "Errors", Value: display.Percent(s.ErrorRate), Detail: display.Number(s.Errors, "call"),
			Trend: plot.Trend(l.Errors, nil, "Errors"+of+" over time")},
		{Label: "p50", Value: time(s.P50Ms), Detail: "median"},
		{Label: "p95", Value: time(s.P95Ms), Detail: "1 in 20 ran longer"},
		{Label: "p99", Value: time(s.P99Ms), Detail: "longest " + time(s.MaxMs)},
	}
	if p := s.Previous; p != nil {
		main[0].Change, _ = display.Change(p.CallsPerSecond, s.CallsPerSecond)
		main[1].Change, main[1].Mood = display.Points(p.ErrorRate, s.ErrorRate)
		main[2].Change, main[2].Mood = display.Change(p.P50Ms, s.P50Ms)
		main[3].Change, main[3].Mood = display.Change(p.P95Ms, s.P95Ms)
		main[4].Change, main[4].Mood = display.Change(p.P99Ms, s.P99Ms)
	}
	for _, t := range []struct {
		shown bool
		Tile
	}{
		{true, tile("Running now", fmt.Sprint(max(0, s.InFlight)), fmt.Sprintf("peak concurrency %d", max(0, s.Peak)))},
		{u.Hits, tile("Answered without a run", display.Percent(s.HitRatio), answers(s))},
		{u.Refused, tile("Refused", display.Count(s.Refused), display.Percent(Part(s.Refused, s.Calls))+" of calls")},
		{u.Waits, waits(s)},
		{u.Retries, tile("Retries", display.Count(s.Retries), "attempts beyond the first")},
		{u.Loops, tile("Repeats", display.Count(s.Looped), "made before in the session")},
		{u.Redactions, tile("Secrets removed", display.Count(s.Redactions), display.Count(s.Truncations)+" texts cut")},
		{u.Cost, tile("Cost", display.Three(s.Cost), "as the tools declare it")},
	} {
		if t.shown {
			minor = append(minor, t.Tile)
		}
	}
	return main, minor
}

func tile(label, value, detail string) Tile { return Tile{Label: label, Value: value, Detail: detail} }

// Part is n as a part of all.
func Part(n, all uint64) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

// answerTexts say how calls were answered without a run, by outcomes; "" for the others.
var answerTexts = [...]string{"", " from cache", " coalesced", " repeated", ""}

var _ [toolkit.OutcomeCount]struct{} = [len(answerTexts)]struct{}{}

// answers lists how calls were answered without a run.
func answers(s *stats.ToolStats) string {
	var list []string
	for o, calls := range s.ByOutcome() {
		if calls > 0 && answerTexts[o] != "" {
			list = append(list, display.Count(calls)+answerTexts[o])
		}
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// waits is the tile of the wait that most calls had.
func waits(s *stats.ToolStats) Tile {
	t := Tile{Label: "Waiting, p95", Value: "–", Detail: "no call waited"}
	most := uint64(0)
	for _, w := range []struct {
		*stats.Wait
		name string
	}{{s.Queue, "in the queue"}, {s.Approval, "for approval"}, {s.Backoff, "before a retry"}} {
		if w.Wait != nil && w.Count > most {
			most = w.Count
			t.Value, t.Detail = display.Milliseconds(w.P95Ms), display.Count(w.Count)+" calls "+w.name
		}
	}
	return t
}

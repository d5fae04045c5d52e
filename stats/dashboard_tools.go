// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

// tile is one of the figures at the top of the page.
type tile struct {
	Label, Value, Detail string
	Change               string // against the window before
	Mood                 string // "good", "bad" or ""
	Trend                template.HTML
}

// tiles are the figures of a tool, or of all together: those that always are, and
// those of what is in use. l may be nil.
func tiles(s *ToolStats, u uses, l *line, tool string) (main, minor []tile) {
	if l == nil {
		l = &line{}
	}
	of := ""
	if tool != "" {
		of = " of " + display.Clip(tool, 60)
	}
	calls := tile{Label: "Calls", Value: display.Count(s.Calls), Detail: display.Rate(s.Calls, s.CallsPerSecond),
		Trend: plotTrend(l.calls, l.errors, "Calls"+of+" over time, errors in front")}
	errors := tile{Label: "Errors", Value: display.Percent(s.ErrorRate), Detail: display.Number(s.Errors, "call"), Trend: plotTrend(l.errors, nil, "Errors"+of+" over time")}
	p50 := tile{Label: "p50", Value: timeOr(s.Executed, s.P50Ms), Detail: "half ran shorter"}
	p95 := tile{Label: "p95", Value: timeOr(s.Executed, s.P95Ms), Detail: "1 in 20 ran longer"}
	p99 := tile{Label: "p99", Value: timeOr(s.Executed, s.P99Ms), Detail: "longest " + timeOr(s.Executed, s.MaxMs)}
	if p := s.Previous; p != nil {
		calls.Change, _ = display.Change(p.CallsPerSecond, s.CallsPerSecond)
		errors.Change, errors.Mood = display.Points(p.ErrorRate, s.ErrorRate)
		p50.Change, p50.Mood = display.Change(p.P50Ms, s.P50Ms)
		p95.Change, p95.Mood = display.Change(p.P95Ms, s.P95Ms)
		p99.Change, p99.Mood = display.Change(p.P99Ms, s.P99Ms)
	}
	minor = []tile{{Label: "Running now", Value: strconv.FormatInt(max(0, s.InFlight), 10), Detail: "at most " + strconv.FormatInt(max(0, s.Peak), 10) + " at once"}}
	if u.Hits {
		minor = append(minor, tile{Label: "Answered without a run", Value: display.Percent(s.HitRatio),
			Detail: answers(s)})
	}
	if u.Refused {
		minor = append(minor, tile{Label: "Refused", Value: display.Count(s.Refused), Detail: display.Percent(part(s.Refused, s.Calls)) + " of calls"})
	}
	if u.Waits {
		minor = append(minor, waits(s))
	}
	if u.Retries {
		minor = append(minor, tile{Label: "Retries", Value: display.Count(s.Retries), Detail: "attempts beyond the first"})
	}
	if u.Loops {
		minor = append(minor, tile{Label: "Repeats", Value: display.Count(s.Looped), Detail: "made before in the session"})
	}
	if u.Redactions {
		minor = append(minor, tile{Label: "Secrets removed", Value: display.Count(s.Redactions), Detail: display.Count(s.Truncations) + " texts cut"})
	}
	if u.Cost {
		minor = append(minor, tile{Label: "Cost", Value: display.Three(s.Cost), Detail: "as the tools declare it"})
	}
	return []tile{calls, errors, p50, p95, p99}, minor
}

// timeOr is a time, or a dash where no call ran.
func timeOr(executed uint64, ms float64) string {
	if executed == 0 {
		return "–"
	}
	return display.Milliseconds(ms)
}

func part(n, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// answerTexts say how calls were answered without a run, by outcomes; "" for the others.
var answerTexts = [...]string{"", "%s from cache", "%s coalesced", "%s repeated", ""}

var _ [toolkit.OutcomeCount]struct{} = [len(answerTexts)]struct{}{}

// answers lists how calls were answered without a run.
func answers(s *ToolStats) string {
	var pairs []any
	for o, calls := range s.ByOutcome() {
		if answerTexts[o] != "" {
			pairs = append(pairs, answerTexts[o], calls)
		}
	}
	return listing(pairs...)
}

// listing joins formats and counts, those of 0 left out.
func listing(pairs ...any) string {
	text := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		if n := pairs[i+1].(uint64); n > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf(pairs[i].(string), display.Count(n))
		}
	}
	return cmp.Or(text, "none")
}

// waits is the tile of the wait that most calls had.
func waits(s *ToolStats) tile {
	t := tile{Label: "Waiting, p95", Value: "–", Detail: "no call waited"}
	most := uint64(0)
	for _, w := range []struct {
		*Wait
		name string
	}{{s.Queue, "in the queue"}, {s.Approval, "for approval"}, {s.Backoff, "before a retry"}} {
		if w.Wait != nil && w.Count > most {
			most = w.Count
			t.Value, t.Detail = display.Milliseconds(w.P95Ms), display.Count(w.Count)+" calls "+w.name
		}
	}
	return t
}

// axisOf is an axis that the running times of the tools fit on.
func axisOf(tools []ToolSnapshot) logScale {
	low, high := time.Duration(math.MaxInt64), time.Duration(0)
	for i := range tools {
		if h := tools[i].Executed; h.Count() > 0 {
			low, high = min(low, h.Min()), max(high, h.Max())
		}
	}
	if high == 0 {
		low, high = time.Millisecond, time.Second
	}
	return newLogScale(max(low, histogram.Lowest), high)
}

// toolRow is a tool's line in the table.
type toolRow struct {
	ToolStats
	Href         string
	Current      bool
	Distribution template.HTML
	Trend        template.HTML
	Share        template.HTML
	HasRun       bool
}

// toolRows are the first tools in an order, and the one that the page is about.
func toolRows(r *request, s *Summary, raw *Snapshot, t *timeline, axis logScale, by string) []toolRow {
	sortTools(s.Tools, by)
	rows := make([]toolRow, 0, min(len(s.Tools), pageTools+1))
	current := r.query.text("tool")
	for i, x := range s.Tools {
		if i >= pageTools && x.Tool != current {
			continue
		}
		row := toolRow{ToolStats: x, Href: r.href("tool", x.Tool, "call", "", "group", ""), Current: x.Tool == current, HasRun: x.Executed > 0}
		row.Distribution = plotDistribution(raw.Executed(x.Tool), axis)
		if l := t.lines[x.Tool]; l != nil {
			row.Trend = plotTrend(l.calls, l.errors, "Calls of "+x.Tool+" over time, errors in front")
		}
		row.Share = plotShare(x.TimeShare)
		rows = append(rows, row)
	}
	return rows
}

// plotShare draws a part of the time spent in tools.
func plotShare(part float64) template.HTML { return plotBar(part, "of the time spent in tools") }

// plotBar draws a part of 1.
func plotBar(part float64, of string) template.HTML {
	s := newSVG("share", 100, 6, true, display.Percent(part)+" "+of)
	s.rect("rest", 0, 0, 100, 6)
	s.rect("part", 0, 0, 100*min(1, max(0, part)), 6)
	return s.html()
}

// toolPart is what is known of the tool that the page is about.
type toolPart struct {
	ToolStats
	Clear   string // the page about all tools
	HGRM    string
	HLOG    string
	Traces  []traceLink // of the slowest calls and the one nearest to the p99
	Unknown bool        // had no calls in the window
}

// traceLink is a trace with a text; Href is "" if links lead nowhere.
type traceLink struct{ Text, ID, Href string }

func (h *handler) toolPart(r *request, s *Summary, tool string) *toolPart {
	p := &toolPart{ToolStats: ToolStats{Tool: tool}, Clear: r.href("tool", "", "call", "", "group", ""), Unknown: true}
	q := r.only(windowNames)
	path := "api/v1/tools/" + url.PathEscape(tool) + "/histogram?"
	q.Set("format", "hgrm")
	p.HGRM = path + q.Encode()
	q.Set("format", "hlog")
	p.HLOG = path + q.Encode()
	if i := slices.IndexFunc(s.Tools, func(t ToolStats) bool { return t.Tool == tool }); i >= 0 {
		p.ToolStats, p.Unknown = s.Tools[i], false
	}
	add := func(e *Exemplar, name string) {
		p.Traces = append(p.Traces, traceLink{name + " " + display.Milliseconds(e.DurationMs), e.TraceID, h.config.traceURL(e.TraceID)})
	}
	if p.NearP99 != nil {
		add(p.NearP99, "near p99")
	}
	for i := range p.Slowest {
		add(&p.Slowest[i], "slow")
	}
	return p
}

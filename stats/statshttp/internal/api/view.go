// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/statspage"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// How many rows of each kind a [View] has at most.
const (
	viewTools    = 500
	viewErrors   = 25
	viewCalls    = 12
	viewSessions = 12
	viewLoops    = 12
	viewPoints   = 512
)

// A View answers /api/v1/view: what the page shows of a span of time, of all tools or of one.
type View struct {
	covered
	Site
	Asked   string   `json:"asked"`   // name of the window that was asked for
	Windows []string `json:"windows"` // names of all windows
	// LatestCall is when the latest call ended, if the window asked for has none. The figures are then of a span of the
	// same length up to that call.
	LatestCall time.Time `json:"latest_call,omitzero"`
	Now        time.Time `json:"now"`     // when the answer was made
	Started    time.Time `json:"started"` // when the recorder started
	// Overall is all tools together, or the tool asked for.
	Overall stats.ToolStats `json:"overall"`
	Chart   statspage.Chart `json:"chart"` // the span in columns
	// Points are single calls, if all calls of the span are among the recent ones.
	Points []Point `json:"points,omitempty"`
	// Tools are at most 500, the one with the most time first; only the tool asked for if there is one.
	Tools     []statspage.ToolRow `json:"tools"`
	ToolsUsed int                 `json:"tools_used"` // how many tools had calls
	// Errors are error groups, at most 25, the most frequent first.
	Errors      []stats.ErrorGroup   `json:"errors"`
	ErrorGroups int                  `json:"error_groups"`       // number of error groups, those not listed included
	Calls       []CallLink           `json:"calls"`              // latest calls, at most 12
	Sessions    []stats.SessionStats `json:"sessions,omitempty"` // sessions, the one seen last first, at most 12
	Loops       []stats.Loop         `json:"loops,omitempty"`    // most frequent repeated calls, at most 12
	Components  []stats.Component    `json:"components"`         // components that report their state
}

// A Point is one call in a [View].
type Point struct {
	Time   time.Time `json:"t"`                // when the call ended
	Ms     float64   `json:"ms"`               // running time in milliseconds
	Failed bool      `json:"failed,omitempty"` // whether the call has an error.type
}

// View answers /api/v1/view.
func (s *Source) View(r *Request) (any, *answer.Problem) {
	tool := r.Filter.Tool
	sum, w, latest := s.lastData(r.Window, tool)
	v := View{
		covered: coveredBy(sum), Site: s.Site, Asked: r.Window.String(), Windows: stats.WindowNames(), LatestCall: latest,
		Now: r.Now, Started: s.Recorder.Started(), Overall: overallOf(sum, tool), Components: s.Components(),
	}
	from := sum.From
	if started := v.Started.UTC(); w.Last == 0 && w.Since.IsZero() && from.Before(started) {
		from = started
	}
	intervals := s.Recorder.Intervals(w)
	chart, trends := statspage.NewChart(intervals, from, sum.To, tool)
	v.Chart = chart
	query.SortTools(sum.Tools, r.Sort)
	v.ToolsUsed, v.Tools = len(sum.Tools), []statspage.ToolRow{}
	for i := range sum.Tools {
		t := &sum.Tools[i]
		if tool == "" && len(v.Tools) < viewTools || t.Tool == tool {
			v.Tools = append(v.Tools, statspage.NewToolRow(t, trends[t.Tool]))
		}
	}
	groups := GroupsOf(sum.Errors, tool)
	v.Errors, v.ErrorGroups = Head(groups, viewErrors), len(groups)
	v.addCalls(s, w, tool)
	v.addSessions(s, tool)
	return v, nil
}

// addCalls adds the latest calls, and the points if every call of the window is known.
func (v *View) addCalls(s *Source, w stats.Window, tool string) {
	kept := s.Recorder.Recent(stats.Filter{Tool: tool, Limit: viewPoints})
	v.Calls = []CallLink{}
	for _, c := range Head(kept, viewCalls) {
		v.Calls = append(v.Calls, s.Linked(c))
	}
	var executed uint64
	for _, c := range kept {
		ended := c.Time.Add(time.Duration(c.DurationMs * 1e6))
		if c.RunMs > 0 && !ended.Before(v.From) && ended.Before(v.To.Add(time.Second)) {
			v.Points = append(v.Points, Point{ended, c.RunMs, c.ErrorType != ""})
			executed++
		}
	}
	if executed < v.Overall.Executed {
		v.Points = nil
	}
}

// addSessions adds sessions and loops, which are those of all tools.
func (v *View) addSessions(s *Source, tool string) {
	if tool == "" {
		v.Sessions = s.Recorder.Sessions(viewSessions)
		v.Loops = Head(s.Recorder.Loops(), viewLoops)
	}
}

// overallOf is what a summary has of a tool, or of all if it is "".
func overallOf(sum *stats.Summary, tool string) stats.ToolStats {
	if tool == "" {
		return sum.Overall
	}
	for i := range sum.Tools {
		if sum.Tools[i].Tool == tool {
			return sum.Tools[i]
		}
	}
	return stats.ToolStats{Tool: tool}
}

// lastData returns the summary of a window. If a window up to now has no calls of the tool, the summary is of a span of
// the same length up to the latest call, and latest is when that call ended.
func (s *Source) lastData(w stats.Window, tool string) (sum *stats.Summary, used stats.Window, latest time.Time) {
	sum = s.Recorder.Summary(w)
	if o := overallOf(sum, tool); o.Calls > 0 || w.Last == 0 {
		return sum, w, latest
	}
	total := s.Recorder.Snapshot(stats.Window{})
	for i := range total.Tools {
		if t := &total.Tools[i]; (tool == "" || t.Tool == tool) && t.LastSeen.After(latest) {
			latest = t.LastSeen
		}
	}
	if latest.IsZero() {
		return sum, w, latest
	}
	running := sum.Overall.InFlight
	used = stats.Window{Since: latest.Add(-w.Last), Until: latest.Add(time.Millisecond)}
	sum = s.Recorder.Summary(used)
	sum.Overall.InFlight = running
	return sum, used, latest
}

// SummaryText answers /api/v1/summary.txt: the tables of tools and errors as plain text.
func (s *Source) SummaryText(r *Request) ([]byte, *answer.Problem) {
	sum, _, latest := s.lastData(r.Window, "")
	note := ""
	if !latest.IsZero() {
		note = fmt.Sprintf("No calls in the last %s. The tables show the %[1]s up to the latest call, which ended at %s.",
			r.Window, latest.Format(time.RFC3339))
	}
	return statspage.Text(s.Title+", window "+r.Window.String(), note, sum), nil
}

// A TraceDetail answers /api/v1/traces/{id}.
type TraceDetail struct {
	TraceID  string           `json:"trace_id"`            // trace id, 32 hexadecimal digits
	TraceURL string           `json:"trace_url,omitempty"` // link to the trace in the tracing backend, if one is configured
	Spans    []stats.SpanView `json:"spans"`               // spans that are at hand, at most 5000
	Calls    []CallLink       `json:"calls"`               // recent calls of the trace, the latest first
}

// Trace answers /api/v1/traces/{id}.
func (s *Source) Trace(r *Request) (any, *answer.Problem) {
	id := r.PathValue("id")
	if !isTraceID(id) {
		return nil, &answer.Problem{Status: http.StatusBadRequest,
			Detail: "got trace " + display.Quoted(id) + ", want 32 hexadecimal digits in lower case"}
	}
	d := TraceDetail{TraceID: id, TraceURL: s.TraceURL(id), Calls: []CallLink{}}
	for _, c := range s.Recorder.Recent(stats.Filter{}) {
		if c.TraceID == id && len(d.Calls) < query.MaxListed {
			d.Calls = append(d.Calls, s.Linked(c))
		}
	}
	var spans []stats.SpanView
	if s.Traces != nil {
		spans, _ = s.Traces.Trace(id)
	}
	d.Spans = Head(spans, maxSpans)
	return d, nil
}

func isTraceID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == 32
}

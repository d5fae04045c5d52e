// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/internal/display"
)

// errorPart is the table of error groups.
type errorPart struct {
	Rows  []errorRow
	Note  string // what is not listed
	Clear string // leads away from the group that calls are shown of; "" if there is none
}

type errorRow struct {
	ErrorGroup
	Trend    template.HTML
	Seen     string
	Traces   []traceLink
	Calls    string // leads to the calls
	Current  bool
	Sureness string // by how much the count may be too low; "" if it is exact
}

func (h *handler) errorPart(r *request, s *Summary, tool string) errorPart {
	groups := ofTool(s.Errors, tool)
	p := errorPart{}
	for _, g := range head(groups, pageErrors) {
		row := errorRow{ErrorGroup: g, Trend: plotTrend(floats(g.Trend), nil, "Errors of this kind over time"),
			Seen:  "latest " + ago(r.now.Sub(g.LastSeen)) + ", first " + ago(r.now.Sub(g.FirstSeen)),
			Calls: r.href("group", g.ID, "call", "") + "#calls", Current: g.ID == r.query.text("group")}
		if g.CountMax > g.Count {
			row.Sureness = "at most " + display.Count(g.CountMax)
		}
		for i, id := range g.TraceIDs {
			row.Traces = append(row.Traces, traceLink{"trace " + strconv.Itoa(i+1), id, h.config.traceURL(id)})
		}
		if row.Current {
			p.Clear = r.href("group", "", "call", "") + "#errors"
		}
		p.Rows = append(p.Rows, row)
	}
	if more := len(groups) - len(p.Rows); more > 0 {
		p.Note = fmt.Sprintf("%d more groups. ", more)
	}
	if s.OtherErrors > 0 && tool == "" {
		p.Note += fmt.Sprintf("%s errors belong to no group kept; none of those occurred more than %s times.", display.Count(s.OtherErrors), display.Count(s.MaxUnlisted))
	}
	return p
}

func floats(counts []uint64) []float64 {
	f := make([]float64, len(counts))
	for i, n := range counts {
		f[i] = float64(n)
	}
	return f
}

// ago is how long something is past, coarsely.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// callPart is the table of recent calls, the form that selects them, and the call
// that was chosen.
type callPart struct {
	Rows     []callRow
	Older    string // leads to the calls before these; "" if there are none
	Newest   string // leads back to the latest; "" if these are
	Kept     int
	Hidden   []hidden // what the form hands on
	Tools    []choice
	Outcomes []choice
	Errors   []choice
	Session  string
	Min      string
	Policy   string
	Filtered bool
	Clear    string
	Chosen   *chosenCall
}

type hidden struct{ Name, Value string }

type choice struct {
	Name, Value string
	Selected    bool
}

type callRow struct {
	callLink
	Clock       string
	Href        string
	SessionHref string
	Current     bool
	Failed      bool
}

// chosenCall is a call with its waterfall.
type chosenCall struct {
	callRow
	Parts []callTime
	Rows  []waterRow
	Left  int // spans that are not shown
	Gone  bool
	Close string
	// Watched says that there is a source of traces.
	Watched bool
}

// callTime is a part of a call's duration.
type callTime struct {
	Name string
	Ms   float64
}

func (h *handler) callPart(r *request, f Filter, chosen uint64, ever *Summary) callPart {
	list, next := h.find(f)
	q := r.query
	p := callPart{Kept: h.recorder.config.MaxRecent, Session: q.text("session"), Min: q.text("min_duration"), Policy: f.Policy, Clear: r.href("tool", "", "outcome", "", "error", "", "group", "", "session", "", "policy", "", "min_duration", "") + "#calls"}
	for _, c := range list {
		p.Rows = append(p.Rows, h.callRow(r, c, chosen))
	}
	if next > 0 {
		p.Older = r.href("before", strconv.FormatUint(next, 10)) + "#calls"
	}
	if f.Before > 0 {
		p.Newest = r.href() + "#calls"
	}
	for _, name := range []string{"window", "since", "until", "sort", "group", "policy"} {
		if v := q.text(name); v != "" {
			p.Hidden = append(p.Hidden, hidden{name, v})
		}
	}
	p.Tools = choices("any tool", names(ever.Tools), f.Tool)
	p.Outcomes = choices("any outcome", outcomeNames()[1:], f.Outcome)
	p.Errors = choices("with or without error", append([]string{"any"}, errorTypes(ever)...), q.text("error"))
	p.Filtered = f.Tool+f.Outcome+q.text("error")+f.ErrorGroup+f.Session+f.Policy != "" || f.MinDuration > 0
	if chosen > 0 {
		p.Chosen = h.chosen(r, chosen)
	}
	return p
}

func names(tools []ToolStats) []string {
	list := make([]string, len(tools))
	for i := range tools {
		list[i] = tools[i].Tool
	}
	slices.Sort(list)
	return list
}

func errorTypes(s *Summary) []string {
	var types []string
	for _, t := range s.Overall.ErrorTypes {
		types = append(types, t.Type)
	}
	return types
}

// choices are those of a form, the first for none; one that is selected is among them
// even if it is not known.
func choices(none string, values []string, selected string) []choice {
	list := []choice{{Name: none}}
	known := selected == ""
	for _, v := range values {
		name := v
		if v == "any" {
			name = "any error"
		}
		list = append(list, choice{name, v, v == selected})
		known = known || v == selected
	}
	if !known {
		list = append(list, choice{selected, selected, true})
	}
	return list
}

func (h *handler) callRow(r *request, c callLink, chosen uint64) callRow {
	return callRow{callLink: c, Clock: c.Time.In(r.now.Location()).Format(clockLayout + ".000"),
		Href:        r.href("call", strconv.FormatUint(c.ID, 10)) + "#call",
		SessionHref: r.href("session", c.Session) + "#calls",
		Current:     c.ID == chosen, Failed: c.ErrorType != ""}
}

func (h *handler) chosen(r *request, id uint64) *chosenCall {
	p := &chosenCall{Close: r.href("call", "") + "#calls", Watched: h.config.Traces != nil}
	c, ok := h.recorder.Call(id)
	if !ok {
		p.ID, p.Gone = id, true
		return p
	}
	p.callRow = h.callRow(r, h.linked(c), id)
	for _, t := range []callTime{{"in the queue", c.QueueMs}, {"waiting for approval", c.ApprovalMs}, {"waiting to retry", c.BackoffMs}, {"running", c.RunMs}} {
		if t.Ms > 0 {
			p.Parts = append(p.Parts, t)
		}
	}
	if p.Watched && c.TraceID != "" {
		if spans, ok := h.config.Traces.Trace(c.TraceID); ok {
			p.Rows, p.Left = waterfall(spans, c.SpanID)
		}
	}
	return p
}

// healthPart is what the page says of sessions, loops and streaks.
type healthPart struct {
	*Health
	Rows   []sessionRow
	More   int
	Shares []shareRow
}

type sessionRow struct {
	SessionStats
	Href  string
	Seen  string
	Loops []loopRow
}

type loopRow struct {
	Loop
	Trace traceLink
}

type shareRow struct {
	Share
	Bar template.HTML
}

func (h *handler) healthPart(r *request, w Window, tool string) healthPart {
	p := healthPart{Health: h.recorder.Health(w)}
	p.Streaks = slices.DeleteFunc(p.Streaks, func(s Streak) bool { return s.Worst < 3 || tool != "" && s.Tool != tool })
	p.Streaks = head(p.Streaks, 5)
	loops := h.recorder.Loops()
	for _, s := range h.recorder.latestSessions(pageSessions) {
		row := sessionRow{SessionStats: s, Href: r.href("session", s.Session, "call", "") + "#calls", Seen: ago(r.now.Sub(s.LastSeen))}
		for _, l := range loops {
			if l.Session == s.Session && len(row.Loops) < pageLoops {
				row.Loops = append(row.Loops, loopRow{l, traceLink{"trace", l.TraceID, h.config.traceURL(l.TraceID)}})
			}
		}
		p.Rows = append(p.Rows, row)
	}
	p.More = max(0, p.Sessions-len(p.Rows))
	for _, s := range head(p.TimeShare, 6) {
		p.Shares = append(p.Shares, shareRow{s, plotShare(s.Share)})
	}
	return p
}

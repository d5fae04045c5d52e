// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"slices"
	"strconv"

	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// callPart is the table of recent calls, the form that selects them, and the call
// that was chosen.
type callPart struct {
	Rows     []callRow
	Older    string // leads to the calls before these; "" if there are none
	Newest   string // leads back to the latest; "" if these are
	Kept     int
	Hidden   []hidden // parameters that the form keeps
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
	api.CallLink
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
	Rows  []plot.Row
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

func (p *page) callPart() callPart {
	f := p.Filter
	list, next := p.Find(f, p.Limit)
	part := callPart{
		Kept: p.Recorder.Limits().MaxRecent, Session: p.Text("session"), Min: p.Text("min_duration"), Policy: f.Policy,
		Tools:    choices("any tool", toolNames(p.ever.Tools), f.Tool),
		Outcomes: choices("any outcome", query.Outcomes(), f.Outcome),
		Errors:   choices("with or without error", append([]string{"any"}, errorTypes(p.ever)...), p.Text("error")),
		Clear: p.href("tool", "", "outcome", "", "error", "", "group", "", "session", "", "policy", "",
			"min_duration", "") + "#calls",
	}
	for _, c := range list {
		part.Rows = append(part.Rows, p.callRow(c))
	}
	if next > 0 {
		part.Older = p.href("before", strconv.FormatUint(next, 10)) + "#calls"
	}
	if f.Before > 0 {
		part.Newest = p.href() + "#calls"
	}
	for _, name := range []string{"window", "since", "until", "sort", "group", "policy"} {
		if v := p.Text(name); v != "" {
			part.Hidden = append(part.Hidden, hidden{name, v})
		}
	}
	for _, name := range []string{"tool", "outcome", "error", "group", "session", "policy"} {
		part.Filtered = part.Filtered || p.Text(name) != ""
	}
	part.Filtered = part.Filtered || f.MinDuration > 0
	if p.Chosen > 0 {
		part.Chosen = p.chosen()
	}
	return part
}

func toolNames(tools []stats.ToolStats) (names []string) {
	for i := range tools {
		names = append(names, tools[i].Tool)
	}
	slices.Sort(names)
	return names
}

func errorTypes(s *stats.Summary) (types []string) {
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

func (p *page) callRow(c api.CallLink) callRow {
	return callRow{
		CallLink: c, Clock: c.Time.In(p.Now.Location()).Format(plot.ClockLayout + ".000"),
		Href:        p.href("call", strconv.FormatUint(c.ID, 10)) + "#call",
		SessionHref: p.href("session", c.Session) + "#calls",
		Current:     c.ID == p.Chosen, Failed: c.ErrorType != "",
	}
}

func (p *page) chosen() *chosenCall {
	part := &chosenCall{Close: p.href("call", "") + "#calls", Watched: p.Traces != nil}
	c, ok := p.Recorder.Call(p.Chosen)
	if !ok {
		part.ID, part.Gone = p.Chosen, true
		return part
	}
	part.callRow = p.callRow(p.Linked(c))
	for _, t := range []callTime{
		{"in the queue", c.QueueMs}, {"waiting for approval", c.ApprovalMs}, {"waiting to retry", c.BackoffMs}, {"running", c.RunMs},
	} {
		if t.Ms > 0 {
			part.Parts = append(part.Parts, t)
		}
	}
	if part.Watched && c.TraceID != "" {
		if spans, ok := p.Traces.Trace(c.TraceID); ok {
			part.Rows, part.Left = plot.Waterfall(spans, c.SpanID)
		}
	}
	return part
}

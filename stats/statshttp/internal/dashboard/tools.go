// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"html/template"
	"net/url"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/internal/statspage"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// toolRows are the first tools in an order, and the one that the page is about.
func (p *page) toolRows(t *timeline, axis plot.Scale) []statspage.ToolRow {
	tools := p.summary.Tools
	query.SortTools(tools, p.Sort)
	var rows []statspage.ToolRow
	for i, x := range tools {
		current := x.Tool == p.tool
		if i >= maxTools && !current {
			continue
		}
		row := statspage.NewToolRow(x, p.raw.Executed(x.Tool), axis, t.lineOf(x.Tool))
		row.Href, row.Current = p.href("tool", x.Tool, "call", "", "group", ""), current
		rows = append(rows, row)
	}
	return rows
}

// toolPart is what is known of the tool that the page is about.
type toolPart struct {
	stats.ToolStats
	Clear   string // the page about all tools
	HGRM    string
	HLOG    string
	Traces  []traceLink // of the slowest calls and the one nearest to the p99
	Unknown bool        // had no calls in the window
}

// traceLink is a trace with a text; Href is "" without links.
type traceLink struct{ Text, ID, Href string }

func (p *page) toolPart() *toolPart {
	part := &toolPart{
		ToolStats: stats.ToolStats{Tool: p.tool}, Clear: p.href("tool", "", "call", "", "group", ""), Unknown: true,
	}
	q := p.only(query.WindowNames)
	path := "api/v1/tools/" + url.PathEscape(p.tool) + "/histogram?"
	q.Set("format", "hgrm")
	part.HGRM = path + q.Encode()
	q.Set("format", "hlog")
	part.HLOG = path + q.Encode()
	for _, t := range p.summary.Tools {
		if t.Tool == p.tool {
			part.ToolStats, part.Unknown = t, false
		}
	}
	addTrace := func(e *stats.Exemplar, name string) {
		text := name + " " + display.Milliseconds(e.DurationMs)
		part.Traces = append(part.Traces, traceLink{text, e.TraceID, p.TraceURL(e.TraceID)})
	}
	if part.NearP99 != nil {
		addTrace(part.NearP99, "near p99")
	}
	for i := range part.Slowest {
		addTrace(&part.Slowest[i], "slow")
	}
	return part
}

// policyRow is a fact that policies recorded of calls, with its part of them.
type policyRow struct {
	stats.PolicyCount
	First bool // of its key
	Part  float64
	Bar   template.HTML
	Href  string // leads to the calls
	Now   bool   // calls of it are shown
}

// policyRows are the facts recorded of a tool's calls, or of all.
func (p *page) policyRows(s *stats.ToolStats) (rows []policyRow) {
	before := ""
	for i, c := range api.Head(s.Policies, maxPolicies) {
		selected, part := c.Key+"="+c.Value, statspage.Part(c.Count, s.Calls)
		rows = append(rows, policyRow{
			PolicyCount: c, First: i == 0 || c.Key != before, Part: part, Bar: plot.Bar(part, "of the calls"),
			Href: p.href("policy", selected, "call", "") + "#calls", Now: p.Filter.Policy == selected,
		})
		before = c.Key
	}
	return rows
}

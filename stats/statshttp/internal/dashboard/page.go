// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"html/template"
	"time"

	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/internal/statspage"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// How many rows the page shows of what it has more of. Calls is the default of the parameter limit.
const (
	maxTools, maxErrors, Calls, maxSessions, maxLoops, maxPolicies = 200, 8, 25, 12, 2, 40
)

// A Site is what a page shows in addition to the data of a source.
type Site struct {
	*api.Source
	Title   string
	Links   []Link // to pages of the application
	Metrics bool   // whether there are metrics
}

// A Link leads to a page.
type Link = statspage.Link

// pageData is what the template shows.
type pageData struct {
	Title     string
	Stream    string // of live events; "" for a window that is over
	Windows   []Link
	Between   string // the span covered, where the window has no name
	From      time.Time
	To        time.Time
	Now       time.Time
	Started   time.Time
	Uses      statspage.Uses
	Tiles     []statspage.Tile
	Minor     []statspage.Tile
	Tool      *toolPart // the tool that the page is about; nil for all
	Heat      plot.HeatMap
	Axis      template.HTML // of distributions
	Tools     []statspage.ToolRow
	MoreTools int // without a row
	Sorts     map[string]Link
	Errors    errorPart
	Calls     callPart
	Health    healthPart
	Policies  []policyRow
	Limits    stats.Limits
	Metrics   bool
	API       []Link // the same in JSON
	Links     []Link // to pages of the application

	Components []stats.Component
}

// page is a page that is made.
type page struct {
	*Site
	*api.Request
	tool    string         // that the page is about; "" for all
	summary *stats.Summary // of the window
	raw     *stats.Snapshot
	ever    *stats.Summary // of all time
}

// Page makes the dashboard.
func Page(s *Site, r *api.Request) ([]byte, error) {
	p := &page{
		Site: s, Request: r, tool: r.Filter.Tool, summary: s.Recorder.Summary(r.Window), raw: s.Recorder.Snapshot(r.Window),
		ever: stats.Summarise(s.Recorder.Snapshot(stats.Window{}), nil),
	}
	return statspage.Render(statspage.Dashboard, p.data())
}

func (p *page) data() *pageData {
	zone := p.Now.Location()
	d := &pageData{
		Title: p.Title, Windows: p.windows(), From: p.summary.From.In(zone), To: p.summary.To.In(zone), Now: p.Now,
		Started: p.Recorder.Started().In(zone), Uses: statspage.UsesOf(&p.ever.Overall), Limits: p.Recorder.Limits(),
		Metrics: p.Metrics, API: p.apiLinks(), Links: p.Links, Components: p.Components(), Sorts: p.sorts(),
	}
	if w := p.Window; w.Last == 0 && !(w.Since.IsZero() && w.Until.IsZero()) {
		d.Between = d.From.Format(time.DateTime) + " – " + d.To.Format(time.DateTime)
	}
	if p.Window.Until.IsZero() {
		d.Stream = "api/v1/stream?" + p.only(query.WindowNames).Encode()
	}
	from := p.summary.From
	if started := d.Started.UTC(); from.Before(started) && !p.ever.From.Before(started) {
		from = started
	}
	t := newTimeline(p.Recorder.Intervals(p.Window), from.In(zone), d.To, p.tool)
	axis := plot.ScaleOf(p.raw.Tools)
	focus, uses, heatAxis := &p.summary.Overall, d.Uses, axis
	if p.tool != "" {
		d.Tool = p.toolPart()
		focus = &d.Tool.ToolStats
	}
	if x := p.raw.Tool(p.tool); x != nil {
		uses, heatAxis = statspage.UsesOf(focus), plot.ScaleOf([]stats.ToolSnapshot{*x})
	}
	d.Tiles, d.Minor = statspage.Tiles(focus, uses, t.lineOf(p.tool), p.tool)
	d.Heat, d.Axis = statspage.Heat(t.columns, heatAxis, d.From, d.To), plot.Axis(axis)
	d.Tools = p.toolRows(t, axis)
	d.MoreTools = len(p.summary.Tools) - len(d.Tools)
	d.Errors, d.Calls, d.Health, d.Policies = p.errorPart(), p.callPart(), p.healthPart(), p.policyRows(focus)
	return d
}

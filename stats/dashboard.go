// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	_ "embed"

	"github.com/toolscope/toolscope/internal/display"
)

// The dashboard is one page that a server without scripts makes whole: its links and
// forms are queries of the page itself. The script only fetches the page again when
// there is something new.

//go:embed dashboard.html
var pageText string

// pages are the templates, made when the first page is: a program that serves none does not
// link package html/template, as it would if an initialised variable held them.
var pages struct {
	once      sync.Once
	dashboard *template.Template
	log       *template.Template
}

// makePages makes the templates.
func makePages() {
	pages.dashboard = template.Must(template.New("page").Funcs(template.FuncMap{
		"plain":    display.Plain,
		"clip":     display.Clip,
		"count":    display.Count,
		"ms":       display.Milliseconds,
		"duration": display.Duration,
		"percent":  display.Percent,
		"rate":     display.Rate,
		"bytes":    size,
		"sorted": func(sorts map[string]link, by, name string) link {
			return link{name, sorts[by].Href, sorts[by].Current}
		},
		"three": display.Three,
	}).Parse(pageText))
	pages.log = template.Must(template.Must(pages.dashboard.Clone()).New("log").Funcs(template.FuncMap{
		"shown": func(id, title string, calls []pageCall) any {
			return struct {
				ID, Title string
				Calls     []pageCall
			}{id, title, calls}
		},
	}).Parse(logPageText))
}

// size is a number of bytes, of whatever type.
func size(n any) string {
	switch n := n.(type) {
	case uint64:
		return display.Bytes(n)
	case int64:
		return display.Bytes(uint64(max(0, n)))
	case int:
		return display.Bytes(uint64(max(0, n)))
	}
	return ""
}

// pageParameters are those of a page: of the window, of calls, and how it is arranged.
var pageParameters = slices.Concat(windowNames, callParameters, []string{"sort", "call"})

// How many rows the page shows of what it has more of.
const (
	pageTools, pageErrors, pageCalls, pageSessions, pageLoops = 200, 8, 25, 12, 2
)

// page is the dashboard.
func (h *handler) page(r *request) ([]byte, *problem) {
	d := h.pageData(r)
	if r.query.problem != nil {
		return nil, nil
	}
	var b bytes.Buffer
	pages.once.Do(makePages)
	if err := pages.dashboard.Execute(&b, d); err != nil {
		return nil, &problem{Status: http.StatusInternalServerError, Detail: "the page could not be made"}
	}
	// Texts are spelled out already; the values of the form are what they are.
	return replaceInvisible(b.Bytes(), func(out []byte, r rune) []byte { return fmt.Appendf(out, "&#x%x;", r) }), nil
}

// pageData is what the page's template shows.
type pageData struct {
	Title     string
	Stream    string // of live events; "" for a window that is over
	Windows   []link
	Between   string // the span covered, where the window has no name
	From      time.Time
	To        time.Time
	Now       time.Time
	Started   time.Time
	Uses      uses // which policies are in use
	Tiles     []tile
	Minor     []tile
	Tool      *toolPart // the tool that the page is about; nil for all
	Heat      heatMap
	Axis      template.HTML // that distributions are drawn on
	Tools     []toolRow
	MoreTools int // that the page has no row for
	Sorts     map[string]link
	Errors    errorPart
	Calls     callPart
	Health    healthPart
	Policies  []policyRow
	Limits    Limits
	Metrics   bool
	API       []link // the same in JSON
	Links     []link // pages of the host's

	Components []Component
}

// A link leads to another form of the page; Current is the form that is seen.
type link struct {
	Name, Href string
	Current    bool
}

// uses tells which figures have a meaning here: those of a policy that nobody uses
// are left out.
type uses struct{ Hits, Refused, Waits, Retries, Cost, Redactions, Loops bool }

// usesOf are those of which anything was ever counted.
func usesOf(t *ToolStats) uses {
	return uses{
		Hits:       t.answered() > 0,
		Refused:    t.Refused > 0,
		Waits:      t.Queue != nil || t.Approval != nil || t.Backoff != nil,
		Retries:    t.Retries > 0,
		Cost:       t.Cost > 0,
		Redactions: t.Redactions+t.Truncations > 0,
		Loops:      t.Looped > 0,
	}
}

func (h *handler) pageData(r *request) *pageData {
	window := r.query.window(recently)
	by := r.query.choice("sort", orderNames()...)
	filter := h.filter(r.query, pageCalls)
	selected := r.query.number("call", 0, 1, 1<<63)
	if r.query.problem != nil {
		return nil
	}
	s := h.recorder.Summary(window)
	ever := Summarise(h.recorder.Snapshot(Window{}), nil)
	tool := filter.Tool
	zone := r.now.Location()
	d := &pageData{
		Title: h.config.Title, Windows: r.windows(window), From: s.From.In(zone), To: s.To.In(zone), Now: r.now,
		Started: h.recorder.clock.Wall(h.recorder.started).In(zone),
		Uses:    usesOf(&ever.Overall), Limits: h.recorder.Limits(),
		Metrics: h.exporter != nil, API: r.api(), Links: h.config.links, Components: h.components(),
	}
	if window.Last == 0 && !(window.Since.IsZero() && window.Until.IsZero()) {
		d.Between = d.From.Format(time.DateTime) + " – " + d.To.Format(time.DateTime)
	}
	if window.Until.IsZero() {
		d.Stream = "api/v1/stream?" + r.only(windowNames).Encode()
	}
	from := s.From
	if started := d.Started.UTC(); from.Before(started) && !ever.From.Before(started) {
		from = started
	}
	t := newTimeline(h.recorder.Intervals(window), from.In(zone), d.To, tool)
	focus := &s.Overall
	if tool != "" {
		d.Tool = h.toolPart(r, s, tool)
		focus = &d.Tool.ToolStats
	}
	raw := h.recorder.Snapshot(window)
	axis := axisOf(raw.Tools)
	heatAxis, inUse := axis, d.Uses
	if x := raw.Tool(tool); x != nil {
		heatAxis, inUse = axisOf([]ToolSnapshot{*x}), usesOf(focus)
	}
	d.Tiles, d.Minor = tiles(focus, inUse, t.lines[tool], tool)
	d.Heat = plotHeat(t.columns, heatAxis, "Heat map of running times from "+d.From.Format(time.DateTime)+" to "+d.To.Format(time.DateTime)+", with lines for the median and the 99th percentile")
	d.Axis = plotAxis(axis)
	d.Tools, d.Sorts = toolRows(r, s, raw, t, axis, by), r.sorts(by)
	d.MoreTools = len(s.Tools) - len(d.Tools)
	d.Errors = h.errorPart(r, s, tool)
	d.Calls = h.callPart(r, filter, selected, ever)
	d.Health = h.healthPart(r, window, tool)
	d.Policies = policyRows(r, focus)
	return d
}

// href is the page's address with parameters changed: names and values by turns,
// an empty value removing one. What selects calls goes with the tool it was for.
func (r *request) href(change ...string) string {
	q := make(url.Values)
	for name, v := range r.query.values {
		if v[0] != "" && name != "before" && name != "after" {
			q.Set(name, v[0])
		}
	}
	for i := 0; i+1 < len(change); i += 2 {
		if change[i+1] == "" {
			q.Del(change[i])
		} else {
			q.Set(change[i], change[i+1])
		}
	}
	return "?" + q.Encode()
}

// only are the parameters of the names, where they are given.
func (r *request) only(names []string) url.Values {
	q := make(url.Values)
	for _, name := range names {
		if v := r.query.text(name); v != "" {
			q.Set(name, v)
		}
	}
	return q
}

func (r *request) windows(shown Window) []link {
	var links []link
	for _, name := range WindowNames() {
		links = append(links, link{name, r.href("window", name, "since", "", "until", ""), name == shown.String()})
	}
	return links
}

func (r *request) sorts(by string) map[string]link {
	sorts := make(map[string]link, len(orders))
	for _, o := range orders {
		sorts[o.name] = link{o.name, r.href("sort", o.name), o.name == by}
	}
	return sorts
}

// api are the resources that hold what the page shows.
func (r *request) api() []link {
	query := "?" + r.only(windowNames).Encode()
	return []link{
		{Name: "summary", Href: "api/v1/summary" + query}, {Name: "tools", Href: "api/v1/tools" + query}, {Name: "errors", Href: "api/v1/errors" + query},
		{Name: "calls", Href: "api/v1/calls"}, {Name: "sessions", Href: "api/v1/sessions"}, {Name: "loops", Href: "api/v1/loops"},
		{Name: "snapshot", Href: "api/v1/snapshot" + query}, {Name: "OpenAPI", Href: "openapi.json"},
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	_ "embed"

	"github.com/toolscope/toolscope/internal/display"
)

// A LogPage is what [CallLog.WritePage] shows beside what the log adds up.
type LogPage struct {
	Title string // "" is "Tool calls"
	// Notes are what a reader should know: what was left out, what could not be read.
	Notes []string
	// Slowest and Failed are calls that are shown one by one, clean and in this order,
	// with their content.
	Slowest, Failed []LoggedCall
	// Zone is where times are shown; nil is UTC.
	Zone *time.Location
}

//go:embed log_page.html
var logPageText string

//go:embed dashboard.css
var dashboardStyle string

// logPageStyle is the dashboard's style sheet and what only a report has.
var logPageStyle = dashboardStyle + `
.tile h2 { font-size: 12px; color: var(--quiet); }
.call { border-bottom: 1px solid var(--line); padding: 7px 0; } .call:last-child { border-bottom: 0; }
.call .when { color: var(--quiet); } .call dl { margin: 6px 0 4px; display: grid; grid-template-columns: 84px 1fr; gap: 4px 10px; }
.call dt { color: var(--quiet); font-size: 12px; } .call dd { margin: 0; min-width: 0; }
.call pre { margin: 0; max-height: 320px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 12.5px/1.45 var(--mono); background: var(--soft); border-radius: 7px; padding: 6px 9px; }
@media print { body { max-width: none; } .card, .tile { break-inside: avoid; } }
`

// logPageData is what the template shows.
type logPageData struct {
	Style     template.CSS
	StyleHash string
	Title     string
	Notes     []string
	Timed     bool
	From, To  time.Time
	Tiles     []tile
	Heat      heatMap
	Axis      template.HTML
	Tools     []toolRow
	Uses      uses
	Sessions  []SessionStats
	*Summary
	Slowest, Failed []pageCall
}

// pageCall is a call that is shown by itself.
type pageCall struct {
	LoggedCall
	When  string
	Facts []pageFact
}

// pageFact is a part of a call's content.
type pageFact struct{ Name, Text string }

// The bounds of a page: a log may have any number of them.
const (
	pageLogErrors   = 25
	pageLogSessions = 25
	pageContent     = 16 << 10 // bytes of a text
)

// WritePage writes the log as a page of HTML that stands for itself: one file, nothing
// fetched from anywhere, no script, readable in light and dark, by keyboard and by
// screen readers. Its own Content-Security-Policy allows its style sheet and nothing
// else. Plots over time need [CallLog.KeepTimeline].
func (l *CallLog) WritePage(w io.Writer, p LogPage) error {
	zone := p.Zone
	if zone == nil {
		zone = time.UTC
	}
	snapshot := l.Snapshot()
	s := Summarise(snapshot, nil)
	s.Errors = s.Errors[:min(len(s.Errors), pageLogErrors)]
	sum := sha256.Sum256([]byte(logPageStyle))
	d := &logPageData{
		Style: template.CSS(logPageStyle), StyleHash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]), Title: p.Title, Notes: p.Notes,
		Timed: l.from != 0, From: s.From.In(zone), To: s.To.In(zone), Uses: usesOf(&s.Overall), Sessions: l.Sessions(), Summary: s,
		Slowest: shownCalls(p.Slowest, zone), Failed: shownCalls(p.Failed, zone),
	}
	if d.Title == "" {
		d.Title = "Tool calls"
	}
	d.Sessions = d.Sessions[:min(len(d.Sessions), pageLogSessions)]
	calls, errors := l.timeline.trend("")
	d.Tiles, _ = tiles(&s.Overall, d.Uses, &line{calls, errors}, "")
	if !d.Timed {
		d.Tiles[0].Detail = "without times"
	}
	axis := axisOf(snapshot.Tools)
	d.Axis = plotAxis(axis)
	if columns := l.timeline.heat(zone); len(columns) > 1 {
		d.Heat = plotHeat(columns, axis, "Heat map of running times from "+d.From.Format(time.DateTime)+" to "+d.To.Format(time.DateTime)+", with lines for the median and the 99th percentile")
	}
	for _, x := range s.Tools {
		row := toolRow{ToolStats: x, HasRun: x.Executed > 0, Share: plotShare(x.TimeShare)}
		if raw := snapshot.Tool(x.Tool); raw != nil {
			row.Distribution = plotDistribution(raw.Executed, axis)
		}
		calls, errors := l.timeline.trend(x.Tool)
		row.Trend = plotTrend(calls, errors, "Calls of "+display.Clip(x.Tool, 60)+" over time, errors in front")
		d.Tools = append(d.Tools, row)
	}
	var b bytes.Buffer
	pages.once.Do(makePages)
	if err := pages.log.Execute(&b, d); err != nil {
		return fmt.Errorf("stats: page of a log: %w", err)
	}
	text := replaceInvisible(b.Bytes(), func(out []byte, r rune) []byte { return fmt.Appendf(out, "&#x%x;", r) })
	_, err := w.Write(text)
	return err
}

// shownCalls are calls as the page shows them.
func shownCalls(calls []LoggedCall, zone *time.Location) []pageCall {
	shown := make([]pageCall, len(calls))
	for i, c := range calls {
		p := pageCall{LoggedCall: c}
		if !c.End.IsZero() {
			p.When = c.End.Add(-c.Duration).In(zone).Format("2006-01-02 15:04:05.000")
		}
		for _, f := range []pageFact{
			{"intent", c.Intent}, {"arguments", indented(string(c.Arguments))}, {"error", c.Error}, {"result", indented(c.ResultText())}, {"session", c.Session}, {"agent", c.Agent}, {"call", c.ID}, {"trace", c.TraceID},
		} {
			if f.Text != "" {
				f.Text = plainLines(f.Text)
				p.Facts = append(p.Facts, f)
			}
		}
		shown[i] = p
	}
	return shown
}

// indented is JSON that people can read; any other text comes back as it is.
func indented(text string) string {
	var b bytes.Buffer
	if text == "" || text[0] != '{' && text[0] != '[' || json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// plainLines is [display.Plain] for a text of several lines, cut to what a page shows.
func plainLines(text string) string {
	more := ""
	if len(text) > pageContent {
		more = "\n… " + display.Bytes(uint64(len(text)-pageContent)) + " more"
		text = strings.ToValidUTF8(text[:pageContent], "")
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = display.Plain(lines[i])
	}
	return strings.Join(lines, "\n") + more
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	_ "embed" // for go:embed

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/stats"
)

// A Report is what [WriteReport] shows in addition to what the log adds up.
type Report struct {
	Title string // "" is "Tool calls"
	// Notes are what a reader should know: what was left out, what could not be read.
	Notes []string
	// Slowest and Failed are calls that are shown one by one with their content, in this order. They were redacted.
	Slowest, Failed []calllog.Call
	// Zone is where times are shown; nil is UTC.
	Zone *time.Location
}

// reportStyle is the style sheet of what only a report has.
//
//go:embed report.css
var reportStyle string

// reportData is what the template shows.
type reportData struct {
	Style     template.CSS
	StyleHash string
	Title     string
	Notes     []string
	Timed     bool
	From, To  time.Time
	Tiles     []Tile
	Heat      plot.HeatMap
	Axis      template.HTML
	Tools     []ToolRow
	Uses      Uses
	Sessions  []stats.SessionStats
	*stats.Summary
	Slowest, Failed []shownCall
}

// shownCall is a call that is shown by itself.
type shownCall struct {
	calllog.Call
	When    string
	Content []contentPart
}

// contentPart is a part of a call's content.
type contentPart struct{ Name, Text string }

// The bounds of a page: a log may have any number of them.
const (
	maxReportErrors   = 25
	maxReportSessions = 25
	maxReportText     = 16 << 10 // bytes
)

// WriteReport writes the log as one file of HTML that fetches nothing and has no script. It is readable in light and dark,
// by keyboard and by screen readers. Its own Content-Security-Policy allows its style sheet and nothing else. Plots over
// time need [calllog.Log.KeepTimeline].
func WriteReport(w io.Writer, log *calllog.Log, r Report) error {
	zone := cmp.Or(r.Zone, time.UTC)
	snapshot, sessions := log.Snapshot(), log.Sessions()
	s := stats.Summarise(snapshot, nil)
	s.Errors = s.Errors[:min(len(s.Errors), maxReportErrors)]
	style := Style + reportStyle
	sum := sha256.Sum256([]byte(style))
	_, _, timed := log.Span()
	axis := plot.ScaleOf(snapshot.Tools)
	d := &reportData{
		Style: template.CSS(style), StyleHash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]),
		Title: cmp.Or(r.Title, "Tool calls"), Notes: r.Notes, Timed: timed, From: s.From.In(zone), To: s.To.In(zone),
		Axis: plot.Axis(axis), Uses: UsesOf(&s.Overall), Sessions: sessions[:min(len(sessions), maxReportSessions)],
		Summary: s, Slowest: shownCalls(r.Slowest, zone), Failed: shownCalls(r.Failed, zone),
	}
	d.Tiles, _ = Tiles(&s.Overall, d.Uses, lineOf(log, ""), "")
	if !timed {
		d.Tiles[0].Detail = "without times"
	}
	var columns []plot.HeatColumn
	for _, c := range log.Columns(zone) {
		columns = append(columns, plot.HeatColumn(c))
	}
	if len(columns) > 1 {
		d.Heat = Heat(columns, axis, d.From, d.To)
	}
	for _, t := range s.Tools {
		d.Tools = append(d.Tools, NewToolRow(t, snapshot.Executed(t.Tool), axis, lineOf(log, t.Tool)))
	}
	text, err := Render("report.html", d)
	if err != nil {
		return fmt.Errorf("statspage: report: %w", err)
	}
	_, err = w.Write(text)
	return err
}

func lineOf(log *calllog.Log, tool string) (l plot.Line) {
	l.Calls, l.Errors = log.Trend(tool)
	return l
}

// shownCalls are calls as the page shows them.
func shownCalls(calls []calllog.Call, zone *time.Location) []shownCall {
	shown := make([]shownCall, len(calls))
	for i, c := range calls {
		s := shownCall{Call: c}
		if !c.End.IsZero() {
			s.When = c.End.Add(-c.Duration).In(zone).Format("2006-01-02 15:04:05.000")
		}
		for _, p := range []contentPart{
			{"intent", c.Intent}, {"arguments", indented(string(c.Arguments))}, {"error", c.Error},
			{"result", indented(c.ResultText())}, {"session", c.Session}, {"agent", c.Agent}, {"call", c.ID}, {"trace", c.TraceID},
		} {
			if p.Text != "" {
				s.Content = append(s.Content, contentPart{p.Name, plainLines(p.Text)})
			}
		}
		shown[i] = s
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
	if len(text) > maxReportText {
		more = "\n… " + display.Bytes(uint64(len(text)-maxReportText)) + " more"
		text = strings.ToValidUTF8(text[:maxReportText], "")
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = display.Plain(lines[i])
	}
	return strings.Join(lines, "\n") + more
}

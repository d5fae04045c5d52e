// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/internal/display"
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

// reportData is what the page reads of a report. Its members are those of the HTTP API's view, as far as a log has them.
type reportData struct {
	Title       string               `json:"title"`
	Report      bool                 `json:"report"`
	Notes       []string             `json:"notes,omitempty"`
	Timed       bool                 `json:"timed"`
	From        time.Time            `json:"from"`
	To          time.Time            `json:"to"`
	Zone        string               `json:"zone"`
	Overall     stats.ToolStats      `json:"overall"`
	Chart       Chart                `json:"chart"`
	Tools       []ToolRow            `json:"tools"`
	ToolsUsed   int                  `json:"tools_used"`
	Errors      []stats.ErrorGroup   `json:"errors"`
	ErrorGroups int                  `json:"error_groups"`
	Sessions    []stats.SessionStats `json:"sessions,omitempty"`
	Slowest     []shownCall          `json:"slowest,omitempty"`
	Failed      []shownCall          `json:"failed,omitempty"`
}

// shownCall is a call that is shown by itself.
type shownCall struct {
	Tool      string    `json:"tool"`
	Time      time.Time `json:"time,omitzero"` // when it began
	Outcome   string    `json:"outcome"`
	ErrorType string    `json:"error_type,omitempty"`
	Error     string    `json:"error,omitempty"`
	Ms        float64   `json:"duration_ms"`
	Session   string    `json:"session,omitempty"`
	Agent     string    `json:"agent,omitempty"`
	CallID    string    `json:"call_id,omitempty"`
	TraceID   string    `json:"trace_id,omitempty"`
	Intent    string    `json:"intent,omitempty"`
	Arguments string    `json:"arguments,omitempty"`
	Result    string    `json:"result,omitempty"`
	Cut       bool      `json:"cut,omitempty"` // whether a text was cut to 16 KiB
}

// The bounds of a page: a log may have any number of them.
const (
	maxReportErrors   = 25
	maxReportSessions = 25
	maxReportText     = 16 << 10 // bytes
)

// WriteReport writes the log as one file of HTML that fetches nothing: the page with its data inside, and where
// scripts do not run the tables as plain text. Its own Content-Security-Policy allows its style sheet and its script and
// nothing else. Plots over time need [calllog.Log.KeepTimeline].
func WriteReport(w io.Writer, log *calllog.Log, r Report) error {
	d := dataOf(log, r)
	data, err := display.EncodeJSON(d, "")
	if err != nil {
		return fmt.Errorf("statspage: report: %w", err)
	}
	data = bytes.ReplaceAll(data, []byte("<"), []byte(`\u003c`)) // or a text could end the script element
	summary := stats.Summarise(log.Snapshot(), nil)
	summary.Errors = d.Errors
	tables := Text(d.Title, strings.Join(plainAll(r.Notes), "\n"), summary)
	style, script := Style(), Script()
	csp := "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	_, err = io.WriteString(w, page(d.Title,
		`<meta http-equiv="Content-Security-Policy" content="`+csp+`"><style>`+style+`</style>`,
		`<script type="application/json" id="data">`+string(data)+`</script><script type="module">`+script+`</script>`,
		`<pre id="plain" tabindex="0">`+escapeHTML(string(tables))+`</pre>`))
	return err
}

// hash is a text as a source of a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func plainAll(texts []string) []string {
	plain := make([]string, len(texts))
	for i, t := range texts {
		plain[i] = display.Plain(t)
	}
	return plain
}

func dataOf(log *calllog.Log, r Report) *reportData {
	zone := cmp.Or(r.Zone, time.UTC)
	snapshot, sessions := log.Snapshot(), log.Sessions()
	s := stats.Summarise(snapshot, nil)
	_, _, timed := log.Span()
	d := &reportData{
		Title: cmp.Or(r.Title, "Tool calls"), Report: true, Notes: r.Notes, Timed: timed, From: s.From, To: s.To,
		Zone: zone.String(), Overall: s.Overall, Chart: chartOfLog(log), Tools: []ToolRow{}, ToolsUsed: len(s.Tools),
		Errors: s.Errors[:min(len(s.Errors), maxReportErrors)], ErrorGroups: len(s.Errors),
		Sessions: sessions[:min(len(sessions), maxReportSessions)],
		Slowest:  shownCalls(r.Slowest), Failed: shownCalls(r.Failed),
	}
	for i := range s.Tools {
		t := &s.Tools[i]
		calls, errors := log.Trend(t.Tool)
		trend := &Trend{whole(calls), whole(errors), DistributionOf(snapshot.Executed(t.Tool))}
		d.Tools = append(d.Tools, NewToolRow(t, trend))
	}
	return d
}

// chartOfLog is the whole of a log in columns; one without columns if the log has no times.
func chartOfLog(log *calllog.Log) Chart {
	columns := log.Columns(time.UTC)
	if len(columns) == 0 {
		return chartOf(time.Time{}, time.Second, nil)
	}
	histograms := make([]*stats.Histogram, len(columns))
	for i, c := range columns {
		histograms[i] = c.Executed
	}
	c := chartOf(columns[0].From, columns[0].To.Sub(columns[0].From), histograms)
	calls, errors := log.Trend("")
	c.Calls, c.Errors = whole(calls), whole(errors)
	return c
}

func whole(counts []float64) []uint64 {
	out := make([]uint64, len(counts))
	for i, n := range counts {
		out[i] = uint64(n)
	}
	return out
}

// shownCalls are calls as the page shows them.
func shownCalls(calls []calllog.Call) []shownCall {
	shown := make([]shownCall, len(calls))
	for i, c := range calls {
		s := shownCall{
			Tool: c.Tool, Outcome: c.Outcome.String(), ErrorType: c.ErrorType, Ms: float64(c.Duration) / 1e6, Session: c.Session,
			Agent: c.Agent, CallID: c.ID, TraceID: c.TraceID,
		}
		if !c.End.IsZero() {
			s.Time = c.End.Add(-c.Duration)
		}
		s.Error, s.Intent = s.cut(c.Error), s.cut(c.Intent)
		s.Arguments, s.Result = s.cut(string(c.Arguments)), s.cut(c.ResultText())
		shown[i] = s
	}
	return shown
}

// cut cuts a text to what a page shows.
func (s *shownCall) cut(text string) string {
	if len(text) <= maxReportText {
		return text
	}
	s.Cut = true
	return strings.ToValidUTF8(text[:maxReportText], "")
}

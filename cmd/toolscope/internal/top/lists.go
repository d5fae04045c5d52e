// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// orders are what each list can be sorted by, the first at first.
var orders = map[kind][]string{
	toolList:    {"time", "calls", "errors", "p50", "p95", "p99", "name"},
	callList:    {"latest", "slowest", "errors"},
	runningList: {"longest", "tool"},
	sessionList: {"latest", "calls", "errors", "repeats"},
	errorList:   {"count", "latest"},
	frameList:   {"latest", "slowest"},
	oneTool:     {"latest", "slowest", "errors"},
	oneSession:  {"latest", "slowest", "errors"},
	oneError:    {"latest", "slowest"},
}

// order is the name of what a place is sorted by; "" for what has no rows.
func (p *place) orderName() string {
	if names := orders[p.kind]; len(names) > 0 {
		return names[p.order%len(names)]
	}
	return ""
}

// table is the list that a place shows, sorted and filtered; nil if it shows none.
func (m *Model) table(p *place) *screen.Table {
	if m.state == nil {
		return nil
	}
	var t *screen.Table
	switch p.kind {
	case toolList:
		t = m.tools(p)
	case callList, oneTool, oneSession, oneError:
		t = m.calls(p)
	case runningList:
		t = m.running(p)
	case sessionList:
		t = m.sessions(p)
	case errorList:
		t = m.errors(p)
	case frameList:
		t = m.frames(p)
	default:
		return nil
	}
	if p.reverse {
		slices.Reverse(t.Rows)
	}
	if wanted := parseFilter(p.filter); wanted != nil {
		all := len(t.Rows)
		t.Rows = slices.DeleteFunc(t.Rows, func(r screen.Row) bool { return !wanted.fits(r.Words) })
		if all > 0 {
			t.Empty = fmt.Sprintf("None of %d has %q in it. / changes the filter, esc removes it.", all, p.filter)
		}
	}
	return t
}

// sorted is a copy in an order, the largest first.
func sorted[T any](list []T, by func(a, b *T) int) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return by(&b, &a) })
	return list
}

// A field is a column of a list of T, and what stands in it: a safe text and its colour.
type field[T any] struct {
	screen.Column
	show func(x *T) (text, colour string)
}

// plainly shows a text without a colour.
func plainly[T any](text func(x *T) string) func(x *T) (string, string) {
	return func(x *T) (string, string) { return text(x), "" }
}

// in shows a text in a colour.
func in[T any](colour string, text func(x *T) string) func(x *T) (string, string) {
	return func(x *T) (string, string) { return text(x), colour }
}

// A list is how values of T are shown as rows.
type list[T any] struct {
	empty  string // shown where there are none
	key    func(x *T) string
	words  func(x *T) string // what filters search; nil for the key
	quiet  func(x *T) bool   // nil for none
	fields []field[T]
}

// table lays values out.
func (l list[T]) table(values []T) *screen.Table {
	t := &screen.Table{Empty: l.empty}
	for _, f := range l.fields {
		t.Columns = append(t.Columns, f.Column)
	}
	for i := range values {
		x := &values[i]
		r := screen.Row{Key: l.key(x), Words: l.key(x), Quiet: l.quiet != nil && l.quiet(x)}
		if l.words != nil {
			r.Words = l.words(x)
		}
		for _, f := range l.fields {
			text, colour := f.show(x)
			r.Cells = append(r.Cells, screen.Cell{Text: text, Colour: colour})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// left and right are columns; rank is that of [screen.Column].
func left(title string, rank int) screen.Column { return screen.Column{Title: title, Rank: rank} }
func right(title string, rank int) screen.Column {
	return screen.Column{Title: title, Rank: rank, Right: true}
}

// wide is the column that takes the cells the others leave.
func wide(title string, least, rank int) screen.Column {
	return screen.Column{Title: title, Rank: rank, Least: least, Wide: true}
}

// trendColumn has room for a trend.
func trendColumn(rank int) screen.Column {
	return screen.Column{Title: "TREND", Rank: rank, Least: trendCells}
}

// trendCells is how wide a trend is.
const trendCells = 12

func (m *Model) tools(p *place) *screen.Table {
	type tool = stats.ToolStats
	count := func(n uint64) string { return some(n > 0, display.Count(n)) }
	l := list[tool]{
		empty: "No calls in this window. w takes another one.",
		key:   func(x *tool) string { return x.Tool },
		quiet: func(x *tool) bool { return x.Calls == 0 && x.InFlight == 0 },
		fields: []field[tool]{
			{wide("TOOL", 10, 0), plainly(func(x *tool) string { return screen.Safe(x.Tool) })},
			{right("CALLS", 0), plainly(func(x *tool) string { return display.Count(x.Calls) })},
			{right("ERRORS", 0), errorRate},
			{right("P50", 3), plainly(func(x *tool) string { return summary.Ran(x, x.P50Ms) })},
			{right("P95", 4), plainly(func(x *tool) string { return summary.Ran(x, x.P95Ms) })},
			{right("P99", 1), in(screen.Bold, func(x *tool) string { return summary.Ran(x, x.P99Ms) })},
			{trendColumn(2), in(screen.Blue, func(x *tool) string { return screen.Spark(m.state.Trend[x.Tool], trendCells) })},
			{right("RUNNING", 5), in(screen.Amber, func(x *tool) string { return count(uint64(max(0, x.InFlight))) })},
			{right("RATE", 6), plainly(func(x *tool) string { return display.Rate(x.Calls, x.CallsPerSecond) })},
			{
				right("HITS", 7),
				in(screen.Green, func(x *tool) string { return some(x.HitRatio > 0, display.Percent(x.HitRatio)) }),
			},
			{right("REFUSED", 8), plainly(func(x *tool) string { return count(x.Refused) })},
			{right("TIME", 9), plainly(func(x *tool) string { return display.Percent(x.TimeShare) })},
			{right("MAX", 10), plainly(func(x *tool) string { return summary.Ran(x, x.MaxMs) })},
		},
	}
	if !slices.Contains(stats.WindowNames(), m.state.Window) {
		l.empty = "No calls."
	}
	tools := slices.Clone(m.state.Summary.Tools)
	summary.SortTools(tools, p.orderName())
	return l.table(tools)
}

func errorRate(x *stats.ToolStats) (text, colour string) {
	if x.Errors == 0 {
		return "0", ""
	}
	return display.Percent(x.ErrorRate), screen.Red
}

// some is a text, or none.
func some(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// short is an untrusted text of at most this many cells.
func short(text string, cells int) string { return screen.Clip(screen.Safe(text), cells) }

// calls are the recent ones, or those of the place's tool, session or error.
func (m *Model) calls(p *place) *screen.Table {
	rankOfTool := 0
	if p.kind == oneTool { // all rows are of one tool
		rankOfTool = 7
	}
	known := func(c *Call) Content { content, _ := m.content(c); return content }
	l := list[Call]{
		empty: "No calls are kept of this.",
		key:   func(c *Call) string { return c.Key },
		words: func(c *Call) string {
			x := known(c)
			return strings.Join([]string{
				c.Tool, c.Outcome, c.ErrorType, c.Error, c.Session, c.Agent, c.Program, x.Arguments, x.Result,
				fieldWords("tool", c.Tool, "session", c.Session, "agent", c.Agent, "outcome", c.Outcome),
				statusWords(c.ErrorType),
			}, " ")
		},
		fields: []field[Call]{
			{left("BEGAN", 3), in(screen.Quiet, func(c *Call) string { return m.clock(c.Time) })},
			{left("PROGRAM", 6), in(screen.Quiet, func(c *Call) string { return short(c.Program, 20) })},
			{left("TOOL", rankOfTool), plainly(func(c *Call) string { return short(c.Tool, 24) })},
			{left("ENDED AS", 0), ended},
			{right("TOOK", 0), plainly(func(c *Call) string { return some(c.DurationMs > 0, display.Milliseconds(c.DurationMs)) })},
			{
				right("PERSON", 4),
				in(screen.Amber, func(c *Call) string { return some(c.ApprovalMs > 0, display.Milliseconds(c.ApprovalMs)) }),
			},
			{left("SESSION", 5), in(screen.Quiet, func(c *Call) string { return short(c.Session, 16) })},
			{wide("ARGUMENTS › RESULT", 18, 1), plainly(func(c *Call) string { return story(c, known(c)) })},
		},
	}
	if p.kind == callList {
		l.empty = "No calls yet."
	}
	by := map[string]func(a, b *Call) int{
		"latest":  func(a, b *Call) int { return 0 },
		"slowest": func(a, b *Call) int { return cmp.Compare(a.DurationMs, b.DurationMs) },
		"errors":  func(a, b *Call) int { return cmp.Compare(min(1, len(a.ErrorType)), min(1, len(b.ErrorType))) },
	}[p.orderName()]
	return l.table(slices.DeleteFunc(sorted(m.state.Calls, by), func(c Call) bool {
		return p.kind == oneTool && c.Tool != p.key || p.kind == oneSession && c.Session != p.key ||
			p.kind == oneError && c.ErrorGroup != p.key
	}))
}

// ended is how a call ended, in a word, and its colour.
func ended(c *Call) (text, colour string) {
	switch {
	case c.ErrorType != "":
		return short(c.ErrorType, 20), screen.Red
	case c.Suspended:
		return "suspended", screen.Amber
	case c.Outcome == "executed":
		return "ok", ""
	}
	return short(c.Outcome, 20), screen.Green
}

// story is a call's arguments and what came of them, on one line.
func story(c *Call, content Content) string {
	text, after := screen.Safe(strings.TrimSpace(content.Arguments)), strings.TrimSpace(cmp.Or(c.Error, content.Result))
	return strings.TrimSpace(text + some(after != "", " › "+screen.Safe(after)))
}

// clock is a time of day.
func (m *Model) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(m.options.Zone).Format(time.TimeOnly)
}

func (m *Model) running(p *place) *screen.Table {
	if m.state.Running == nil {
		return m.runningCounts()
	}
	running := slices.Clone(m.state.Running)
	if p.orderName() == "tool" {
		running = sorted(running, func(a, b *Running) int { return cmp.Compare(b.Tool, a.Tool) })
	}
	return list[Running]{
		empty: "Nothing runs at the moment.",
		key:   (*Running).rowKey,
		words: func(c *Running) string {
			return strings.Join([]string{
				c.Tool, c.Session, c.Agent, c.Program, c.Arguments, fieldWords("tool", c.Tool, "session", c.Session, "agent", c.Agent),
			}, " ")
		},
		fields: []field[Running]{
			{
				screen.Column{Title: "FOR", Right: true, Least: 5},
				in(screen.Bold, func(c *Running) string { return stopwatch(m.elapsed(c)) }),
			},
			{left("SINCE", 3), in(screen.Quiet, func(c *Running) string { return m.clock(c.Start) })},
			{left("PROGRAM", 6), in(screen.Quiet, func(c *Running) string { return short(c.Program, 20) })},
			{left("TOOL", 0), plainly(func(c *Running) string { return short(c.Tool, 24) })},
			{left("SESSION", 4), in(screen.Quiet, func(c *Running) string { return short(c.Session, 16) })},
			{left("", 2), in(screen.Amber, func(c *Running) string { return some(m.isSlow(c), "beyond p99") })},
			{wide("ARGUMENTS", 12, 1), plainly(func(c *Running) string { return screen.Safe(c.Arguments) })},
		},
	}.table(running)
}

// isSlow reports whether a call has been running for longer than nearly all calls of its tool.
func (m *Model) isSlow(c *Running) bool {
	x, took := m.state.tool(c.Tool), m.elapsed(c)
	return x != nil && x.Executed > 0 && took > time.Second && float64(took/time.Microsecond)/1000 > x.P99Ms
}

// rowKey identifies a running call.
func (c *Running) rowKey() string { return fmt.Sprint(c.Program, " ", c.ID) }

// elapsed is how long a call has been running.
func (m *Model) elapsed(c *Running) time.Duration {
	return time.Duration(c.RunningMs*float64(time.Millisecond)) + max(0, m.now.Sub(m.got))
}

// runningCounts is shown where a program serves the number of running calls only.
func (m *Model) runningCounts() *screen.Table {
	type tool = stats.ToolStats
	const why = "since when is not known: the program serves without statshttp.Options.Running"
	return list[tool]{
		empty: "Nothing runs at the moment.",
		key:   func(x *tool) string { return x.Tool },
		fields: []field[tool]{
			{right("RUNNING", 0), in(screen.Bold, func(x *tool) string { return display.Count(uint64(x.InFlight)) })},
			{left("TOOL", 0), plainly(func(x *tool) string { return screen.Safe(x.Tool) })},
			{wide("", 10, 0), in(screen.Quiet, func(*tool) string { return why })},
		},
	}.table(slices.DeleteFunc(slices.Clone(m.state.Summary.Tools), func(x tool) bool { return x.InFlight <= 0 }))
}

// stopwatch is a duration as a running clock shows it.
func stopwatch(d time.Duration) string {
	s := int64(d / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func (m *Model) sessions(p *place) *screen.Table {
	type session = stats.SessionStats
	by := map[string]func(a, b *session) int{
		"latest":  func(a, b *session) int { return a.LastSeen.Compare(b.LastSeen) },
		"calls":   func(a, b *session) int { return cmp.Compare(a.Calls, b.Calls) },
		"errors":  func(a, b *session) int { return cmp.Compare(a.Errors, b.Errors) },
		"repeats": func(a, b *session) int { return cmp.Compare(a.Looped, b.Looped) },
	}[p.orderName()]
	return list[session]{
		empty: "No sessions: calls say whose they are by the session in their context.",
		key:   func(s *session) string { return s.Session },
		words: func(s *session) string { return s.Session + " " + s.Agent },
		fields: []field[session]{
			{wide("SESSION", 10, 0), plainly(func(s *session) string { return screen.Safe(s.Session) })},
			{right("CALLS", 0), plainly(func(s *session) string { return display.Count(s.Calls) })},
			{
				right("ERRORS", 0),
				func(s *session) (string, string) { return display.Count(s.Errors), some(s.Errors > 0, screen.Red) },
			},
			{right("REPEATS", 2), plainly(func(s *session) string { return some(s.Looped > 0, display.Count(s.Looped)) })},
			{right("SEEN", 1), plainly(func(s *session) string { return m.ago(s.LastSeen) })},
			{right("IN TOOLS", 4), plainly(func(s *session) string { return summary.Spent(s.RunMs) })},
			{
				right("IN A ROW", 5),
				plainly(func(s *session) string { return some(s.WorstStreak > 1, display.Count(s.WorstStreak)) }),
			},
			{
				left("WORST LOOP", 3),
				in(screen.Amber, func(s *session) string { return summary.WorstLoop(m.state.Loops, s.Session) }),
			},
			{left("AGENT", 6), plainly(func(s *session) string { return short(s.Agent, 20) })},
			{right("COST", 7), plainly(func(s *session) string { return some(s.Cost > 0, display.Three(s.Cost)) })},
		},
	}.table(sorted(m.state.Sessions, by))
}

// ago is how long ago something was, in seconds, minutes, hours or days.
func (m *Model) ago(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	d := max(0, m.state.At.Sub(at))
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

func (m *Model) errors(p *place) *screen.Table {
	type group = stats.ErrorGroup
	by := func(a, b *group) int { return cmp.Compare(a.Count, b.Count) }
	if p.orderName() == "latest" {
		by = func(a, b *group) int { return a.LastSeen.Compare(b.LastSeen) }
	}
	return list[group]{
		empty: "No errors in this window.",
		key:   func(g *group) string { return g.ID },
		words: func(g *group) string { return g.Tool + " " + g.Type + " " + g.Message },
		fields: []field[group]{
			{right("COUNT", 0), in(screen.Bold, func(g *group) string { return display.Count(g.Count) })},
			{left("TOOL", 0), plainly(func(g *group) string { return short(g.Tool, 24) })},
			{left("TYPE", 2), in(screen.Red, func(g *group) string { return short(g.Type, 20) })},
			{right("LAST", 3), plainly(func(g *group) string { return m.ago(g.LastSeen) })},
			{left("TREND", 4), in(screen.Blue, errorTrend)},
			{wide("MESSAGE", 16, 0), plainly(func(g *group) string { return screen.Safe(g.Message) })},
		},
	}.table(sorted(m.state.Summary.Errors, by))
}

func errorTrend(g *stats.ErrorGroup) string {
	trend := make([]float64, len(g.Trend))
	for i, n := range g.Trend {
		trend[i] = float64(n)
	}
	return screen.Spark(trend, trendCells)
}

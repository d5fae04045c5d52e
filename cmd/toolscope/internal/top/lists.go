// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

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
func (m *Model) table(p *place) *table {
	if m.state == nil {
		return nil
	}
	var t *table
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
	default:
		return nil
	}
	if p.reverse {
		slices.Reverse(t.rows)
	}
	if wanted := parseFilter(p.filter); wanted != nil {
		all := len(t.rows)
		t.rows = slices.DeleteFunc(t.rows, func(r row) bool { return !wanted.fits(r.words) })
		if all > 0 {
			t.empty = fmt.Sprintf("None of %d has %q in it. / changes the filter, esc removes it.", all, p.filter)
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

func (m *Model) tools(p *place) *table {
	t := &table{empty: "No calls in this window. w takes another one.", columns: []column{
		{title: "TOOL", wide: true, least: 10}, {title: "CALLS", right: true}, {title: "ERRORS", right: true},
		{title: "P50", right: true, rank: 3}, {title: "P95", right: true, rank: 4}, {title: "P99", right: true, rank: 1}, {title: "TREND", rank: 2, least: trendCells},
		{title: "RUNNING", right: true, rank: 5}, {title: "RATE", right: true, rank: 6}, {title: "HITS", right: true, rank: 7}, {title: "REFUSED", right: true, rank: 8},
		{title: "TIME", right: true, rank: 9}, {title: "MAX", right: true, rank: 10},
	}}
	if !slices.Contains(stats.WindowNames(), m.state.Window) {
		t.empty = "No calls."
	}
	by := map[string]func(a, b *stats.ToolStats) int{
		"time":   func(a, b *stats.ToolStats) int { return cmp.Compare(a.TotalMs, b.TotalMs) },
		"calls":  func(a, b *stats.ToolStats) int { return cmp.Compare(a.Calls, b.Calls) },
		"errors": func(a, b *stats.ToolStats) int { return cmp.Compare(a.Errors, b.Errors) },
		"p50":    func(a, b *stats.ToolStats) int { return cmp.Compare(a.P50Ms, b.P50Ms) },
		"p95":    func(a, b *stats.ToolStats) int { return cmp.Compare(a.P95Ms, b.P95Ms) },
		"p99":    func(a, b *stats.ToolStats) int { return cmp.Compare(a.P99Ms, b.P99Ms) },
		"name":   func(a, b *stats.ToolStats) int { return cmp.Compare(b.Tool, a.Tool) },
	}[p.orderName()]
	for _, x := range sorted(m.state.Summary.Tools, func(a, b *stats.ToolStats) int { return cmp.Or(by(a, b), cmp.Compare(b.Tool, a.Tool)) }) {
		t.rows = append(t.rows, row{key: x.Tool, words: x.Tool, quiet: x.Calls == 0 && x.InFlight == 0, cells: []cell{
			{text: safe(x.Tool)}, {text: display.Count(x.Calls)}, errorCell(&x), {text: ran(&x, x.P50Ms)}, {text: ran(&x, x.P95Ms)}, {ran(&x, x.P99Ms), bold},
			{spark(m.state.Trend[x.Tool], trendCells), blue}, {some(x.InFlight > 0, display.Count(uint64(max(0, x.InFlight)))), amber},
			{text: display.Rate(x.Calls, x.CallsPerSecond)}, {some(x.HitRatio > 0, display.Percent(x.HitRatio)), green},
			{text: some(x.Refused > 0, display.Count(x.Refused))}, {text: display.Percent(x.TimeShare)}, {text: ran(&x, x.MaxMs)},
		}})
	}
	return t
}

// trendCells is how wide a trend is.
const trendCells = 12

func errorCell(x *stats.ToolStats) cell {
	if x.Errors == 0 {
		return cell{text: "0"}
	}
	return cell{display.Percent(x.ErrorRate), red}
}

// ran is a running time, or a dash where no call ran.
func ran(x *stats.ToolStats, ms float64) string {
	if x.Executed == 0 {
		return "–"
	}
	return display.Milliseconds(ms)
}

// some is a text, or none.
func some(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// calls are the recent ones, or those of the place's tool, session or error.
func (m *Model) calls(p *place) *table {
	t := &table{empty: "No calls are kept of this.", columns: []column{
		{title: "BEGAN", rank: 3}, {title: "PROGRAM", rank: 6}, {title: "TOOL", rank: rankOfTool(p)}, {title: "ENDED AS"},
		{title: "TOOK", right: true}, {title: "SESSION", rank: 5}, {title: "ARGUMENTS › RESULT", wide: true, least: 18, rank: 1},
	}}
	if p.kind == callList {
		t.empty = "No calls yet."
	}
	by := map[string]func(a, b *Call) int{
		"latest":  func(a, b *Call) int { return 0 },
		"slowest": func(a, b *Call) int { return cmp.Compare(a.DurationMs, b.DurationMs) },
		"errors":  func(a, b *Call) int { return cmp.Compare(min(1, len(a.ErrorType)), min(1, len(b.ErrorType))) },
	}[p.orderName()]
	for _, c := range sorted(m.state.Calls, by) {
		if p.kind == oneTool && c.Tool != p.key || p.kind == oneSession && c.Session != p.key || p.kind == oneError && c.ErrorGroup != p.key {
			continue
		}
		content, _ := m.content(&c)
		program := safe(c.Program)
		t.rows = append(t.rows, row{key: c.Key, words: strings.Join([]string{c.Tool, c.Outcome, c.ErrorType, c.Error, c.Session, c.Agent, c.Program, content.Arguments, content.Result}, " "), cells: []cell{
			{m.clock(c.Time), quiet}, {clip(program, 20), quiet}, {text: clip(safe(c.Tool), 24)}, ended(&c), {text: display.Milliseconds(c.DurationMs)},
			{clip(safe(c.Session), 16), quiet}, {text: story(&c, content)},
		}})
	}
	if !slices.ContainsFunc(t.rows, func(r row) bool { return r.cells[1].text != "" }) {
		t.drop(1)
	}
	return t
}

// rankOfTool lets the tool's column go where all rows are of one tool.
func rankOfTool(p *place) int {
	if p.kind == oneTool {
		return 7
	}
	return 0
}

// drop leaves a column out.
func (t *table) drop(i int) {
	t.columns = slices.Delete(t.columns, i, i+1)
	for r := range t.rows {
		t.rows[r].cells = slices.Delete(t.rows[r].cells, i, i+1)
	}
}

// ended is how a call came to its end, in a word.
func ended(c *Call) cell {
	switch {
	case c.ErrorType != "":
		return cell{clip(safe(c.ErrorType), 20), red}
	case c.Suspended:
		return cell{"suspended", amber}
	case c.Outcome == "executed":
		return cell{text: "ok"}
	}
	return cell{clip(safe(c.Outcome), 20), green}
}

// story is a call's arguments and what came of them, on one line.
func story(c *Call, content Content) string {
	after := content.Result
	if c.Error != "" {
		after = c.Error
	}
	text := safe(strings.TrimSpace(content.Arguments))
	if after = strings.TrimSpace(after); after != "" {
		text += " › " + safe(after)
	}
	return strings.TrimSpace(text)
}

// clock is a time of day.
func (m *Model) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(m.options.Zone).Format(time.TimeOnly)
}

func (m *Model) running(p *place) *table {
	t := &table{empty: "Nothing runs at the moment.", columns: []column{
		{title: "FOR", right: true, least: 5}, {title: "SINCE", rank: 3}, {title: "PROGRAM", rank: 6}, {title: "TOOL"}, {title: "SESSION", rank: 4},
		{title: "", rank: 2}, {title: "ARGUMENTS", wide: true, least: 12, rank: 1},
	}}
	if m.state.Running == nil {
		return m.runningCounts()
	}
	list := m.state.Running
	if p.orderName() == "tool" {
		list = sorted(list, func(a, b *Running) int { return cmp.Compare(b.Tool, a.Tool) })
	}
	for _, c := range list {
		took := m.elapsed(&c)
		slow := cell{}
		if x := m.state.tool(c.Tool); x != nil && x.Executed > 0 && took > time.Second && float64(took/time.Microsecond)/1000 > x.P99Ms {
			slow = cell{"beyond p99", amber}
		}
		t.rows = append(t.rows, row{key: c.rowKey(), words: strings.Join([]string{c.Tool, c.Session, c.Agent, c.Program, c.Arguments}, " "), cells: []cell{
			{stopwatch(took), bold}, {m.clock(c.Start), quiet}, {clip(safe(c.Program), 20), quiet}, {text: clip(safe(c.Tool), 24)}, {clip(safe(c.Session), 16), quiet},
			slow, {text: safe(c.Arguments)},
		}})
	}
	if !slices.ContainsFunc(t.rows, func(r row) bool { return r.cells[2].text != "" }) {
		t.drop(2)
	}
	return t
}

// rowKey tells running calls apart.
func (c *Running) rowKey() string { return fmt.Sprint(c.Program, " ", c.ID) }

// elapsed is how long a call has been running by now.
func (m *Model) elapsed(c *Running) time.Duration {
	return time.Duration(c.RunningMs*float64(time.Millisecond)) + max(0, m.now.Sub(m.got))
}

// runningCounts is what is known where running calls are not told apart.
func (m *Model) runningCounts() *table {
	t := &table{empty: "Nothing runs at the moment.", columns: []column{{title: "RUNNING", right: true}, {title: "TOOL"}, {title: "", wide: true, least: 10}}}
	for _, x := range m.state.Summary.Tools {
		if x.InFlight > 0 {
			t.rows = append(t.rows, row{key: x.Tool, words: x.Tool, cells: []cell{{display.Count(uint64(x.InFlight)), bold}, {text: safe(x.Tool)},
				{"since when is not known: the program serves without statshttp.Options.Running", quiet}}})
		}
	}
	return t
}

// stopwatch is a duration as a clock shows it that runs.
func stopwatch(d time.Duration) string {
	s := int64(d / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func (m *Model) sessions(p *place) *table {
	t := &table{empty: "No sessions: calls say whose they are by the session in their context.", columns: []column{
		{title: "SESSION", wide: true, least: 10}, {title: "CALLS", right: true}, {title: "ERRORS", right: true}, {title: "REPEATS", right: true, rank: 2},
		{title: "SEEN", right: true, rank: 1}, {title: "IN TOOLS", right: true, rank: 4}, {title: "IN A ROW", right: true, rank: 5}, {title: "WORST LOOP", rank: 3},
		{title: "AGENT", rank: 6}, {title: "COST", right: true, rank: 7},
	}}
	by := map[string]func(a, b *stats.SessionStats) int{
		"latest":  func(a, b *stats.SessionStats) int { return a.LastSeen.Compare(b.LastSeen) },
		"calls":   func(a, b *stats.SessionStats) int { return cmp.Compare(a.Calls, b.Calls) },
		"errors":  func(a, b *stats.SessionStats) int { return cmp.Compare(a.Errors, b.Errors) },
		"repeats": func(a, b *stats.SessionStats) int { return cmp.Compare(a.Looped, b.Looped) },
	}[p.orderName()]
	for _, s := range sorted(m.state.Sessions, by) {
		errors := cell{text: display.Count(s.Errors)}
		if s.Errors > 0 {
			errors.colour = red
		}
		t.rows = append(t.rows, row{key: s.Session, words: s.Session + " " + s.Agent, cells: []cell{
			{text: safe(s.Session)}, {text: display.Count(s.Calls)}, errors, {text: some(s.Looped > 0, display.Count(s.Looped))}, {text: m.ago(s.LastSeen)},
			{text: display.Milliseconds(s.RunMs)}, {text: some(s.WorstStreak > 1, display.Count(s.WorstStreak))}, {m.worstLoop(s.Session), amber},
			{text: clip(safe(s.Agent), 20)}, {text: some(s.Cost > 0, display.Three(s.Cost))},
		}})
	}
	return t
}

// worstLoop is the call that a session made most often, if it made it more than
// twice.
func (m *Model) worstLoop(session string) string {
	for _, l := range m.state.Loops { // the worst first
		if l.Session == session && l.Times > 2 {
			return fmt.Sprintf("%s × %s", clip(safe(l.Tool), 24), display.Count(l.Times))
		}
	}
	return ""
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

func (m *Model) errors(p *place) *table {
	t := &table{empty: "No errors in this window.", columns: []column{
		{title: "COUNT", right: true}, {title: "TOOL"}, {title: "TYPE", rank: 2}, {title: "LAST", right: true, rank: 3}, {title: "TREND", rank: 4}, {title: "MESSAGE", wide: true, least: 16},
	}}
	by := func(a, b *stats.ErrorGroup) int { return cmp.Compare(a.Count, b.Count) }
	if p.orderName() == "latest" {
		by = func(a, b *stats.ErrorGroup) int { return a.LastSeen.Compare(b.LastSeen) }
	}
	for _, g := range sorted(m.state.Summary.Errors, by) {
		trend := make([]float64, len(g.Trend))
		for i, n := range g.Trend {
			trend[i] = float64(n)
		}
		t.rows = append(t.rows, row{key: g.ID, words: g.Tool + " " + g.Type + " " + g.Message, cells: []cell{
			{display.Count(g.Count), bold}, {text: clip(safe(g.Tool), 24)}, {clip(safe(g.Type), 20), red}, {text: m.ago(g.LastSeen)}, {spark(trend, trendCells), blue}, {text: safe(g.Message)},
		}})
	}
	return t
}

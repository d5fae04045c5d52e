// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/internal/display"
)

// The smallest screen that anything can be shown on.
const (
	leastWidth  = 20
	leastHeight = 3
)

// Frame is what the screen shows: as many lines as it is high, none wider than it is.
func (m *Model) Frame() []string {
	p := screen.Paint{On: !m.options.Plain}
	var lines []string
	switch {
	case m.width < leastWidth || m.height < leastHeight:
		lines = []string{screen.Clip("too small", m.width)}
	case m.help:
		lines = m.helpPage(p)
	default:
		lines = append(m.top(p), m.body(p)...)
		lines = lines[:min(len(lines), m.height-1)]
		for len(lines) < m.height-1 {
			lines = append(lines, "")
		}
		lines = append(lines, m.foot(p))
	}
	for i := range lines {
		lines[i] = screen.Clip(lines[i], m.width)
		if m.options.ASCII {
			lines[i] = screen.ASCII(lines[i])
		}
	}
	return lines[:min(len(lines), max(1, m.height))]
}

// bodyHeight is how many lines are left for what the place shows.
func (m *Model) bodyHeight() int { return max(1, m.height-1-len(m.top(screen.Paint{}))) }

// top are the lines above the list: as many as there is room for.
func (m *Model) top(p screen.Paint) []string {
	var lines []string
	if m.height >= 7 {
		lines = append(lines, m.title(p))
	}
	if m.height >= 9 {
		lines = append(lines, m.totals(p))
	}
	if m.state != nil && m.state.Peers != "" && m.height >= 12 {
		lines = append(lines, p.In(screen.Quiet, screen.Clip(screen.Safe(m.state.Peers), m.width)))
	}
	if trouble := m.trouble(); trouble != "" && m.height >= 5 {
		lines = append(lines, p.In(screen.Red, screen.Clip(trouble, m.width)))
	}
	if m.height >= 4 {
		lines = append(lines, m.tabLine(p))
	}
	return lines
}

// title names the source on display and the time of its figures.
func (m *Model) title(p screen.Paint) string {
	right := m.window
	if m.state != nil {
		right = m.state.Window
		if !m.state.At.IsZero() { // a log may have no times
			right += " · " + m.clock(m.state.At)
		}
	}
	if m.paused {
		right += " · PAUSED"
	}
	left := "toolscope top"
	if m.state != nil {
		left += " · " + screen.Safe(m.state.Source)
	}
	left = screen.Fit(left, max(0, m.width-screen.Width(right)-1), false)
	return p.In(screen.Bold, left) + " " + p.In(screen.Quiet, screen.Clip(right, m.width-1))
}

// totals are all tools together.
func (m *Model) totals(p screen.Paint) string {
	if m.state == nil {
		return ""
	}
	x := &m.state.Summary.Overall
	errors := p.In(screen.Quiet, "no errors")
	if x.Errors > 0 {
		errors = p.In(screen.Red, display.Percent(x.ErrorRate)+" errors")
	}
	parts := []string{display.Number(x.Calls, "call")}
	if rate := display.Rate(x.Calls, x.CallsPerSecond); rate != "" {
		parts[0] += " " + rate
	}
	parts = append(
		parts, errors, "p50 "+summary.Ran(x, x.P50Ms), "p95 "+summary.Ran(x, x.P95Ms),
		"p99 "+p.In(screen.Bold, summary.Ran(x, x.P99Ms)),
	)
	if x.InFlight > 0 {
		parts = append(parts, p.In(screen.Amber, display.Count(uint64(x.InFlight))+" running"))
	}
	if trend := screen.Spark(m.state.Trend[""], 24); strings.TrimSpace(trend) != "" {
		parts = append(parts, p.In(screen.Blue, trend))
	}
	return joined(m.width, parts)[0]
}

// joined sets parts beside each other, in as many lines as they take; a part that is
// wider than a line is cut.
func joined(cells int, parts []string) []string {
	lines := []string{""}
	for _, part := range parts {
		last := &lines[len(lines)-1]
		switch {
		case part == "":
		case *last == "":
			*last = screen.Clip(part, cells)
		case screen.Width(*last)+len(screen.Gap)+screen.Width(part) <= cells:
			*last += screen.Gap + part
		default:
			lines = append(lines, screen.Clip(part, cells))
		}
	}
	return lines
}

// trouble is what a person must know; "" if all is well.
func (m *Model) trouble() string {
	switch {
	case m.err != nil && m.state == nil:
		return "! " + screen.Safe(m.err.Error()) + "; asking again every " + m.options.Every.String()
	case m.err != nil:
		return fmt.Sprintf(
			"! gone for %s: %s; asking again every %s", stopwatch(m.now.Sub(m.failing)),
			screen.Safe(m.err.Error()), m.options.Every,
		)
	case m.state != nil && len(m.state.Notes) > 0:
		return "! " + screen.Safe(strings.Join(m.state.Notes, "; "))
	}
	return ""
}

// titles are the names of the lists.
var titles = [tabs]string{"Tools", "Calls", "Running", "Sessions", "Errors", "Frames"}

// tabLine names the lists, or the way to where the person is.
func (m *Model) tabLine(p screen.Paint) string {
	pl := m.place()
	var parts []string
	if len(m.stack) > 0 {
		parts = append(parts, titles[m.tab])
		for i := range m.stack {
			parts = append(parts, m.stack[i].name())
		}
		return p.In(screen.Bold, screen.Clip(strings.Join(parts, " › "), m.width)) // each part is safe
	}
	for i, title := range titles[:m.lists()] {
		text := fmt.Sprintf("%d %s", i+1, title)
		if kind(i) == m.tab {
			parts = append(parts, p.In(screen.Inverted, "["+text+"]"))
			continue
		}
		parts = append(parts, text)
	}
	if by := pl.orderName(); by != "" && (pl.order > 0 || pl.reverse) {
		if pl.reverse {
			by += ", reversed"
		}
		parts = append(parts, p.In(screen.Quiet, "by "+by))
	}
	if pl.filter != "" && !m.typing {
		parts = append(parts, p.In(screen.Amber, "/"+screen.Safe(pl.filter)))
	}
	return joined(m.width, parts)[0]
}

// name is a place in the way to it.
func (p *place) name() string {
	switch p.kind {
	case oneCall:
		return "call of " + screen.Clip(screen.Safe(p.call.Tool), 30)
	case oneRunning:
		return "running " + screen.Clip(screen.Safe(p.running.Tool), 30)
	case oneError:
		return "error"
	case oneFrame:
		return "frame " + screen.Clip(screen.Safe(strings.TrimSpace(p.frame.Method+" "+p.frame.Name)), 40)
	}
	return screen.Clip(screen.Safe(p.key), 40)
}

// body is what the place shows: what is to be said of it, and its list or text.
func (m *Model) body(p screen.Paint) []string {
	room := m.bodyHeight()
	if m.state == nil {
		if m.err != nil {
			return nil // it stands above
		}
		return []string{p.In(screen.Quiet, screen.Clip("Asking …", m.width))}
	}
	pl := m.place()
	facts := m.facts(pl, p)
	t := m.table(pl)
	if t == nil {
		pl.top = max(0, min(pl.top, len(facts)-room))
		return facts[pl.top:min(len(facts), pl.top+room)]
	}
	if most := max(0, room-2); len(facts) > most/2 && len(t.Rows) > 0 {
		facts = facts[:max(0, min(len(facts), max(most/2, most-len(t.Rows))))]
	} else if len(facts) > most {
		facts = facts[:most]
	}
	return append(facts, m.list(pl, t, room-len(facts), p)...)
}

// list draws the rows of a table around the selected one.
func (m *Model) list(pl *place, t *screen.Table, room int, p screen.Paint) []string {
	if len(t.Rows) == 0 {
		return []string{p.In(screen.Quiet, screen.Clip(t.Empty, m.width))}
	}
	widths := t.Lay(m.width - screen.Width(marker))
	var lines []string
	if room > 1 {
		lines = append(lines, strings.Repeat(" ", screen.Width(marker))+t.Head(widths, p))
		room--
	}
	selected := pl.selected(t)
	pl.top = max(0, min(pl.top, selected, len(t.Rows)-room))
	if selected >= pl.top+room {
		pl.top = selected - room + 1
	}
	for i := pl.top; i < min(len(t.Rows), pl.top+room); i++ {
		r := t.Rows[i]
		switch {
		case i == selected:
			lines = append(lines, p.In(screen.Inverted, screen.Clip(marker+t.Line(r.Cells, widths, screen.Paint{}, ""), m.width)))
		case r.Quiet:
			lines = append(lines, unmarked+t.Line(r.Cells, widths, p, screen.Quiet))
		default:
			lines = append(lines, unmarked+t.Line(r.Cells, widths, p, ""))
		}
	}
	return lines
}

// A selected row begins with the marker, so that it is seen without colour.
const marker, unmarked = "> ", "  "

// foot is the line of keys, or the filter as it is typed.
func (m *Model) foot(p screen.Paint) string {
	pl := m.place()
	if m.typing {
		const keys = "  enter keeps  esc undoes"
		prompt := screen.Clip("/"+screen.Safe(pl.filter)+"_", max(m.width-len(keys), m.width/2))
		return prompt + p.In(screen.Quiet, screen.Clip(keys, m.width-screen.Width(prompt)))
	}
	keys := []string{"q quit", "? help", "esc back", "enter open", "/ filter", "s sort", "w window", "p pause", "tab next"}
	switch {
	case !pl.hasRows():
		keys = []string{"q quit", "? help", "esc back", "↑↓ scroll", "p pause"}
	case len(m.stack) == 0:
		keys[2], keys[3] = keys[3], keys[2]
		if pl.filter == "" {
			keys = append(keys[:3], keys[4:]...)
		}
	}
	if m.paused {
		keys[len(keys)-1] = "p go on"
	}
	return p.In(screen.Quiet, joined(m.width, keys)[0])
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/stats"
)

// An act is what a key asks of the outside.
type act int

const (
	nothing act = iota
	askNow
	redraw
	suspend
	quit
)

// press takes a key, named as Bubble Tea names it, and the text that it types.
func (m *Model) press(key, text string) act {
	if key == "ctrl+c" {
		return quit
	}
	switch {
	case m.typing:
		m.pressTyping(key, text)
		return nothing
	case m.help:
		m.help = key != "?" && key != "esc" && key != "q" && key != "enter"
		return nothing
	}
	switch key {
	case "q":
		return quit
	case "?", "f1":
		m.help = true
	case "p", "space":
		m.paused = !m.paused
		if !m.paused {
			return askNow
		}
	case "ctrl+l":
		return redraw
	case "ctrl+z":
		return suspend
	case "w", "W":
		return m.turnWindow(key == "w")
	case "1", "2", "3", "4", "5", "6":
		if to := kind(key[0] - '1'); to < m.lists() {
			m.tab, m.stack = to, nil
		}
	case "tab":
		m.tab, m.stack = (m.tab+1)%m.lists(), nil
	case "shift+tab":
		m.tab, m.stack = (m.tab+m.lists()-1)%m.lists(), nil
	case "esc", "left", "h", "backspace":
		m.back()
	default:
		m.pressList(key)
	}
	return nothing
}

// pressList takes the keys that act on the list, or the text, of the place.
func (m *Model) pressList(key string) {
	p := m.place()
	page := max(1, m.bodyHeight()-2)
	switch key {
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup", "ctrl+b":
		m.move(-page)
	case "pgdown", "ctrl+f":
		m.move(page)
	case "home", "g":
		m.move(-1 << 30)
	case "end", "G":
		m.move(1 << 30)
	case "enter", "right", "l":
		m.into()
	case "s":
		if n := len(orders[p.kind]); n > 0 {
			p.order = (p.order + 1) % n
			p.at, p.row, p.top = "", 0, 0
		}
	case "r":
		if p.hasRows() {
			p.reverse = !p.reverse
			p.at, p.row, p.top = "", 0, 0
		}
	case "/":
		if p.hasRows() {
			m.typing, m.typed = true, p.filter
		}
	}
}

// hasRows reports whether a place has a list.
func (p *place) hasRows() bool { return len(orders[p.kind]) > 0 }

// pressTyping takes a key while the filter is being typed; the list follows at once.
func (m *Model) pressTyping(key, text string) {
	p := m.place()
	switch key {
	case "enter":
		m.typing = false
		return
	case "esc":
		m.typing = false
		p.filter = m.typed
		return
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(p.filter)
		p.filter = p.filter[:len(p.filter)-n]
	case "ctrl+u":
		p.filter = ""
	default:
		m.typeText(text)
	}
	p.at, p.row, p.top = "", 0, 0
}

// maxFilter is how long a filter can be, in bytes.
const maxFilter = 200

// typeText adds a text, which may have been pasted, to the filter.
func (m *Model) typeText(text string) {
	p := m.place()
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	if m.typing && len(p.filter)+len(text) <= maxFilter {
		p.filter += text
	}
}

func (m *Model) turnWindow(forward bool) act {
	names := stats.WindowNames()
	i := slices.Index(names, m.window)
	if i < 0 {
		return nothing
	}
	if forward {
		i++
	} else {
		i += len(names) - 1
	}
	m.window = names[i%len(names)]
	return askNow
}

// back leaves a place, or takes a filter away.
func (m *Model) back() {
	p := m.place()
	switch {
	case p.filter != "":
		p.filter = ""
		p.at, p.row, p.top = "", 0, 0
	case len(m.stack) > 0:
		m.stack = m.stack[:len(m.stack)-1]
	}
}

// move selects the row that is so many further, or scrolls a text.
func (m *Model) move(by int) {
	p := m.place()
	t := m.table(p)
	if t == nil {
		p.top = max(0, p.top+by) // the end is known when it is drawn
		return
	}
	if len(t.Rows) == 0 {
		return
	}
	i := min(len(t.Rows)-1, max(0, p.selected(t)+by))
	p.row, p.at = i, t.Rows[i].Key
	if i == 0 {
		p.at = "" // stays at the first row, whichever that is
	}
}

// selected is the number of the selected row: where it has moved to, or what took its
// place.
func (p *place) selected(t *screen.Table) int {
	if p.at == "" {
		p.row = 0
		return 0
	}
	if i := slices.IndexFunc(t.Rows, func(r screen.Row) bool { return r.Key == p.at }); i >= 0 {
		p.row = i
		return i
	}
	return max(0, min(p.row, len(t.Rows)-1))
}

// into goes into the selected row.
func (m *Model) into() {
	p := m.place()
	t := m.table(p)
	if t == nil || len(t.Rows) == 0 {
		return
	}
	next := place{key: t.Rows[p.selected(t)].Key}
	switch p.kind {
	case toolList:
		next.kind = oneTool
	case sessionList:
		next.kind = oneSession
	case errorList:
		next.kind = oneError
	case runningList:
		i := slices.IndexFunc(m.state.Running, func(r Running) bool { return r.rowKey() == next.key })
		if i < 0 { // only counted
			next.kind = oneTool
			break
		}
		next.kind, next.running = oneRunning, m.state.Running[i]
	case frameList:
		i := slices.IndexFunc(m.state.Frames, func(f Frame) bool { return f.Key == next.key })
		next.kind, next.frame = oneFrame, m.state.Frames[i]
	default:
		i := slices.IndexFunc(m.state.Calls, func(c Call) bool { return c.Key == next.key })
		if i < 0 {
			return
		}
		next.kind, next.call = oneCall, m.state.Calls[i]
	}
	m.stack = append(m.stack, next)
}

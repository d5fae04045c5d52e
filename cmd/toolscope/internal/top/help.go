// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import "github.com/toolscope/toolscope/cmd/toolscope/internal/screen"

// keyHelp is what each key does.
var keyHelp = []struct{ keys, does string }{
	{"1 to 6, tab", "tools, calls, running calls, sessions, errors, frames"},
	{"↑ ↓ pgup pgdn g G", "another row; the first row stays the first as rows move"},
	{"enter", "open: the calls of a tool, session or error; a call whole"},
	{"esc", "back, or remove the filter"},
	{"/", "filter: words that must occur, -words that must not"},
	{"s  r", "sort by something else; turn the order around"},
	{"w  W", "the next window of time, the one before"},
	{"p or space", "pause, go on"},
	{"ctrl+l  ctrl+z", "redraw; suspend (fg resumes)"},
	{"q or ctrl+c", "quit"},
}

// helpPage explains keys and columns.
func (m *Model) helpPage(p screen.Paint) []string {
	lines := []string{p.In(screen.Bold, screen.Clip("toolscope top", m.width)), ""}
	for _, k := range keyHelp {
		lines = append(lines, screen.Clip(p.In(screen.Bold, screen.Fit(k.keys, 19, false))+k.does, m.width))
	}
	lines = append(lines, "")
	for _, text := range []string{
		"P50, P95 and P99 include only executed calls, not hits and refusals.",
		"TOOK includes waits; PERSON is the part of it that a person took to decide.",
		"A filter may name a field: tool: session: agent: outcome: status:error, and of frames dir:in kind: method: id:.",
		"TREND is the number of calls in parts of the window, the oldest first.",
		"Arguments and results are redacted where they are recorded.",
	} {
		lines = append(lines, screen.Wrap(text, m.width)...)
	}
	lines = lines[:min(len(lines), max(1, m.height-1))]
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	return append(lines, p.In(screen.Quiet, screen.Clip("? or esc closes this", m.width)))
}

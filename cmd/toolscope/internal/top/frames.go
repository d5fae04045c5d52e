// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"cmp"
	"strings"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
)

// frames are the messages of a recording.
func (m *Model) frames(p *place) *screen.Table {
	by := func(a, b *Frame) int { return 0 }
	if p.orderName() == "slowest" {
		by = func(a, b *Frame) int { return cmp.Compare(a.TookMs, b.TookMs) }
	}
	return list[Frame]{
		empty: "No frames yet.",
		key:   func(f *Frame) string { return f.Key },
		words: (*Frame).words,
		quiet: func(f *Frame) bool { return f.Direction == "" },
		fields: []field[Frame]{
			{left("AT", 2), in(screen.Quiet, func(f *Frame) string { return m.clock(f.Time) })},
			{left("", 1), plainly(func(f *Frame) string { return f.Direction })},
			{left("METHOD", 0), plainly(func(f *Frame) string { return short(cmp.Or(f.Method, f.Kind), 24) })},
			{left("NAME", 0), plainly(func(f *Frame) string { return short(f.Name, 24) })},
			{left("ID", 4), plainly(func(f *Frame) string { return short(f.ID, 12) })},
			{left("STATUS", 1), frameStatus},
			{right("TOOK", 2), plainly(func(f *Frame) string { return some(f.TookMs > 0, display.Milliseconds(f.TookMs)) })},
			{left("SESSION", 5), in(screen.Quiet, func(f *Frame) string { return short(f.Session, 16) })},
			{wide("RECORD", 18, 3), in(screen.Quiet, func(f *Frame) string { return screen.Safe(f.Text) })},
		},
	}.table(sorted(m.state.Frames, by))
}

func frameStatus(f *Frame) (text, colour string) {
	return short(f.Status, 20), some(f.Status != "ok", screen.Red)
}

// words is what filters search.
func (f *Frame) words() string {
	direction := map[string]string{"→": "out", "←": "in"}[f.Direction]
	fields := fieldWords("dir", direction, "kind", f.Kind, "method", f.Method, "tool", f.Name, "id", f.ID, "session", f.Session)
	if f.Kind == "response" {
		fields += statusWords(some(f.Status != "ok", f.Status))
	}
	return f.Text + " " + fields
}

// frameFacts is a frame as a whole.
func (m *Model) frameFacts(f *Frame, p screen.Paint) []string {
	status, colour := frameStatus(f)
	lines := joined(m.width, []string{
		p.In(screen.Bold, screen.Safe(strings.TrimSpace(f.Direction+" "+cmp.Or(f.Method, f.Kind)))), screen.Safe(f.Name),
		p.In(colour, status), spent("took", f.TookMs), "at " + m.moment(f.Time), fact("id", screen.Safe(f.ID)),
		fact("session", screen.Safe(f.Session)),
	})
	return append(lines, block("Record", f.Text, m.width, p)...)
}

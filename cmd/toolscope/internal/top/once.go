// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"context"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
)

// onceRows is how many rows of a list one plain frame has.
const onceRows = 20

// Once asks once and returns all lists below each other as plain text of so many
// cells, which is no more than a pipe or a log wants.
func Once(ctx context.Context, source Source, options Options, cells int) (string, error) {
	options.Plain = true
	m := New(ctx, source, options)
	m.width, m.height = max(leastWidth, cells), 1<<20
	s, err := source.State(ctx, m.window)
	if err != nil {
		return "", err
	}
	m.now = time.Now()
	m.answered(m.asked, s, nil)
	return m.page(func(c *Call) {
		if content, err := source.Content(ctx, *c); err == nil {
			m.keep(c.Key, content)
		}
	}), nil
}

// page is all lists below each other. fill is given each call that is shown, before
// it is.
func (m *Model) page(fill func(*Call)) string {
	var b strings.Builder
	line := func(text string) {
		if m.options.ASCII {
			text = screen.ASCII(text)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line(m.title(screen.Paint{}))
	line(m.totals(screen.Paint{}))
	if m.state.Peers != "" {
		line(screen.Clip(screen.Safe(m.state.Peers), m.width))
	}
	if trouble := m.trouble(); trouble != "" {
		line(trouble)
	}
	for i := range m.state.Calls[:min(len(m.state.Calls), onceRows)] {
		if _, known := m.content(&m.state.Calls[i]); !known {
			fill(&m.state.Calls[i])
		}
	}
	for i, title := range titles[:m.lists()] {
		t := m.table(&m.tabs[i])
		line("")
		line(title)
		if len(t.Rows) == 0 {
			line("  " + t.Empty)
			continue
		}
		left := t.Rows[min(len(t.Rows), onceRows):]
		t.Rows = t.Rows[:len(t.Rows)-len(left)]
		widths := t.Lay(m.width - 2)
		line("  " + t.Head(widths, screen.Paint{}))
		for _, r := range t.Rows {
			line(screen.Clip("  "+t.Line(r.Cells, widths, screen.Paint{}, ""), m.width))
		}
		if len(left) > 0 {
			line("  … and more")
		}
	}
	return b.String()
}

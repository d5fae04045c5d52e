// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"context"
	"strings"
	"time"
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
			text = ascii(text)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line(m.title(paint{}))
	line(m.totals(paint{}))
	if trouble := m.trouble(); trouble != "" {
		line(trouble)
	}
	for i := range m.state.Calls[:min(len(m.state.Calls), onceRows)] {
		if _, known := m.content(&m.state.Calls[i]); !known {
			fill(&m.state.Calls[i])
		}
	}
	for i, title := range titles {
		t := m.table(&m.tabs[i])
		line("")
		line(title)
		if len(t.rows) == 0 {
			line("  " + t.empty)
			continue
		}
		left := t.rows[min(len(t.rows), onceRows):]
		t.rows = t.rows[:len(t.rows)-len(left)]
		widths := t.lay(m.width - 2)
		line("  " + t.head(widths, paint{}))
		for _, r := range t.rows {
			line(clip("  "+t.line(r.cells, widths, paint{}, ""), m.width))
		}
		if len(left) > 0 {
			line("  … and more")
		}
	}
	return b.String()
}

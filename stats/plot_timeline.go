// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
)

// A timeline is a window in columns of equal width: what the heat map and the
// trends are drawn from.
type timeline struct {
	columns []heatColumn
	width   time.Duration
	lines   map[string]*line // by tool; "" is all of them
}

// line is the calls and errors of a tool in each column, per second.
type line struct{ calls, errors []float64 }

// maxColumns is how many columns a timeline has at most.
const maxColumns = 96

// newTimeline sorts intervals into columns from a time to another. A column is as wide as
// the intervals kept of that age, so that each lies in one. The histograms are those of
// the tool, or of all if it is "".
func newTimeline(intervals []*Snapshot, from, to time.Time, tool string) *timeline {
	t := &timeline{width: columnWidth(to.Sub(from)), lines: make(map[string]*line)}
	start := time.Unix(0, floor(from.UnixNano(), int64(t.width))).In(to.Location())
	n := int(to.Sub(start)/t.width) + 1
	parts := make([][]*histogram.Histogram, n)
	for _, s := range intervals {
		i := int(s.From.Sub(start) / t.width)
		if s.From.Before(start) || i >= n {
			continue
		}
		parts[i] = append(parts[i], s.Executed(tool).raw())
		for j := range s.Tools {
			x := &s.Tools[j]
			t.line(x.Tool, n).add(i, x)
			t.line("", n).add(i, x)
		}
	}
	for i := range parts {
		c := heatColumn{From: start.Add(time.Duration(i) * t.width), To: start.Add(time.Duration(i+1) * t.width)}
		c.Executed = (*Histogram)(histogram.Merge(parts[i]...))
		t.columns = append(t.columns, c)
		begin, end := c.From, c.To // of the part that is over
		if begin.Before(from) {
			begin = from
		}
		if end.After(to) {
			end = to
		}
		seconds := max(1, end.Sub(begin).Seconds())
		for _, l := range t.lines {
			l.calls[i] /= seconds
			l.errors[i] /= seconds
		}
	}
	return t
}

// columnWidth is the width of a column for a span: that of the intervals kept of
// such an age, or a multiple of it.
func columnWidth(span time.Duration) time.Duration {
	width := time.Duration(coarseWidth)
	switch {
	case int64(span) <= fineFor:
		width = time.Duration(fineWidth)
	case int64(span) <= minuteFor:
		width = time.Duration(minuteWidth)
	}
	return width * max(1, (span/width+maxColumns-1)/maxColumns)
}

// line is that of a tool, made if need be.
func (t *timeline) line(tool string, n int) *line {
	l := t.lines[tool]
	if l == nil {
		l = &line{make([]float64, n), make([]float64, n)}
		t.lines[tool] = l
	}
	return l
}

func (l *line) add(i int, t *ToolSnapshot) {
	l.calls[i] += float64(t.Calls())
	l.errors[i] += float64(t.Errors())
}

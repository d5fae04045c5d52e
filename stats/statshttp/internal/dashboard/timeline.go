// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/stats"
)

// A timeline is a window in columns of equal width: what the heat map and the
// trends are drawn from.
type timeline struct {
	columns []plot.HeatColumn
	width   time.Duration
	lines   map[string]*plot.Line // by tool; "" is all of them
}

// maxColumns is how many columns a timeline has at most.
const maxColumns = 96

// newTimeline sorts intervals into columns from a time to another. A column is as wide as
// the intervals kept of that age, so that each lies in one. The histograms are those of
// the tool, or of all if it is "".
func newTimeline(intervals []*stats.Snapshot, from, to time.Time, tool string) *timeline {
	t := &timeline{width: columnWidth(to.Sub(from)), lines: make(map[string]*plot.Line)}
	start := time.Unix(0, from.UnixNano()/int64(t.width)*int64(t.width)).In(to.Location())
	n := int(to.Sub(start)/t.width) + 1
	parts := make([][]*histogram.Histogram, n)
	for _, s := range intervals {
		i := int(s.From.Sub(start) / t.width)
		if s.From.Before(start) || i >= n {
			continue
		}
		parts[i] = append(parts[i], (*histogram.Histogram)(s.Executed(tool)))
		for j := range s.Tools {
			x := &s.Tools[j]
			t.addCounts(x.Tool, i, n, x)
			t.addCounts("", i, n, x)
		}
	}
	for i := range parts {
		c := plot.HeatColumn{From: start.Add(time.Duration(i) * t.width), To: start.Add(time.Duration(i+1) * t.width)}
		c.Executed = (*stats.Histogram)(histogram.Merge(parts[i]...))
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
			l.Calls[i] /= seconds
			l.Errors[i] /= seconds
		}
	}
	return t
}

// columnWidth is the width of a column for a span: that of the intervals kept of such an age, or a multiple of it.
func columnWidth(span time.Duration) time.Duration {
	width := stats.IntervalWidth(span)
	return width * max(1, (span/width+maxColumns-1)/maxColumns)
}

// lineOf is that of a tool; an empty one if it had no calls.
func (t *timeline) lineOf(tool string) plot.Line {
	if l := t.lines[tool]; l != nil {
		return *l
	}
	return plot.Line{}
}

// addCounts adds what was counted of a tool in column i of n to a line, which is made if need be.
func (t *timeline) addCounts(tool string, i, n int, counts *stats.ToolSnapshot) {
	l := t.lines[tool]
	if l == nil {
		l = &plot.Line{Calls: make([]float64, n), Errors: make([]float64, n)}
		t.lines[tool] = l
	}
	l.Calls[i] += float64(counts.Calls())
	l.Errors[i] += float64(counts.Errors())
}

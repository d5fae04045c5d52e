// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
)

// maxColumns is how many columns of time the timeline of a log has at most.
const maxColumns = 96

// timeline is calls over time, in columns of equal width. Neither the length of a log nor the order of its calls is known
// in advance. So whenever a call lies beyond the columns, they are made twice as wide, two of them becoming one: memory
// stays the same.
type timeline struct {
	width   int64                // of a column, in nanoseconds
	start   int64                // of the first column, a multiple of width
	columns []*histogram.Builder // the running times of all tools; nil for none
	tools   map[string]*trend
}

// trend is the calls and errors of a tool in each column, the later columns without any left out.
type trend struct{ calls, errors []float64 }

// A Column is the running times of the calls in a part of the log's time.
type Column struct {
	From, To time.Time
	Executed *stats.Histogram
}

// KeepTimeline makes the log keep calls over time as well, of the lines added from now on that have a time: for
// [Log.Trend] and [Log.Columns]. It takes at most 2 KiB for each tool, and 3 MiB.
func (l *Log) KeepTimeline() {
	if l.timeline == nil {
		l.timeline = &timeline{width: int64(time.Second), tools: make(map[string]*trend)}
	}
}

// Trend is how many calls of a tool ended in parts of the log's time of equal length, at most 96 of them, the oldest
// first, and how many of those failed; all tools if the name is "". They are nil without [Log.KeepTimeline], or if no
// call of the tool had a time.
func (l *Log) Trend(tool string) (calls, errors []float64) {
	t := l.timeline
	if t == nil {
		return nil, nil
	}
	for name, trend := range t.tools {
		if tool != "" && name != tool {
			continue
		}
		if calls == nil {
			calls, errors = make([]float64, len(t.columns)), make([]float64, len(t.columns))
		}
		for i, n := range trend.calls {
			calls[i] += n
		}
		for i, n := range trend.errors {
			errors[i] += n
		}
	}
	return calls, errors
}

// Columns are the running times over time, in a zone; nil without [Log.KeepTimeline].
func (l *Log) Columns(zone *time.Location) []Column {
	t := l.timeline
	if t == nil {
		return nil
	}
	columns := make([]Column, len(t.columns))
	for i, b := range t.columns {
		from := time.Unix(0, t.start+int64(i)*t.width).In(zone)
		columns[i] = Column{From: from, To: from.Add(time.Duration(t.width)), Executed: finished(b)}
	}
	return columns
}

// addCall counts a call that ended at a time.
func (t *timeline) addCall(at int64, tool string, executed, failed bool, ns int64) {
	i := t.columnOf(at)
	if executed {
		record(&t.columns[i], histogram.MinDigits, ns)
	}
	of := t.tools[tool]
	if of == nil {
		of = &trend{}
		t.tools[tool] = of
	}
	of.calls = increment(of.calls, i, 1)
	if failed {
		of.errors = increment(of.errors, i, 1)
	}
}

// increment adds n at a place, for which room is made.
func increment(counts []float64, i int, n float64) []float64 {
	if missing := i + 1 - len(counts); missing > 0 {
		counts = append(counts, make([]float64, missing)...)
	}
	counts[i] += n
	return counts
}

// columnOf is the number of the column in which a time lies. It makes the column if need be.
func (t *timeline) columnOf(at int64) int {
	if len(t.columns) == 0 {
		t.start, t.columns = floor(at, t.width), make([]*histogram.Builder, 1)
	}
	for {
		first := min(t.start, floor(at, t.width))
		last := max(t.start+int64(len(t.columns)-1)*t.width, floor(at, t.width))
		if n := (last-first)/t.width + 1; n <= maxColumns {
			t.stretch(first, int(n))
			return int((at - t.start) / t.width)
		}
		t.widen()
	}
}

// floor is the last multiple of width at or before t.
func floor(t, width int64) int64 {
	f := t - t%width
	if f > t {
		f -= width
	}
	return f
}

// stretch makes the columns begin at a time, not later than they do, and be n.
func (t *timeline) stretch(first int64, n int) {
	if before := int((t.start - first) / t.width); before > 0 {
		t.columns = slices.Insert(t.columns, 0, make([]*histogram.Builder, before)...)
		for _, of := range t.tools {
			of.calls = slices.Insert(of.calls, 0, make([]float64, before)...)
			of.errors = slices.Insert(of.errors, 0, make([]float64, before)...)
		}
		t.start = first
	}
	t.columns = append(t.columns, make([]*histogram.Builder, max(0, n-len(t.columns)))...)
}

// widen makes columns twice as wide.
func (t *timeline) widen() {
	start := floor(t.start, 2*t.width)
	shift := int((t.start - start) / t.width) // 0 or 1
	to := func(i int) int { return (i + shift) / 2 }
	columns := make([]*histogram.Builder, to(len(t.columns)-1)+1)
	for i, from := range t.columns {
		switch c := &columns[to(i)]; {
		case from == nil:
		case *c == nil:
			*c = from
		default:
			(*c).AddHistogram(from.Histogram())
			from.Release()
		}
	}
	fold := func(counts []float64) (sums []float64) {
		for i, n := range counts {
			sums = increment(sums, to(i), n)
		}
		return sums
	}
	for _, of := range t.tools {
		of.calls, of.errors = fold(of.calls), fold(of.errors)
	}
	t.width, t.start, t.columns = 2*t.width, start, columns
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
)

// logColumns is how many columns of time the timeline of a call log has at most.
const logColumns = 96

// logTimeline is calls over time, in columns of equal width. A log tells neither how
// long it is nor in which order its calls are, so that columns are made twice as wide,
// two of them becoming one, whenever a call lies beyond them: memory stays the same.
type logTimeline struct {
	width   int64 // of a column, in nanoseconds
	start   int64 // of the first column, a multiple of width
	columns []logColumn
	tools   map[*logTool]*logTrend
}

// logColumn is the running times of all tools in a column.
type logColumn struct{ executed *histogram.Builder }

// logTrend is the calls and errors of a tool in each column.
type logTrend struct{ calls, errors []uint64 }

// KeepTimeline makes the log keep calls over time as well, of the lines added from now
// on that have a time: for [CallLog.Trend] and [CallLog.WritePage]. It takes at
// most 2 KiB for each tool, and 3 MiB.
func (l *CallLog) KeepTimeline() {
	if l.timeline == nil {
		l.timeline = &logTimeline{width: int64(time.Second), tools: make(map[*logTool]*logTrend)}
	}
}

// Trend is how many calls of a tool ended in parts of the log's time of equal length, at
// most 96 of them, the oldest first; all tools if the name is "". It is nil without
// [CallLog.KeepTimeline], or if no call of the tool had a time.
func (l *CallLog) Trend(tool string) []float64 {
	calls, _ := l.timeline.trend(tool)
	return calls
}

// add counts a call.
func (t *logTimeline) add(at int64, of *logTool, executed, failed bool, ns int64) {
	if at == 0 {
		return
	}
	i := t.column(at)
	if executed {
		count(&t.columns[i].executed, auxDigits, ns)
	}
	trend := t.tools[of]
	if trend == nil {
		trend = &logTrend{}
		t.tools[of] = trend
	}
	trend.calls = at1(trend.calls, i)
	if failed {
		trend.errors = at1(trend.errors, i)
	}
}

// at1 adds one at a place, for which room is made.
func at1(counts []uint64, i int) []uint64 {
	if missing := i + 1 - len(counts); missing > 0 {
		counts = append(counts, make([]uint64, missing)...)
	}
	counts[i]++
	return counts
}

// column is the number of the column in which a time lies, which is made to be there.
func (t *logTimeline) column(at int64) int {
	if len(t.columns) == 0 {
		t.start = floor(at, t.width)
		t.columns = make([]logColumn, 1)
	}
	for {
		first := min(t.start, floor(at, t.width))
		last := max(t.start+int64(len(t.columns)-1)*t.width, floor(at, t.width))
		if n := (last-first)/t.width + 1; n <= logColumns {
			t.stretch(first, int(n))
			return int((at - t.start) / t.width)
		}
		t.widen()
	}
}

// stretch makes the columns begin at a time, not later than they do, and be n.
func (t *logTimeline) stretch(first int64, n int) {
	if before := int((t.start - first) / t.width); before > 0 {
		t.columns = slices.Insert(t.columns, 0, make([]logColumn, before)...)
		for _, trend := range t.tools {
			trend.calls = slices.Insert(trend.calls, 0, make([]uint64, before)...)
			trend.errors = slices.Insert(trend.errors, 0, make([]uint64, before)...)
		}
		t.start = first
	}
	for len(t.columns) < n {
		t.columns = append(t.columns, logColumn{})
	}
}

// widen makes columns twice as wide.
func (t *logTimeline) widen() {
	width := 2 * t.width
	start := floor(t.start, width)
	shift := int((t.start - start) / t.width) // 0 or 1
	to := func(i int) int { return (i + shift) / 2 }
	columns := make([]logColumn, to(len(t.columns)-1)+1)
	for i := range t.columns {
		c := &columns[to(i)]
		switch from := t.columns[i].executed; {
		case from == nil:
		case c.executed == nil:
			c.executed = from
		default:
			c.executed.AddHistogram(from.Histogram())
			from.Release()
		}
	}
	fold := func(counts []uint64) []uint64 {
		var sums []uint64
		for i, n := range counts {
			for len(sums) <= to(i) {
				sums = append(sums, 0)
			}
			sums[to(i)] += n
		}
		return sums
	}
	for _, trend := range t.tools {
		trend.calls, trend.errors = fold(trend.calls), fold(trend.errors)
	}
	t.width, t.start, t.columns = width, start, columns
}

// trend is the calls and errors of a tool, or of all, in each column.
func (t *logTimeline) trend(tool string) (calls, errors []float64) {
	if t == nil || len(t.columns) == 0 {
		return nil, nil
	}
	found := false
	calls, errors = make([]float64, len(t.columns)), make([]float64, len(t.columns))
	for of, trend := range t.tools {
		if tool != "" && of.name != tool {
			continue
		}
		found = true
		for i, n := range trend.calls {
			calls[i] += float64(n)
		}
		for i, n := range trend.errors {
			errors[i] += float64(n)
		}
	}
	if !found {
		return nil, nil
	}
	return calls, errors
}

// heat are the columns as the heat map has them.
func (t *logTimeline) heat(zone *time.Location) []heatColumn {
	if t == nil {
		return nil
	}
	columns := make([]heatColumn, len(t.columns))
	for i := range columns {
		from := time.Unix(0, t.start+int64(i)*t.width).In(zone)
		columns[i] = heatColumn{From: from, To: from.Add(time.Duration(t.width))}
		if b := t.columns[i].executed; b != nil {
			columns[i].Executed = (*Histogram)(b.Histogram())
		}
	}
	return columns
}

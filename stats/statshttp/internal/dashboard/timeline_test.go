// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
)

// histogramOf is a histogram of one value.
func histogramOf(d time.Duration) *stats.Histogram {
	b := histogram.NewBuilder(histogram.MaxDigits)
	defer b.Release()
	b.Record(histogram.Clamp(d))
	return (*stats.Histogram)(b.Histogram())
}

// Each interval falls into the column of its time, whatever the window.
func TestTimeline(t *testing.T) {
	to := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct{ span, width time.Duration }{
		{time.Minute, 10 * time.Second}, {15 * time.Minute, 10 * time.Second}, {time.Hour, time.Minute},
		{2 * time.Hour, 2 * time.Minute}, {24 * time.Hour, 20 * time.Minute}, {0, 10 * time.Second},
	} {
		t.Run(c.span.String(), func(t *testing.T) {
			from := to.Add(-c.span)
			var intervals []*stats.Snapshot
			for at := from.Truncate(c.width); !at.After(to); at = at.Add(c.width) {
				intervals = append(intervals, &stats.Snapshot{From: at, To: at.Add(c.width), Tools: []stats.ToolSnapshot{
					{Tool: "a", Histograms: stats.Histograms{Executed: histogramOf(time.Second)}},
					{Tool: "b", Histograms: stats.Histograms{Executed: histogramOf(time.Minute)}, ErrorTypes: []stats.TypeCount{{Type: "timeout", Count: 1}}},
				}})
			}
			l := newTimeline(intervals, from, to, "a")
			if l.width != c.width || len(l.columns) > maxColumns+1 || len(l.columns) != len(intervals) {
				t.Fatalf("got %d columns of %v, want %d of %v", len(l.columns), l.width, len(intervals), c.width)
			}
			for i, x := range l.columns {
				if x.Executed.Count() != 1 || x.Executed.Max() > 2*time.Second {
					t.Errorf("column %d: got %d calls up to %v, want tool a's one", i, x.Executed.Count(), x.Executed.Max())
				}
				if all := l.lines[""]; all.Calls[i] <= 0 || all.Errors[i]*2 != all.Calls[i] {
					t.Errorf("column %d: got %v calls and %v errors a second", i, all.Calls[i], all.Errors[i])
				}
			}
		})
	}
}

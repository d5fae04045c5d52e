// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"math"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
)

// maxColumns is how many columns a chart has at most.
const maxColumns = 96

// A Chart is a span of time in columns of equal width.
type Chart struct {
	Start time.Time `json:"start"`         // beginning of the first column
	Width float64   `json:"width_seconds"` // width of a column, in seconds
	Calls []uint64  `json:"calls"`         // calls that ended, by column
	// Errors is how many of the calls have an error.type, by column.
	Errors []uint64  `json:"errors"`
	P50Ms  []float64 `json:"p50_ms"` // median of the running times by column; 0 if none ran
	P99Ms  []float64 `json:"p99_ms"` // 99th percentile of the running times by column; 0 if none ran
	// Heat is the distribution of running times by column.
	Heat []Distribution `json:"heat"`
}

// A Distribution is how many calls ran for how long: counter i is of running times from 2^((first+i)/2) microseconds to
// below the square root of two times as long.
type Distribution struct {
	First  int      `json:"first"`  // number of the first counter
	Counts []uint64 `json:"counts"` // number of calls, by counter
}

// A Trend is a tool's calls and errors by column of the [Chart], and all its running times.
type Trend struct {
	Calls, Errors []uint64
	Distribution  Distribution
}

// shortest is the shortest running time that a distribution tells from others, in microseconds.
const shortest = 0.1

// DistributionOf returns the distribution of a histogram, which may be nil.
func DistributionOf(h *stats.Histogram) Distribution {
	d := Distribution{Counts: []uint64{}}
	d.addHistogram(h)
	return d
}

func (d *Distribution) addHistogram(h *stats.Histogram) {
	for b := range (*histogram.Histogram)(h).Buckets() {
		part, power := math.Frexp(max(shortest, float64(b.Low+b.High)/2e3)) // part is 0.5 to below 1
		at := 2 * (power - 1)
		if part >= math.Sqrt2/2 {
			at++
		}
		if len(d.Counts) == 0 {
			d.First = at
		}
		if at < d.First {
			d.Counts = slices.Insert(d.Counts, 0, make([]uint64, d.First-at)...)
			d.First = at
		}
		if more := at - d.First + 1 - len(d.Counts); more > 0 {
			d.Counts = append(d.Counts, make([]uint64, more)...)
		}
		d.Counts[at-d.First] += b.Count
	}
}

// NewChart sorts intervals into columns from a time to another. A column is as wide as the intervals kept of that age, or a
// multiple of it, so that each interval is in one column. The chart is of a tool, or of all tools if it is "". The trends
// are by tool; "" is all tools.
func NewChart(intervals []*stats.Snapshot, from, to time.Time, tool string) (Chart, map[string]*Trend) {
	width := columnWidth(to.Sub(from))
	start := time.Unix(0, from.UnixNano()/int64(width)*int64(width)).UTC()
	n := int(to.Sub(start)/width) + 1
	parts := make([][]*histogram.Histogram, n)
	trends := map[string]*Trend{"": newTrend(n)}
	for _, s := range intervals {
		i := int(s.From.Sub(start) / width)
		if s.From.Before(start) || i >= n {
			continue
		}
		for j := range s.Tools {
			x := &s.Tools[j]
			if trends[x.Tool] == nil {
				trends[x.Tool] = newTrend(n)
			}
			for _, t := range []*Trend{trends[x.Tool], trends[""]} {
				t.Calls[i] += x.Calls()
				t.Errors[i] += x.Errors()
			}
			trends[x.Tool].Distribution.addHistogram(x.Executed)
			if tool == "" || tool == x.Tool {
				parts[i] = append(parts[i], (*histogram.Histogram)(x.Executed))
			}
		}
	}
	columns := make([]*stats.Histogram, n)
	for i := range parts {
		columns[i] = (*stats.Histogram)(histogram.Merge(parts[i]...))
	}
	c := chartOf(start, width, columns)
	if trends[tool] == nil {
		trends[tool] = newTrend(n)
	}
	c.Calls, c.Errors = trends[tool].Calls, trends[tool].Errors
	return c, trends
}

func newTrend(n int) *Trend {
	return &Trend{make([]uint64, n), make([]uint64, n), Distribution{Counts: []uint64{}}}
}

// chartOf returns a chart without calls and errors.
func chartOf(start time.Time, width time.Duration, columns []*stats.Histogram) Chart {
	c := Chart{Start: start, Width: width.Seconds(), Calls: []uint64{}, Errors: []uint64{}}
	c.P50Ms, c.P99Ms = make([]float64, len(columns)), make([]float64, len(columns))
	c.Heat = make([]Distribution, len(columns))
	for i, h := range columns {
		c.P50Ms[i], c.P99Ms[i] = milliseconds(h.Quantile(0.5)), milliseconds(h.Quantile(0.99))
		c.Heat[i] = DistributionOf(h)
	}
	return c
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// columnWidth is the width of a column for a span: that of the intervals kept of such an age, or a multiple of it.
func columnWidth(span time.Duration) time.Duration {
	width := stats.IntervalWidth(span)
	return width * max(1, (span/width+maxColumns-1)/maxColumns)
}

// A ToolRow is what the table of tools shows of one tool.
type ToolRow struct {
	Tool      string  `json:"tool"`                // name of the tool
	Calls     uint64  `json:"calls"`               // number of calls that ended
	Executed  uint64  `json:"executed"`            // calls that ran
	Errors    uint64  `json:"errors"`              // calls with an error.type, refused ones included
	ErrorRate float64 `json:"error_rate"`          // part of all calls that have an error.type, 0 to 1
	P50Ms     float64 `json:"p50_ms"`              // median of the running times
	P95Ms     float64 `json:"p95_ms"`              // 95th percentile of the running times
	P99Ms     float64 `json:"p99_ms"`              // 99th percentile of the running times
	MaxMs     float64 `json:"max_ms"`              // longest running time
	TotalMs   float64 `json:"total_ms"`            // time spent inside the tool
	TimeShare float64 `json:"time_share"`          // part of the time spent in all tools, 0 to 1
	HitRatio  float64 `json:"hit_ratio,omitempty"` // part of the calls not refused that were answered without running, 0 to 1
	Refused   uint64  `json:"refused,omitempty"`   // calls that a policy refused
	InFlight  int64   `json:"in_flight"`           // calls begun and not ended, waits included
	// Streak is how many calls in a row have failed until now.
	Streak uint64 `json:"error_streak,omitempty"`
	// Distribution is that of the running times.
	Distribution Distribution `json:"distribution"`
	Trend        []uint64     `json:"trend"`                 // calls by column of the chart
	ErrorTrend   []uint64     `json:"error_trend,omitempty"` // calls with an error.type by column of the chart
}

// NewToolRow returns the row of a tool. A nil trend is that of a tool without calls in the chart.
func NewToolRow(t *stats.ToolStats, trend *Trend) ToolRow {
	row := ToolRow{
		Tool: t.Tool, Calls: t.Calls, Executed: t.Executed, Errors: t.Errors, ErrorRate: t.ErrorRate,
		P50Ms: t.P50Ms, P95Ms: t.P95Ms, P99Ms: t.P99Ms, MaxMs: t.MaxMs, TotalMs: t.TotalMs, TimeShare: t.TimeShare,
		HitRatio: t.HitRatio, Refused: t.Refused, InFlight: t.InFlight, Streak: t.Streak,
		Distribution: Distribution{Counts: []uint64{}}, Trend: []uint64{},
	}
	if trend != nil {
		row.Trend, row.Distribution = trend.Calls, trend.Distribution
		if t.Errors > 0 {
			row.ErrorTrend = trend.Errors
		}
	}
	return row
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package plot

import (
	"math"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// A Scale places durations on an axis from low to high, where equal factors are
// equally far apart.
type Scale struct{ low, high float64 }

// NewScale is a scale that holds both durations and spans at least one decade.
func NewScale(low, high time.Duration) Scale {
	l, h := math.Log10(max(1, float64(low))), math.Log10(max(1, float64(high)))
	if h-l < 1 {
		middle := (h + l) / 2
		l, h = middle-0.5, middle+0.5
	}
	return Scale{l, h}
}

// shortest is the lowest value of a scale of running times: what histograms do not resolve.
const shortest = 100 * time.Nanosecond

// ScaleOf is a scale that the running times of the tools fit on.
func ScaleOf(tools []stats.ToolSnapshot) Scale {
	low, high := time.Duration(math.MaxInt64), time.Duration(0)
	for i := range tools {
		if h := tools[i].Executed; h.Count() > 0 {
			low, high = min(low, h.Min()), max(high, h.Max())
		}
	}
	if high == 0 {
		low, high = time.Millisecond, time.Second
	}
	return NewScale(max(low, shortest), high)
}

// at is where d lies, from 0 to 1; beyond the ends it stays at them.
func (s Scale) at(d time.Duration) float64 {
	return min(1, max(0, (math.Log10(max(1, float64(d)))-s.low)/(s.high-s.low)))
}

// value is the duration at part f of the axis.
func (s Scale) value(f float64) time.Duration {
	return time.Duration(math.Pow(10, s.low+f*(s.high-s.low)))
}

// tick is a mark on an axis.
type tick struct {
	At    float64 // from 0 to 1
	Label string
}

// decades are the powers of ten on the axis.
func (s Scale) decades() []tick {
	var ticks []tick
	for p := math.Ceil(s.low - 1e-9); p <= s.high+1e-9; p++ {
		d := time.Duration(math.Round(math.Pow(10, p)))
		ticks = append(ticks, tick{At: s.at(d), Label: decadeLabel(p, d)})
	}
	return ticks
}

// decadeLabel is a power of ten of nanoseconds without digits that say nothing.
func decadeLabel(p float64, d time.Duration) string {
	units := []string{"ns", "µs", "ms", "s"}
	if p < 0 || int(p)/3 >= len(units) || d > 100*time.Second {
		return display.Duration(d)
	}
	return strconv.Itoa(int(math.Pow(10, math.Mod(p, 3)))) + " " + units[int(p)/3]
}

// counts splits a histogram into n equal parts of the axis. What lies beyond the
// ends counts as lying at them.
func (s Scale) counts(h *stats.Histogram, n int) []uint64 {
	counts := make([]uint64, n)
	before := uint64(0)
	for i := range counts {
		upTo := h.Count()
		if i < n-1 {
			upTo = h.AtMost(s.value(float64(i+1) / float64(n)))
		}
		counts[i] = upTo - before
		before = upTo
	}
	return counts
}

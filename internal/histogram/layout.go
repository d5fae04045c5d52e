// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package histogram

import (
	"math"
	"math/bits"
	"time"
)

// The range and unit of every histogram: HdrHistogram's for values from 100 ns to
// one hour. The unit is the power of two below the lowest value, 64 ns.
const (
	Lowest    = 100
	Highest   = int64(time.Hour)
	unitShift = 6
)

// Digits of precision that histograms can have.
const (
	MinDigits = 2
	MaxDigits = 3
)

// layout numbers the counters of an HdrHistogram of the range above: linear in
// units up to 2<<half, then 1<<half counters for each doubling.
type layout struct {
	digits   int
	half     uint // log2 of the counters in one doubling
	counters int  // a multiple of chunkLen
}

var layouts = [MaxDigits + 1]*layout{2: newLayout(2, 7), 3: newLayout(3, 10)}

func newLayout(digits int, half uint) *layout {
	l := &layout{digits: digits, half: half}
	used := l.index(Highest) + 1
	l.counters = (used + chunkLen - 1) / chunkLen * chunkLen
	return l
}

// index is the number of the counter that ns falls into. ns must be in
// [0, Highest].
func (l *layout) index(ns int64) int {
	v := uint64(ns) >> unitShift
	b := uint(bits.Len32(uint32(v>>(l.half&63))|1)-1) & 63 // & 63 spares the shifts a test
	return int(b<<(l.half&63) + uint(v>>b))
}

// shift is log2 of the width of counter i in nanoseconds.
func (l *layout) shift(i int) uint {
	b := uint(i) >> l.half
	if b > 0 {
		b--
	}
	return b + unitShift
}

// lowest is the smallest number of nanoseconds that falls into counter i.
func (l *layout) lowest(i int) int64 {
	s := l.shift(i)
	return int64(uint(i)-(s-unitShift)<<l.half) << s
}

// highest is the largest number of nanoseconds that falls into counter i.
func (l *layout) highest(i int) int64 { return l.lowest(i) + 1<<l.shift(i) - 1 }

// middle is the value in the middle of counter i.
func (l *layout) middle(i int) float64 {
	return float64(l.lowest(i)) + float64(int64(1)<<l.shift(i))/2
}

// Octave is the doubling that ns falls into, for exemplars.
func Octave(ns int64) int { return bits.Len64(uint64(ns) >> unitShift) }

// Octaves is how many there are.
var Octaves = Octave(Highest) + 1

// Clamp brings a time into the range of the histograms.
func Clamp(d time.Duration) int64 { return min(max(int64(d), 0), Highest) }

// Counters is how many counters a histogram of a precision has.
func Counters(digits int) int { return layouts[digits].counters }

// MaxCount bounds counts and sums, so that hostile snapshots cannot make them overflow;
// HdrHistogram's own are signed.
const MaxCount = math.MaxInt64

// AddCapped adds two counts; the sum stays at [MaxCount] rather than overflowing.
func AddCapped(a, b uint64) uint64 {
	if b > MaxCount || a > MaxCount-b {
		return MaxCount
	}
	return a + b
}

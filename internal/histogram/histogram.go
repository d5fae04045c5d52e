// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package histogram

import (
	"iter"
	"slices"
	"sort"
	"time"
)

// A Histogram is how often which durations occurred: an HdrHistogram of
// nanoseconds from 100 ns to one hour with two or three significant digits, of which
// only the counters that are not zero are held. It does not change once made. A nil
// *Histogram is an empty one.
type Histogram struct {
	layout *layout
	index  []uint16 // counters that are not zero, ascending
	upTo   []uint64 // how many values fall into that counter and those before it
}

// newHistogram makes a histogram with room for n counters, to be filled with
// append.
func newHistogram(l *layout, n int) *Histogram {
	return &Histogram{layout: l, index: make([]uint16, 0, n), upTo: make([]uint64, 0, n)}
}

// appendCounter adds counter i, which must be above those before it.
func (h *Histogram) appendCounter(i int, count uint64) {
	if count > 0 {
		h.upTo = append(h.upTo, AddCapped(h.Count(), count))
		h.index = append(h.index, uint16(i))
	}
}

// orNil is nil for an empty histogram.
func (h *Histogram) orNil() *Histogram {
	if h == nil || len(h.index) == 0 {
		return nil
	}
	return h
}

// Digits is the number of significant decimal digits: 2 or 3, 0 for an empty
// histogram.
func (h *Histogram) Digits() int {
	if h == nil {
		return 0
	}
	return h.layout.digits
}

// Count is how many values there are.
func (h *Histogram) Count() uint64 {
	if h == nil || len(h.upTo) == 0 {
		return 0
	}
	return h.upTo[len(h.upTo)-1]
}

// count is the count of the i-th counter held.
func (h *Histogram) count(i int) uint64 {
	if i == 0 {
		return h.upTo[0]
	}
	return h.upTo[i] - h.upTo[i-1]
}

// Quantile is the value that the part q of all values, from 0 to 1, does not
// exceed; 0 for an empty histogram. As in HdrHistogram it is the largest value
// equivalent to the exact one, whose rank is q times the count, rounded. It
// allocates nothing.
func (h *Histogram) Quantile(q float64) time.Duration {
	n := h.Count()
	if n == 0 {
		return 0
	}
	rank := uint64(1)
	if f := q*float64(n) + 0.5; f >= float64(n) {
		rank = n
	} else if f >= 1 {
		rank = uint64(f)
	}
	i := sort.Search(len(h.upTo), func(i int) bool { return h.upTo[i] >= rank })
	return h.highest(i)
}

func (h *Histogram) highest(i int) time.Duration {
	return time.Duration(min(h.layout.highest(int(h.index[i])), Highest))
}

// Min is the smallest value equivalent to the smallest recorded; 0 for an empty
// histogram.
func (h *Histogram) Min() time.Duration {
	if h.Count() == 0 {
		return 0
	}
	return time.Duration(h.layout.lowest(int(h.index[0])))
}

// Max is the largest value equivalent to the largest recorded; 0 for an empty
// histogram.
func (h *Histogram) Max() time.Duration {
	if h.Count() == 0 {
		return 0
	}
	return h.highest(len(h.index) - 1)
}

// Sum is the sum of all values, each taken as the middle of its counter.
func (h *Histogram) Sum() time.Duration {
	if h == nil {
		return 0
	}
	sum := 0.0
	for i, at := range h.index {
		sum += float64(h.count(i)) * h.layout.middle(int(at))
	}
	return time.Duration(min(sum, 1<<62))
}

// Mean is the mean of all values, each taken as the middle of its counter; 0 for
// an empty histogram.
func (h *Histogram) Mean() time.Duration {
	n := h.Count()
	if n == 0 {
		return 0
	}
	return time.Duration(float64(h.Sum()) / float64(n))
}

// AtMost is how many values are at most d, where those in one counter with d
// count as if they were.
func (h *Histogram) AtMost(d time.Duration) uint64 {
	if h == nil || d < 0 {
		return 0
	}
	at := uint16(h.layout.index(Clamp(d)))
	i := sort.Search(len(h.index), func(i int) bool { return h.index[i] > at })
	if i == 0 {
		return 0
	}
	return h.upTo[i-1]
}

// A Bucket is a counter of a histogram: how many values lie from Low to High, both
// included.
type Bucket struct {
	Low, High time.Duration
	Count     uint64
}

// Buckets yields the counters that are not zero, the shortest durations first.
func (h *Histogram) Buckets() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		if h == nil {
			return
		}
		for i, at := range h.index {
			l := h.layout
			if !yield(Bucket{time.Duration(l.lowest(int(at))), time.Duration(l.highest(int(at))), h.count(i)}) {
				return
			}
		}
	}
}

// Sub returns what h has more than earlier, counter by counter, never below 0: for
// two states of one growing histogram, what was recorded between them.
func (h *Histogram) Sub(earlier *Histogram) *Histogram {
	if h.Count() == 0 {
		return nil
	}
	if earlier.Count() == 0 {
		return h
	}
	l := layouts[min(h.layout.digits, earlier.layout.digits)]
	b := builderOf(l)
	defer b.Release()
	b.AddHistogram(h)
	for i, at := range earlier.index {
		b.subCount(l.from(earlier.layout, int(at)), earlier.count(i))
	}
	return b.Histogram()
}

// Merge returns the histogram of all values of hs: exactly that which
// would have been recorded at once. Where precision differs, it is the coarser
// one's. Empty histograms are skipped; the result is nil if all are.
func Merge(hs ...*Histogram) *Histogram {
	var last *Histogram
	digits, found := MaxDigits, 0
	for _, h := range hs {
		if h.Count() > 0 {
			digits, last = min(digits, h.layout.digits), h
			found++
		}
	}
	if found <= 1 {
		return last
	}
	b := builderOf(layouts[digits])
	defer b.Release()
	for _, h := range hs {
		if h.Count() > 0 {
			b.AddHistogram(h)
		}
	}
	return b.Histogram()
}

// from is the counter that holds what counter i of other, of the same precision or
// a finer one, holds.
func (l *layout) from(other *layout, i int) int {
	if l == other {
		return i
	}
	return l.index(min(other.lowest(i), Highest))
}

// Equal reports whether two histograms hold the same counts.
func (h *Histogram) Equal(o *Histogram) bool {
	if h.Count() == 0 || o.Count() == 0 {
		return h.Count() == o.Count()
	}
	return h.layout == o.layout && slices.Equal(h.index, o.index) && slices.Equal(h.upTo, o.upTo)
}

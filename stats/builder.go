// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"sync"
)

// builder adds up counts of one layout: an array of all counters, with the range
// that was touched. Builders are pooled; a released one is empty.
type builder struct {
	layout    *layout
	counts    []uint64
	low, high int // counters touched: low to high-1
}

var builders = [maxDigits + 1]sync.Pool{
	2: {New: func() any { return &builder{layout: layouts[2], counts: make([]uint64, layouts[2].counters)} }},
	3: {New: func() any { return &builder{layout: layouts[3], counts: make([]uint64, layouts[3].counters)} }},
}

func newBuilder(l *layout) *builder {
	b := builders[l.digits].Get().(*builder)
	b.low, b.high = l.counters, 0
	return b
}

func (b *builder) release() {
	if b.low < b.high {
		clear(b.counts[b.low:b.high])
	}
	builders[b.layout.digits].Put(b)
}

// add counts n values into counter i. A count stays at its maximum rather than
// going round.
func (b *builder) add(i int, n uint64) {
	b.low, b.high = min(b.low, i), max(b.high, i+1)
	b.counts[i] = addCapped(b.counts[i], n)
}

func (b *builder) sub(i int, n uint64) { b.counts[i] -= min(n, b.counts[i]) }

// merge adds a histogram of the same precision or a finer one.
func (b *builder) merge(h *Histogram) {
	for i, at := range h.index {
		b.add(b.layout.from(h.layout, int(at)), h.count(i))
	}
}

// histogram returns what was counted; nil if nothing was.
func (b *builder) histogram() *Histogram {
	n := 0
	for i := b.low; i < b.high; i++ {
		if b.counts[i] > 0 {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	h := &Histogram{layout: b.layout, index: make([]uint16, 0, n), upTo: make([]uint64, 0, n)}
	sum := uint64(0)
	for i := b.low; i < b.high; i++ {
		if c := b.counts[i]; c > 0 {
			sum = addCapped(sum, c)
			h.index, h.upTo = append(h.index, uint16(i)), append(h.upTo, sum)
		}
	}
	return h
}

// maxCount bounds counts and sums, so that hostile snapshots cannot make them
// go round; HdrHistogram's own are signed.
const maxCount = math.MaxInt64

func addCapped(a, b uint64) uint64 {
	if b > maxCount || a > maxCount-b {
		return maxCount
	}
	return a + b
}

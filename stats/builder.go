// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"math/bits"
	"sync"
)

// builder adds up counts of one layout: an array of all counters, and a bit for each
// that was touched, so that sparse histograms cost little. Builders are pooled; a
// released one is empty.
type builder struct {
	layout  *layout
	counts  []uint64
	touched []uint64
	total   uint64 // of the histograms merged
}

var builders = [maxDigits + 1]sync.Pool{
	2: {New: func() any { return makeBuilder(layouts[2]) }},
	3: {New: func() any { return makeBuilder(layouts[3]) }},
}

func makeBuilder(l *layout) *builder {
	return &builder{layout: l, counts: make([]uint64, l.counters), touched: make([]uint64, l.counters/64)}
}

func newBuilder(l *layout) *builder { return builders[l.digits].Get().(*builder) }

func (b *builder) release() {
	b.each(func(i int) { b.counts[i] = 0 })
	clear(b.touched)
	b.total = 0
	builders[b.layout.digits].Put(b)
}

// each calls f with the counters that were touched, in ascending order.
func (b *builder) each(f func(i int)) {
	for w, word := range b.touched {
		for ; word != 0; word &= word - 1 {
			f(w<<6 + bits.TrailingZeros64(word))
		}
	}
}

// add counts n values into counter i. A count stays at its maximum rather than
// going round.
func (b *builder) add(i int, n uint64) {
	b.touched[i>>6] |= 1 << (i & 63)
	b.counts[i] = addCapped(b.counts[i], n)
}

func (b *builder) sub(i int, n uint64) { b.counts[i] -= min(n, b.counts[i]) }

// merge adds a histogram of the same precision or a finer one.
func (b *builder) merge(h *Histogram) {
	b.total = addCapped(b.total, h.Count())
	if b.layout != h.layout || b.total == maxCount {
		for i, at := range h.index {
			b.add(b.layout.from(h.layout, int(at)), h.count(i))
		}
		return
	}
	// No sum can go round, and the bits of a word are set at once.
	before, at, word := uint64(0), 0, uint64(0)
	for i, index := range h.index {
		b.counts[index] += h.upTo[i] - before
		before = h.upTo[i]
		if w := int(index >> 6); w != at {
			b.touched[at] |= word
			at, word = w, 0
		}
		word |= 1 << (index & 63)
	}
	b.touched[at] |= word
}

// histogram returns what was counted; nil if nothing was.
func (b *builder) histogram() *Histogram {
	n := 0
	for _, word := range b.touched {
		n += bits.OnesCount64(word)
	}
	h := newHistogram(b.layout, n)
	b.each(func(i int) { h.append(i, b.counts[i]) })
	return h.orNil()
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

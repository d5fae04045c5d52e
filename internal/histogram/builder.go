// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package histogram

import (
	"math/bits"
	"sync"
)

// A Builder adds up counts of one precision: an array of all counters, and a bit for each
// that was touched, so that sparse histograms cost little. Builders are pooled; a
// released one is empty. It is not safe for concurrent use.
type Builder struct {
	layout  *layout
	counts  []uint64
	touched []uint64
	total   uint64 // of the histograms merged
}

var builders = [MaxDigits + 1]sync.Pool{
	2: {New: func() any { return makeBuilder(layouts[2]) }},
	3: {New: func() any { return makeBuilder(layouts[3]) }},
}

func makeBuilder(l *layout) *Builder {
	return &Builder{layout: l, counts: make([]uint64, l.counters), touched: make([]uint64, l.counters/64)}
}

// NewBuilder makes an empty one of 2 or 3 digits.
func NewBuilder(digits int) *Builder { return builderOf(layouts[digits]) }

func builderOf(l *layout) *Builder { return builders[l.digits].Get().(*Builder) }

// Release gives the builder back, which must not be used after that.
func (b *Builder) Release() {
	b.eachTouched(func(i int) { b.counts[i] = 0 })
	clear(b.touched)
	b.total = 0
	builders[b.layout.digits].Put(b)
}

// eachTouched calls f with the counters that were touched, in ascending order.
func (b *Builder) eachTouched(f func(i int)) {
	for w, word := range b.touched {
		for ; word != 0; word &= word - 1 {
			f(w<<6 + bits.TrailingZeros64(word))
		}
	}
}

// Record counts one value, which must be in [0, Highest].
func (b *Builder) Record(ns int64) { b.addCount(b.layout.index(ns), 1) }

// addCount counts n values into counter i. A count stays at its maximum rather than
// overflowing.
func (b *Builder) addCount(i int, n uint64) {
	b.touched[i>>6] |= 1 << (i & 63)
	b.counts[i] = AddCapped(b.counts[i], n)
}

func (b *Builder) subCount(i int, n uint64) { b.counts[i] -= min(n, b.counts[i]) }

// AddHistogram adds a histogram of the same precision or a finer one.
func (b *Builder) AddHistogram(h *Histogram) {
	b.total = AddCapped(b.total, h.Count())
	if b.layout != h.layout || b.total == MaxCount {
		for i, at := range h.index {
			b.addCount(b.layout.from(h.layout, int(at)), h.count(i))
		}
		return
	}
	// No sum can overflow, and the bits of a word are set at once.
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

// Histogram returns what was counted; nil if nothing was.
func (b *Builder) Histogram() *Histogram {
	n := 0
	for _, word := range b.touched {
		n += bits.OnesCount64(word)
	}
	h := newHistogram(b.layout, n)
	b.eachTouched(func(i int) { h.appendCounter(i, b.counts[i]) })
	return h.orNil()
}

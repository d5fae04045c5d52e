// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "sync/atomic"

// chunkLen is how many counters are made at once: an eighth of a doubling at
// three digits, a whole one at two.
const chunkLen = 128

type chunk [chunkLen]atomic.Uint32

// live is a histogram that is being written: atomic counters, made where a value
// first falls, never freed. Sealing takes the counts out of it and leaves it in
// place, so that a writer can never write into something that was put away. A
// counter has 32 bits since it is emptied with each interval.
type live struct {
	layout *layout
	chunks []atomic.Pointer[chunk]
}

func newLive(l *layout) *live {
	return &live{layout: l, chunks: make([]atomic.Pointer[chunk], l.counters/chunkLen)}
}

// record counts one value, which must be in [0, highestNs].
func (l *live) record(ns int64) {
	i := l.layout.index(ns)
	c := l.chunks[i/chunkLen].Load()
	if c == nil {
		c = l.grow(i / chunkLen)
	}
	c[i%chunkLen].Add(1)
}

func (l *live) grow(at int) *chunk {
	c := new(chunk)
	if l.chunks[at].CompareAndSwap(nil, c) {
		return c
	}
	return l.chunks[at].Load()
}

// drain takes all counts out; nil if there are none. Values recorded meanwhile
// are either in what is returned or stay for the next time. A nil live is empty.
func (l *live) drain() *Histogram {
	return l.read(func(c *atomic.Uint32) uint32 {
		if c.Load() == 0 {
			return 0
		}
		return c.Swap(0)
	})
}

// peek copies all counts; nil if there are none.
func (l *live) peek() *Histogram { return l.read((*atomic.Uint32).Load) }

func (l *live) read(count func(*atomic.Uint32) uint32) *Histogram {
	if l == nil {
		return nil
	}
	b := newBuilder(l.layout)
	defer b.release()
	for at := range l.chunks {
		c := l.chunks[at].Load()
		if c == nil {
			continue
		}
		for i := range c {
			if n := count(&c[i]); n > 0 {
				b.add(at*chunkLen+i, uint64(n))
			}
		}
	}
	return b.histogram()
}

// size is how many bytes the histogram holds.
func (l *live) size() int {
	if l == nil {
		return 0
	}
	n := 32 + 8*len(l.chunks)
	for i := range l.chunks {
		if l.chunks[i].Load() != nil {
			n += 4 * chunkLen
		}
	}
	return n
}

// maxLiveSize is the size of a histogram whose counters are all made.
func maxLiveSize(l *layout) int { return 32 + 8*l.counters/chunkLen + 4*l.counters }

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "sync/atomic"

// chunkLen is how many counters are made at once: an eighth of a doubling at
// three digits, a whole one at two.
const chunkLen = 128

// A chunk has counters of 32 bits, since they are emptied with each interval.
type chunk [chunkLen]atomic.Uint32

// live is a histogram that is being written: atomic counters, made where a value
// first falls, never freed. Sealing takes the counts out of it and leaves it in
// place, so that a writer can never write into something that was put away.
//
// Where several processors write at once, the cache lines travelling between them
// cost more than all the rest. So once writers are seen to get in each other's
// way, they are spread over stripes by the address of their goroutine's stack.
type live struct {
	layout layout // a copy, which spares each value a look-up
	first  stripe
	more   atomic.Pointer[stripes] // nil until writers are spread
	spare  *atomic.Int64           // how many stripes the recorder may still make; nil for none

	clashes atomic.Uint32
}

// A stripe has a place for each chunk of a histogram.
type stripe []atomic.Pointer[chunk]

// stripes are what writers are spread over, the first included.
type stripes struct {
	hash uint64 // an odd multiplier
	each [maxStripes]stripe
}

const (
	maxStripes = 8
	// spreadHash is an odd number whose bits are well mixed: 2^64 divided by the
	// golden ratio.
	spreadHash = 0x9E3779B97F4A7C15
	// probes selects the values, one in 64, that look whether writers clash.
	probes = 63
	// clashesToSpread is how many clashes make the writers spread, and then spread
	// anew, until clashesToStop were seen.
	clashesToSpread = 2
	clashesToStop   = 64
)

// newLive makes an empty histogram; spare is how many stripes it and others may
// make beyond their first.
func newLive(l *layout, spare *atomic.Int64) *live {
	return &live{layout: *l, first: newStripe(l), spare: spare}
}

func newStripe(l *layout) stripe { return make(stripe, l.counters/chunkLen) }

// record counts one value, which must be in [0, highestNs].
func (l *live) record(ns int64) {
	i := uint(l.layout.index(ns))
	s := l.first
	if more := l.more.Load(); more != nil {
		s = more.each[goroutine()*more.hash>>61]
	}
	place := &s[i/chunkLen]
	c := place.Load()
	if c == nil {
		c = grow(place)
	}
	counter := &c[i%chunkLen]
	if ns&probes != 0 {
		counter.Add(1)
	} else if old := counter.Load(); !counter.CompareAndSwap(old, old+1) {
		counter.Add(1)
		l.clash()
	}
}

func grow(place *atomic.Pointer[chunk]) *chunk {
	place.CompareAndSwap(nil, new(chunk))
	return place.Load()
}

// clash is told that two writers were at one counter at the same time.
func (l *live) clash() {
	n := l.clashes.Add(1)
	if n > clashesToStop || n%clashesToSpread != 0 || l.spare == nil {
		return
	}
	old := l.more.Load()
	next := &stripes{hash: 0x9E3779B97F4A7C15*uint64(n+1) | 1}
	if old != nil {
		next.each = old.each
	} else {
		if l.spare.Add(1-maxStripes) < 0 {
			l.spare.Add(maxStripes - 1)
			return
		}
		next.each[0] = l.first
		for i := 1; i < maxStripes; i++ {
			next.each[i] = newStripe(&l.layout)
		}
	}
	if !l.more.CompareAndSwap(old, next) && old == nil {
		l.spare.Add(maxStripes - 1)
	}
}

// read is all that was counted; nil if nothing was. With reset the counts are taken
// out: values recorded meanwhile are either in what is returned or stay for the
// next time. A nil live is empty.
func (l *live) read(reset bool) *Histogram {
	if l == nil {
		return nil
	}
	b := newBuilder(layouts[l.layout.digits])
	defer b.release()
	l.chunks(func(first int, c *chunk) {
		for i := range c {
			n := c[i].Load()
			if n == 0 {
				continue
			}
			if reset {
				n = c[i].Swap(0)
			}
			b.add(first+i, uint64(n))
		}
	})
	return b.histogram()
}

// chunks calls f with each chunk made and the number of its first counter.
func (l *live) chunks(f func(first int, c *chunk)) {
	for _, s := range l.stripes() {
		for at := range s {
			if c := s[at].Load(); c != nil {
				f(at*chunkLen, c)
			}
		}
	}
}

func (l *live) stripes() []stripe {
	if more := l.more.Load(); more != nil {
		return more.each[:]
	}
	return []stripe{l.first}
}

// size is how many bytes the histogram holds.
func (l *live) size() int {
	if l == nil {
		return 0
	}
	n := liveSize + len(l.stripes())*stripeSize(&l.layout)
	l.chunks(func(int, *chunk) { n += 4 * chunkLen })
	return n
}

// liveSize is the size of a histogram without its stripes.
const liveSize = 88

// stripeSize is the size of a stripe without its chunks.
func stripeSize(l *layout) int { return 24 + 8*l.counters/chunkLen }

// maxLiveSize is the size of a histogram of one stripe whose counters are all made.
func maxLiveSize(l *layout) int { return liveSize + stripeSize(l) + 4*l.counters }

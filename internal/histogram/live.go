// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package histogram

import (
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/stripes"
)

// chunkLen is how many counters are made at once: an eighth of a doubling at
// three digits, a whole one at two.
const chunkLen = 128

// A chunk has counters of 32 bits, since they are emptied with each interval.
type chunk [chunkLen]atomic.Uint32

// A Live is a histogram that is being written: atomic counters, made where a value
// first falls, never freed. Sealing takes the counts out of it and leaves it in
// place, so that a writer can never write into something that was put away.
//
// Where several processors write at once, the cache lines travelling between them
// cost more than all the rest. So once writers are seen to get in each other's
// way, they are spread over stripes by the address of their goroutine's stack.
type Live struct {
	layout layout // a copy, which spares each value a look-up
	first  stripe
	more   atomic.Pointer[spread] // nil until writers are spread
	spare  *atomic.Int64          // how many stripes the recorder may still make; nil for none

	clashes atomic.Uint32
}

// A stripe has a place for each chunk of a histogram.
type stripe []atomic.Pointer[chunk]

// spread is what writers are spread over, the first stripe included.
type spread struct {
	by   stripes.Spread
	each [stripes.Count]stripe
}

const (
	// probes selects the values, one in 64, that look whether writers clash.
	probes = 63
	// clashesToSpread is how many clashes make the writers spread, and then spread
	// differently, until clashesToStop were seen.
	clashesToSpread = 2
	clashesToStop   = 64
)

// NewLive makes an empty histogram of 2 or 3 digits. spare is how many stripes it and others may
// make beyond their first; nil is none.
func NewLive(digits int, spare *atomic.Int64) *Live {
	l := layouts[digits]
	return &Live{layout: *l, first: newStripe(l), spare: spare}
}

func newStripe(l *layout) stripe { return make(stripe, l.counters/chunkLen) }

// Record counts one value, which must be in [0, Highest]. It takes no lock, and allocates only
// where a value falls for the first time. It is safe for concurrent use.
func (l *Live) Record(ns int64) {
	i := uint(l.layout.index(ns))
	s := l.first
	if more := l.more.Load(); more != nil {
		s = more.each[more.by.Own()]
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

// clash is called when two writers were at one counter at the same time.
func (l *Live) clash() {
	n := l.clashes.Add(1)
	if n > clashesToStop || n%clashesToSpread != 0 || l.spare == nil {
		return
	}
	old := l.more.Load()
	next := &spread{by: stripes.NewSpread(n)}
	if old != nil {
		next.each = old.each
	} else {
		if l.spare.Add(1-stripes.Count) < 0 {
			l.spare.Add(stripes.Count - 1)
			return
		}
		next.each[0] = l.first
		for i := 1; i < stripes.Count; i++ {
			next.each[i] = newStripe(&l.layout)
		}
	}
	if !l.more.CompareAndSwap(old, next) && old == nil {
		l.spare.Add(stripes.Count - 1)
	}
}

// Read is all that was counted; nil if nothing was. With reset the counts are taken
// out: values recorded meanwhile are either in what is returned or stay for the
// next time. A nil *Live is empty.
func (l *Live) Read(reset bool) *Histogram {
	if l == nil {
		return nil
	}
	b := builderOf(layouts[l.layout.digits])
	defer b.Release()
	l.chunks(func(first int, c *chunk) {
		for i := range c {
			n := c[i].Load()
			if n == 0 {
				continue
			}
			if reset {
				n = c[i].Swap(0)
			}
			b.addCount(first+i, uint64(n))
		}
	})
	return b.Histogram()
}

// chunks calls f with each chunk made and the number of its first counter.
func (l *Live) chunks(f func(first int, c *chunk)) {
	for _, s := range l.all() {
		for at := range s {
			if c := s[at].Load(); c != nil {
				f(at*chunkLen, c)
			}
		}
	}
}

func (l *Live) all() []stripe {
	if more := l.more.Load(); more != nil {
		return more.each[:]
	}
	return []stripe{l.first}
}

// Size is how many bytes the histogram holds.
func (l *Live) Size() int {
	if l == nil {
		return 0
	}
	n := liveHead + len(l.all())*stripeSize(&l.layout)
	l.chunks(func(int, *chunk) { n += 4 * chunkLen })
	return n
}

// liveHead is the size of a histogram without its stripes.
const liveHead = 88

// stripeSize is the size of a stripe without its chunks.
func stripeSize(l *layout) int { return 24 + 8*l.counters/chunkLen }

// MaxLiveSize is how many bytes a Live of one stripe holds whose counters are all made.
func MaxLiveSize(digits int) int {
	l := layouts[digits]
	return liveHead + stripeSize(l) + 4*l.counters
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"sync"
	"sync/atomic"
	"time"
)

// maxHeld is how many bytes of memory wait to be looked at. What comes beyond it is passed on all
// the same, and not looked at.
const maxHeld = 16 << 20

// lookInterval is how often the goroutine looks at copies that no signal announced.
const lookInterval = 250 * time.Millisecond

// perChunk is what bytes that wait take besides their buffer: a flood of single ones is bounded, too.
const perChunk = 128

// maxQuiet is how many bytes wait without being looked at at once.
const maxQuiet = 256 << 10

// A tap takes copies of what passes and never makes it wait: what has no room is
// dropped and counted. The copies are looked at by one goroutine. To wake it would take a
// processor from those who wait for what passes: so it looks [gatherTime] after a signal, at
// once when much waits, and by itself every [lookInterval].
type tap struct {
	mu      sync.Mutex
	queue   []chunk
	held    int
	dropped uint64
	closed  bool
	wake    chan struct{}
	soon    *time.Timer // wakes
	waking  atomic.Bool // soon runs
}

// chunk is a copy of some bytes of a stream, or something else to be done in order.
type chunk struct {
	stream *stream
	at     time.Time
	data   *buffer // nil at the stream's end
	torn   bool    // that came before the end of what was to come
	gap    bool    // bytes before these were dropped
	do     func()  // without a stream
}

// gatherTime is how long what passed may wait, so that many calls are looked at together.
const gatherTime = 20 * time.Millisecond

func newTap() *tap {
	t := &tap{wake: make(chan struct{}, 1)}
	t.soon = time.AfterFunc(gatherTime, func() {
		t.waking.Store(false)
		t.hurry()
	})
	return t
}

// lend has the tap look at a buffer, which its holder still passes on. Of a sparse one it has a copy.
// much says that the caller is to hurry it.
func (t *tap) lend(s *stream, at time.Time, b *buffer) (much bool) {
	if b.sparse() {
		return t.enqueue(s, at, copyOf(b.data))
	}
	b.holders.Add(1)
	return t.enqueue(s, at, b)
}

// copyBytes takes a copy of data, which passed just now.
func (t *tap) copyBytes(s *stream, at time.Time, data []byte) {
	if t.enqueue(s, at, copyOf(data)) {
		t.hurry()
	}
}

// enqueue puts bytes into the queue, and releases them if there is no room. much says that more than
// maxQuiet waits.
func (t *tap) enqueue(s *stream, at time.Time, b *buffer) (much bool) {
	size := cap(b.data) + perChunk
	t.mu.Lock()
	room := !t.closed && t.held+size <= maxHeld
	if room {
		t.held += size
		t.queue = append(t.queue, chunk{stream: s, at: at, data: b, gap: s.gap})
	} else {
		t.dropped += uint64(len(b.data))
	}
	s.gap = !room
	much = t.held > maxQuiet
	t.mu.Unlock()
	if !room {
		b.release()
	}
	return much
}

// endStream says that nothing more comes of a stream.
func (t *tap) endStream(s *stream, at time.Time) { t.closeStream(s, at, false) }

// closeStream is endStream; torn says that more was to come. Of several ends the first counts.
func (t *tap) closeStream(s *stream, at time.Time, torn bool) {
	t.mu.Lock()
	if !t.closed {
		t.queue = append(t.queue, chunk{stream: s, at: at, gap: s.gap, torn: torn})
	}
	t.mu.Unlock()
}

// callNow has f called at once, after what was put before it; false if the tap is closed.
func (t *tap) callNow(f func()) bool {
	ok := t.callLater(f)
	t.hurry()
	return ok
}

// callLater is callNow without waking the goroutine.
func (t *tap) callLater(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.queue = append(t.queue, chunk{do: f})
	}
	return !t.closed
}

// signal has what waits looked at soon.
func (t *tap) signal() {
	if t.waking.CompareAndSwap(false, true) {
		t.soon.Reset(gatherTime)
	}
}

// hurry has what waits looked at now.
func (t *tap) hurry() {
	select {
	case t.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// takeQueue gives what waits, in the place of the slice that was taken before.
func (t *tap) takeQueue(spare []chunk) (queue []chunk, closed bool) {
	clear(spare)
	t.mu.Lock()
	defer t.mu.Unlock()
	queue, t.queue = t.queue, spare[:0]
	t.held = 0
	return queue, t.closed
}

// close ends the taking of copies; what waits is still looked at.
func (t *tap) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.hurry()
}

// lost is how many bytes passed without being looked at.
func (t *tap) lost() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}

// process looks at a chunk and gives its memory back.
func (c *chunk) process() {
	switch {
	case c.do != nil:
		c.do()
	case c.data == nil:
		c.stream.torn = c.torn
		c.stream.finish(c.at, c.gap)
	default:
		c.stream.feed(c.data.data, c.at, c.gap)
		c.data.release()
	}
}

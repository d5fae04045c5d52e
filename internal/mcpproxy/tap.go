// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"sync"
	"sync/atomic"
	"time"
)

// maxHeld is how many bytes wait to be looked at. What comes beyond it is passed on all
// the same, and not looked at.
const maxHeld = 16 << 20

// maxQuiet is how many bytes wait without being looked at at once.
const maxQuiet = 256 << 10

// A tap takes copies of what passes and never makes it wait: what has no room is
// dropped and counted. The copies are looked at by one goroutine. To wake it would take a
// processor from those who wait for what passes: so it looks [gatherTime] after a signal, at
// once when much waits, and by itself every [lookEvery].
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
	data   *[]byte // nil at the stream's end
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

// How many bytes are read at once, at most: wideRead where much comes. The larger the pieces the fewer
// turns take who sends, who passes on and who reads, and each turn is one of the scheduler's.
const (
	narrowRead = 64 << 10 // what a pipe holds by default
	wideRead   = 1 << 20  // what the system lets a pipe hold
)

// nextRead is how many bytes to read next, after n of room were read.
func nextRead(n, room int) int {
	if n == room || n >= narrowRead {
		return wideRead
	}
	return narrowRead
}

// buffers are used again: small ones for copies, and those that were read into.
var small, narrow, wide sync.Pool

// smallBuffer is what is copied; of more than that the buffer itself changes hands.
const smallBuffer = 16 << 10

// newBuffer gives a buffer to read into, of narrowRead or wideRead.
func newBuffer(size int) *[]byte {
	pool := &narrow
	if size == wideRead {
		pool = &wide
	}
	if b, ok := pool.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, size)
	return &b
}

// give takes the buffer that something was read into, and returns one of a size for the next time:
// another one, or the same if its content was copied or dropped.
func (t *tap) give(s *stream, at time.Time, b *[]byte, size int) *[]byte {
	switch {
	case len(*b) <= smallBuffer:
		t.put(s, at, *b)
	case t.add(s, at, b):
		return newBuffer(size)
	}
	if cap(*b) == size {
		return b
	}
	recycle(b)
	return newBuffer(size)
}

// put takes a copy of data, which passed just now.
func (t *tap) put(s *stream, at time.Time, data []byte) {
	b, ok := small.Get().(*[]byte)
	if !ok {
		b = new([]byte)
	}
	*b = append((*b)[:0], data...)
	if !t.add(s, at, b) {
		recycle(b)
	}
}

// add puts bytes into the queue; false if there is no room.
func (t *tap) add(s *stream, at time.Time, b *[]byte) bool {
	t.mu.Lock()
	if t.closed || t.held+cap(*b) > maxHeld {
		t.dropped += uint64(len(*b))
		s.gap = true
		t.mu.Unlock()
		return false
	}
	t.held += cap(*b)
	t.queue = append(t.queue, chunk{stream: s, at: at, data: b, gap: s.gap})
	s.gap = false
	much := t.held > maxQuiet
	t.mu.Unlock()
	if much {
		t.hurry()
	}
	return true
}

// recycle gives a buffer back.
func recycle(b *[]byte) {
	switch {
	case cap(*b) == wideRead:
		wide.Put(b)
	case cap(*b) == narrowRead:
		narrow.Put(b)
	case cap(*b) <= 2*smallBuffer:
		small.Put(b)
	}
}

// end tells that nothing more comes of a stream.
func (t *tap) end(s *stream, at time.Time) { t.finish(s, at, false) }

// finish is end; torn says that more was to come. Of several ends the first counts.
func (t *tap) finish(s *stream, at time.Time, torn bool) {
	t.mu.Lock()
	if !t.closed {
		t.queue = append(t.queue, chunk{stream: s, at: at, gap: s.gap, torn: torn})
	}
	t.mu.Unlock()
}

// do has f called at once, after what was put before it; false if the tap is closed.
func (t *tap) do(f func()) bool {
	ok := t.later(f)
	t.hurry()
	return ok
}

// later is do without waking anybody.
func (t *tap) later(f func()) bool {
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

// take gives what waits, in the place of the slice that was taken before.
func (t *tap) take(spare []chunk) (queue []chunk, closed bool) {
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

// done looks at a chunk and gives its memory back.
func (c *chunk) done() {
	switch {
	case c.do != nil:
		c.do()
	case c.data == nil:
		c.stream.torn = c.torn
		c.stream.finish(c.at, c.gap)
	default:
		c.stream.feed(*c.data, c.at, c.gap)
		recycle(c.data)
	}
}

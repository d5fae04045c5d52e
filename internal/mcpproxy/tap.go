// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"sync"
	"time"
)

// maxHeld is how many bytes wait to be looked at. What comes beyond it is passed on all
// the same, and not looked at.
const maxHeld = 16 << 20

// A tap takes copies of what passes and never makes it wait: what has no room is
// dropped and counted. The copies are looked at by one goroutine.
type tap struct {
	mu      sync.Mutex
	queue   []chunk
	held    int
	dropped uint64
	closed  bool
	wake    chan struct{}
}

// chunk is a copy of some bytes of a stream, or something else to be done in order.
type chunk struct {
	stream *stream
	at     time.Time
	data   *[]byte // nil at the stream's end
	gap    bool    // bytes before these were dropped
	do     func()  // without a stream
}

func newTap() *tap { return &tap{wake: make(chan struct{}, 1)} }

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// put takes a copy of data, which passed just now.
func (t *tap) put(s *stream, at time.Time, data []byte) {
	if len(data) == 0 {
		return
	}
	t.mu.Lock()
	if t.closed || t.held+len(data) > maxHeld {
		t.dropped += uint64(len(data))
		s.gap = true
		t.mu.Unlock()
		return
	}
	b := buffers.Get().(*[]byte)
	*b = append((*b)[:0], data...)
	t.held += len(data)
	t.queue = append(t.queue, chunk{stream: s, at: at, data: b, gap: s.gap})
	s.gap = false
	t.mu.Unlock()
	t.signal()
}

// end tells that nothing more comes of a stream.
func (t *tap) end(s *stream, at time.Time) {
	t.mu.Lock()
	if !t.closed {
		t.queue = append(t.queue, chunk{stream: s, at: at, gap: s.gap})
	}
	t.mu.Unlock()
	t.signal()
}

// do has f called after what was put before it; false if the tap is closed.
func (t *tap) do(f func()) bool {
	t.mu.Lock()
	ok := !t.closed
	if ok {
		t.queue = append(t.queue, chunk{do: f})
	}
	t.mu.Unlock()
	t.signal()
	return ok
}

func (t *tap) signal() {
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
	t.signal()
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
		c.stream.finish(c.at, c.gap)
	default:
		c.stream.feed(*c.data, c.at, c.gap)
		if cap(*c.data) <= 64<<10 {
			buffers.Put(c.data)
		}
	}
}

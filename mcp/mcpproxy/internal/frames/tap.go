// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"sync"
	"sync/atomic"
	"time"
)

// MaxHeld is how many bytes of memory wait to be looked at. What comes beyond it is passed on all
// the same, and not looked at.
const MaxHeld = 16 << 20

// LookInterval is how often the goroutine looks at copies that no signal announced.
const LookInterval = 250 * time.Millisecond

// perChunk is what bytes that wait take besides their buffer: a flood of single ones is bounded, too.
const perChunk = 128

// maxQuiet is how many bytes wait without being looked at at once, and maxFew how many are decoded in no time.
const (
	maxQuiet = 256 << 10
	maxFew   = 32 << 10
)

// A Tap copies the traffic and never delays it: a copy that has no room is
// dropped and counted. One goroutine reads the copies. To wake it would take a
// processor from the goroutines that forward the traffic: so it looks [gatherTime] after a signal, at
// once when much waits, and by itself every [lookInterval].
type Tap struct {
	mu      sync.Mutex
	queue   []Chunk
	held    int
	dropped uint64
	closed  bool
	Wake    chan struct{}
	soon    *time.Timer // wakes
	waking  atomic.Bool // soon runs
}

// Chunk is a copy of some bytes of a stream, or something else to be done in order.
type Chunk struct {
	Stream *Stream
	at     time.Time
	Data   *buffer // nil at the stream's end
	torn   bool    // that came before the end of what was to come
	gap    bool    // bytes before these were dropped
	do     func()  // without a stream
}

// gatherTime is how long what passed may wait, so that many calls are read together.
const gatherTime = 20 * time.Millisecond

// NewTap makes a tap. The caller reads its queue.
func NewTap() *Tap {
	t := &Tap{Wake: make(chan struct{}, 1)}
	t.soon = time.AfterFunc(gatherTime, func() {
		t.waking.Store(false)
		t.Hurry()
	})
	return t
}

// Lend has the tap look at a buffer, which its holder still passes on. Of a sparse one it has a copy.
// much says that the caller is to hurry it.
func (t *Tap) Lend(s *Stream, at time.Time, b *buffer) (much bool) {
	if b.sparse() {
		return t.enqueue(s, at, copyOf(b.Data))
	}
	b.holders.Add(1)
	return t.enqueue(s, at, b)
}

// CopyBytes takes a copy of data, which passed just now.
func (t *Tap) CopyBytes(s *Stream, at time.Time, data []byte) {
	if t.enqueue(s, at, copyOf(data)) {
		t.Hurry()
	}
}

// enqueue puts bytes into the queue, and releases them if there is no room. much says that more than
// maxQuiet waits.
func (t *Tap) enqueue(s *Stream, at time.Time, b *buffer) (much bool) {
	size := cap(b.Data) + perChunk
	t.mu.Lock()
	room := !t.closed && t.held+size <= MaxHeld
	if room {
		t.held += size
		t.queue = append(t.queue, Chunk{Stream: s, at: at, Data: b, gap: s.gap})
	} else {
		t.dropped += uint64(len(b.Data))
	}
	s.gap = !room
	much = t.held > maxQuiet
	t.mu.Unlock()
	if !room {
		b.release()
	}
	return much
}

// Few reports whether not much waits.
func (t *Tap) Few() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held <= maxFew
}

// EndStream says that nothing more comes of a stream.
func (t *Tap) EndStream(s *Stream, at time.Time) { t.CloseStream(s, at, false) }

// CloseStream is endStream; torn says that more was to come. Of several ends the first counts.
func (t *Tap) CloseStream(s *Stream, at time.Time, torn bool) {
	t.mu.Lock()
	if !t.closed {
		t.queue = append(t.queue, Chunk{Stream: s, at: at, gap: s.gap, torn: torn})
	}
	t.mu.Unlock()
}

// CallNow has f called at once, after what was put before it; false if the tap is closed.
func (t *Tap) CallNow(f func()) bool {
	ok := t.CallLater(f)
	t.Hurry()
	return ok
}

// CallLater is callNow without waking the goroutine.
func (t *Tap) CallLater(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.queue = append(t.queue, Chunk{do: f})
	}
	return !t.closed
}

// Signal has what waits looked at soon.
func (t *Tap) Signal() {
	if t.waking.CompareAndSwap(false, true) {
		t.soon.Reset(gatherTime)
	}
}

// Hurry has what waits looked at now.
func (t *Tap) Hurry() {
	select {
	case t.Wake <- struct{}{}:
	default: // it will look anyway
	}
}

// TakeQueue gives what waits, in the place of the slice that was taken before.
func (t *Tap) TakeQueue(spare []Chunk) (queue []Chunk, closed bool) {
	clear(spare)
	t.mu.Lock()
	defer t.mu.Unlock()
	queue, t.queue = t.queue, spare[:0]
	t.held = 0
	return queue, t.closed
}

// Close ends the taking of copies; what waits is still looked at.
func (t *Tap) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.Hurry()
}

// Lost is how many bytes passed without being looked at.
func (t *Tap) Lost() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}

// Process looks at a chunk and gives its memory back.
func (c *Chunk) Process() {
	switch {
	case c.do != nil:
		c.do()
	case c.Data == nil:
		c.Stream.Torn = c.torn
		c.Stream.finish(c.at, c.gap)
	default:
		c.Stream.feed(c.Data.Data, c.at, c.gap)
		c.Data.release()
	}
}

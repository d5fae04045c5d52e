// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"sync"
	"sync/atomic"
)

// How many bytes are read at once, at most: wideRead where much comes. The larger the pieces the fewer
// turns take who sends, who passes on and who reads, and each turn is one of the scheduler's.
const (
	narrowRead  = 64 << 10 // what a pipe holds by default
	wideRead    = 1 << 20  // what the system lets a pipe hold
	smallBuffer = 16 << 10 // what is copied to be looked at, see [buffer.sparse]; of more than that the buffer itself is
)

// nextRead is how many bytes to read next, after n were read.
func nextRead(n int) int {
	if n >= narrowRead {
		return wideRead
	}
	return narrowRead
}

// A buffer is used again when nobody has it any more. Who passes its bytes on and who looks at them may
// have it at once; neither changes it then.
type buffer struct {
	data    []byte
	holders atomic.Int32
}

// Buffers to be used again: small ones for copies, and those that were read into.
var small, narrow, wide sync.Pool

// newBuffer gives a buffer to read into, of narrowRead or wideRead, that the caller holds.
func newBuffer(size int) *buffer {
	pool := &narrow
	if size == wideRead {
		pool = &wide
	}
	b, ok := pool.Get().(*buffer)
	if !ok {
		b = &buffer{data: make([]byte, size)}
	}
	b.holders.Store(1)
	return b
}

// copyOf gives a buffer with a copy of data, that the caller holds.
func copyOf(data []byte) *buffer {
	if len(data) > smallBuffer && len(data) <= narrowRead {
		b := newBuffer(narrowRead)
		b.data = append(b.data[:0], data...)
		return b
	}
	b, ok := small.Get().(*buffer)
	if !ok {
		b = new(buffer)
	}
	b.data = append(b.data[:0], data...)
	b.holders.Store(1)
	return b
}

// sparse reports whether a buffer holds so little of what it has room for that a copy of it waits in its place: it is
// the room that counts while it waits.
func (b *buffer) sparse() bool {
	return len(b.data) <= smallBuffer || len(b.data) <= narrowRead && cap(b.data) == wideRead
}

// room is all that can be read into.
func (b *buffer) room() []byte { return b.data[:cap(b.data)] }

// release ends the holding of one.
func (b *buffer) release() {
	if b.holders.Add(-1) > 0 {
		return
	}
	switch size := cap(b.data); {
	case size == wideRead:
		wide.Put(b)
	case size == narrowRead:
		narrow.Put(b)
	case size <= 2*smallBuffer:
		small.Put(b)
	}
}

// instead releases a buffer for one of a size to read into: the same if nobody else has it.
func (b *buffer) instead(size int) *buffer {
	if cap(b.data) == size && b.holders.Load() == 1 {
		return b
	}
	b.release()
	return newBuffer(size)
}

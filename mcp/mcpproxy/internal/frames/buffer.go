// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"sync"
	"sync/atomic"
)

// How many bytes are read at once, at most: wideRead where much comes. The larger the pieces the fewer
// turns take who sends, who passes on and who reads, and each turn is one of the scheduler's.
const (
	NarrowRead  = 64 << 10 // what a pipe holds by default
	WideRead    = 1 << 20  // what the system lets a pipe hold
	SmallBuffer = 16 << 10 // what is copied to be looked at, see [buffer.sparse]; of more than that the buffer itself is
)

// NextRead is how many bytes to read next, after n were read.
func NextRead(n int) int {
	if n >= NarrowRead {
		return WideRead
	}
	return NarrowRead
}

// A buffer is used again when it has no holder any more. Who passes its bytes on and who looks at them may
// have it at once; neither changes it then.
type buffer struct {
	Data    []byte
	holders atomic.Int32
}

// Buffers to be used again: small ones for copies, and those that were read into.
var small, narrow, wide sync.Pool

// NewBuffer gives a buffer to read into, of narrowRead or wideRead, that the caller holds.
func NewBuffer(size int) *buffer {
	pool := &narrow
	if size == WideRead {
		pool = &wide
	}
	b, ok := pool.Get().(*buffer)
	if !ok {
		b = &buffer{Data: make([]byte, size)}
	}
	b.holders.Store(1)
	return b
}

// copyOf gives a buffer with a copy of data, that the caller holds.
func copyOf(data []byte) *buffer {
	if len(data) > SmallBuffer && len(data) <= NarrowRead {
		b := NewBuffer(NarrowRead)
		b.Data = append(b.Data[:0], data...)
		return b
	}
	b, ok := small.Get().(*buffer)
	if !ok {
		b = new(buffer)
	}
	b.Data = append(b.Data[:0], data...)
	b.holders.Store(1)
	return b
}

// sparse reports whether a buffer holds so little of what it has room for that a copy of it waits in its place: it is
// the room that counts while it waits.
func (b *buffer) sparse() bool {
	return len(b.Data) <= SmallBuffer || len(b.Data) <= NarrowRead && cap(b.Data) == WideRead
}

// Room is all that can be read into.
func (b *buffer) Room() []byte { return b.Data[:cap(b.Data)] }

// release ends the holding of one.
func (b *buffer) release() {
	if b.holders.Add(-1) > 0 {
		return
	}
	switch size := cap(b.Data); {
	case size == WideRead:
		wide.Put(b)
	case size == NarrowRead:
		narrow.Put(b)
	case size <= 2*SmallBuffer:
		small.Put(b)
	}
}

// Instead releases a buffer for one of a size to read into: the same if it has no other holder.
func (b *buffer) Instead(size int) *buffer {
	if cap(b.Data) == size && b.holders.Load() == 1 {
		return b
	}
	b.release()
	return NewBuffer(size)
}

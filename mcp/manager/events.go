// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"sync"
	"sync/atomic"
)

// maxEvents is how many events wait for the host, and maxEventBytes how large they are
// together.
const (
	maxEvents     = 1024
	maxEventBytes = 16 << 20
)

// events tells the host what happens, in one goroutine, so that a slow host does not hold
// up the protocol. What there is no room for is dropped.
type events struct {
	queue chan event
	bytes atomic.Int64

	mu     sync.Mutex
	closed bool
}

// An event is a call of the application's callback, with the size of its content.
type event struct {
	tell func()
	size int
}

func newEvents() *events { return &events{queue: make(chan event, maxEvents)} }

// start begins to tell; what waits when it is closed is still called.
func (e *events) start() {
	go func() {
		for ev := range e.queue {
			safely(ev.tell)
			e.bytes.Add(-int64(ev.size))
		}
	}()
}

func safely(f func()) {
	defer func() { _ = recover() }() // a panic of the application's callback does not stop the manager
	f()
}

// put has f called later, if there is room for what it tells.
func (e *events) put(size int, f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.bytes.Load()+int64(size) > maxEventBytes {
		return
	}
	select {
	case e.queue <- event{f, size}:
		e.bytes.Add(int64(size))
	default:
	}
}

func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.closed = true
		close(e.queue)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import "sync"

// maxEvents is how many events wait for the host.
const maxEvents = 1024

// events tells the host what happens, in one goroutine, so that a slow host does not hold
// up the protocol. What there is no room for is dropped.
type events struct {
	queue chan func()

	mu     sync.Mutex
	closed bool
}

func newEvents() *events { return &events{queue: make(chan func(), maxEvents)} }

// start begins to tell; what is still to be told when it is closed is told.
func (e *events) start() {
	go func() {
		for f := range e.queue {
			safely(f)
		}
	}()
}

func safely(f func()) {
	defer func() { _ = recover() }() // the host's own affair; the manager goes on
	f()
}

// put has f called later.
func (e *events) put(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	select {
	case e.queue <- f:
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

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// A disk runs what a store does in a goroutine of its own, so that no caller waits for a
// disk that hangs longer than they will. Before begin and after the end nothing is done.
type disk struct {
	store *store
	found func() // called when the goroutine has found something to send
	done  func() // called when it has done something

	tasks  chan func(*store)
	posted chan struct{} // something is in later
	begun  atomic.Bool
	quit   chan struct{}
	ended  chan struct{}
	hung   atomic.Bool // a task runs that its caller has given up

	mu    sync.Mutex
	later []func(*store) // what no caller waits for, before every task
}

const (
	tendEvery = 5 * time.Second
	diskLimit = time.Second // a disk that takes longer counts as one that fails
	maxTasks  = 16
)

var (
	errHung   = errors.New("spool: the disk does not answer")
	errClosed = errors.New("spool: it has been shut down")
)

func newDisk(s *store, found, done func()) *disk {
	return &disk{store: s, found: found, done: done, tasks: make(chan func(*store), maxTasks), posted: make(chan struct{}, 1),
		quit: make(chan struct{}), ended: make(chan struct{})}
}

func (d *disk) begin() {
	d.begun.Store(true)
	go d.serve()
}

func (d *disk) serve() {
	defer close(d.ended)
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	d.tend()
	always := make(chan struct{})
	close(always)
	for {
		var idle chan struct{}
		if d.store.uncounted() {
			idle = always
		}
		select { // what a caller waits for goes first
		case task := <-d.tasks:
			d.do(task)
			continue
		default:
		}
		select {
		case task := <-d.tasks:
			d.do(task)
		case <-d.posted:
			d.do(func(*store) {})
		case <-tick.C:
			d.tend()
		case <-idle:
			d.store.countNext()
			d.store.publish()
		case <-d.quit:
			return
		}
	}
}

func (d *disk) do(task func(*store)) {
	d.mu.Lock()
	later := d.later
	d.later = nil
	d.mu.Unlock()
	for _, f := range later {
		f(d.store)
	}
	task(d.store)
	d.store.publish()
	d.done()
}

func (d *disk) tend() {
	d.store.tend()
	d.store.publish()
	if d.store.waits() {
		d.found()
	}
}

// post does something soon, for which no caller waits.
func (d *disk) post(f func(*store)) {
	d.mu.Lock()
	d.later = append(d.later, f)
	d.mu.Unlock()
	select {
	case d.posted <- struct{}{}:
	default:
	}
}

// The states of a task that a caller waits for.
const (
	queued int32 = iota
	running
	finished
	givenUp
)

// ask does something and waits for it, until the context is over or the disk hangs. What
// had begun by then goes on, and undo is called with its result if it had no error.
func ask[T any](ctx context.Context, d *disk, f func(*store) (T, error), undo func(*store, T)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	switch {
	case !d.begun.Load():
		return none, errClosed
	case d.hung.Load():
		return none, errHung
	}
	var state atomic.Int32
	answers := make(chan answer, 1)
	task := func(s *store) {
		if !state.CompareAndSwap(queued, running) {
			return
		}
		v, err := f(s)
		if state.CompareAndSwap(running, finished) {
			s.publish() // before the answer, so that who gets it sees the same
			answers <- answer{v, err}
			return
		}
		if err == nil && undo != nil {
			undo(s, v)
		}
		d.hung.Store(false)
	}
	limit := time.NewTimer(diskLimit)
	defer limit.Stop()
	select {
	case d.tasks <- task:
	case <-d.ended:
		return none, errClosed
	default:
		return none, errHung
	}
	err := errHung
	select {
	case a := <-answers:
		return a.value, a.err
	case <-d.ended:
		err = errClosed
	case <-limit.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if state.CompareAndSwap(queued, givenUp) {
		return none, err
	}
	d.hung.Store(true)
	if state.CompareAndSwap(running, givenUp) {
		return none, err
	}
	d.hung.Store(false)
	a := <-answers
	return a.value, a.err
}

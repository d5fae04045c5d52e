// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import "container/list"

// turns is a queue of lines that are served one after the other, one waiter each; within a
// line it is first come, first served. The zero value is empty and works.
type turns struct {
	lines map[id]*line
	ring  list.List // of *line, none empty; the front is served next
}

type line struct {
	waiters list.List // of *waiter
	at      *list.Element
}

func (t *turns) empty() bool { return t.ring.Len() == 0 }

func (t *turns) push(w *waiter) {
	l := t.lines[w.line]
	if l == nil {
		if t.lines == nil {
			t.lines = make(map[id]*line)
		}
		l = new(line)
		l.at = t.ring.PushBack(l)
		t.lines[w.line] = l
	}
	w.at = l.waiters.PushBack(w)
}

// pop takes out the waiter whose turn it is, or nil.
func (t *turns) pop() *waiter {
	front := t.ring.Front()
	if front == nil {
		return nil
	}
	l := front.Value.(*line)
	w := l.waiters.Front().Value.(*waiter)
	t.ring.MoveToBack(front)
	t.remove(w)
	return w
}

// remove takes out a waiter that is in the queue.
func (t *turns) remove(w *waiter) {
	l := t.lines[w.line]
	l.waiters.Remove(w.at)
	w.at = nil
	if l.waiters.Len() == 0 {
		t.ring.Remove(l.at)
		delete(t.lines, w.line)
	}
}

// A waiter is a call that waits at the gate behind those it has passed. It is guarded
// by the slots' lock.
type waiter struct {
	path
	key     id // whose it is
	line    id // where it stands: the key's line, or one for all
	at      *list.Element
	through bool
	ready   chan struct{} // closed once it is through
}

// due keeps the gates of a call that waits, though it is in none of them.
func (w *waiter) due(n int) {
	for _, g := range w.gates[:w.n] {
		g.due += n
	}
}

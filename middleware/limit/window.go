// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"container/list"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// The longest logs of a window: 8 bytes for each call that began within it.
const (
	maxLog    = 1 << 16 // of all calls, and of a tool
	maxKeyLog = 1 << 12 // of a key
)

// A window is an exact sliding window: it remembers when the last calls began, so that
// never more than its limit begin in a window of its length, wherever that is put.
// It is guarded by the lock of its rates.
type window struct {
	scope Scope
	said  toolkit.RateLimit // as the host said it
	max   int               // entries at most: the limit, or what it is divided into
	span  time.Duration
	log   []time.Duration // a ring of times, the oldest at first
	first int
	n     int
	queue list.List // of *turn: those who wait here
}

// set puts the window to a limit; what it remembers stays. A limit of more calls than
// maxLog is divided: n calls in a window are obeyed if ever n/k begin in a k-th of it.
func (w *window) set(l toolkit.RateLimit, maxLog int) {
	if w.said == l {
		return
	}
	w.said = l
	parts := 1 + (l.MaxCalls-1)/maxLog
	w.max, w.span = l.MaxCalls/parts, ceilDiv(l.Window, time.Duration(parts))
	if w.n > w.max {
		w.first, w.n = (w.first+w.n-w.max)%len(w.log), w.max
	}
}

func ceilDiv(a, b time.Duration) time.Duration { return (a-1)/b + 1 }

// wait is how long from now, which never goes back, until a call may begin.
func (w *window) wait(now time.Duration) time.Duration {
	for w.n > 0 && now-w.log[w.first] >= w.span {
		if w.first++; w.first == len(w.log) {
			w.first = 0
		}
		w.n--
	}
	if w.n < w.max {
		return 0
	}
	return w.span - (now - w.log[w.first])
}

// addCall remembers a call that begins now; wait has just said that it may.
func (w *window) addCall(now time.Duration) {
	if w.n == len(w.log) {
		w.grow()
	}
	at := w.first + w.n
	if at >= len(w.log) {
		at -= len(w.log)
	}
	w.log[at] = now
	w.n++
}

// force remembers a call that begins now, whatever the limit: the oldest is forgotten for it.
func (w *window) force(now time.Duration) {
	if w.wait(now) > 0 {
		w.first = (w.first + 1) % len(w.log)
		w.n--
	}
	w.addCall(now)
}

func (w *window) grow() {
	log := make([]time.Duration, min(max(4, 2*len(w.log)), max(4, w.max)))
	n := copy(log, w.log[w.first:])
	copy(log[n:], w.log[:w.first])
	w.log, w.first = log, 0
}

// next reports whether no caller has to begin before t; a nil t is one who does not wait.
func (w *window) next(t *turn) bool {
	front := w.queue.Front()
	return front == nil || front.Value.(*turn) == t
}

// refusal is why the window does not let a call begin.
func (w *window) refusal(after time.Duration) *Error {
	return &Error{Scope: w.scope, Rate: w.said, After: after}
}

// windows are what a call has to ask; nil is no limit.
type windows [3]*window

// try counts a call in all windows if all allow it now. Else blocking is the one that will
// do so last, and wait how long that takes at least; 0 if only others go first there. me
// is the caller's place in a queue, nil for one who has none.
func (ws *windows) try(now time.Duration, me *turn) (blocking *window, wait time.Duration) {
	for _, w := range ws {
		if w == nil {
			continue
		}
		d := w.wait(now)
		if d > wait || blocking == nil && (d > 0 || !w.next(me)) {
			blocking, wait = w, d
		}
	}
	if blocking != nil {
		return blocking, wait
	}
	for _, w := range ws {
		if w != nil {
			w.addCall(now)
		}
	}
	return nil, 0
}

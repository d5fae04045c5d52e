// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"container/list"
	"context"
	"time"

	"github.com/toolscope/toolscope/internal/arrival"
)

// A turn is a call that waits for a rate limit, in the queue of the window that will
// allow it last. Only the head of a queue looks at the clock; who leaves it wakes
// the next. Nothing is reserved: a call counts when it begins, so one that gives up leaves
// nothing behind, and a session that has to wait long holds up no other at the limits they
// share. It is guarded by the lock of its rates.
type turn struct {
	rates   *rates
	windows windows
	at      *window
	place   *list.Element
	wake    chan struct{} // buffered: the head of the queue is reached
	until   time.Time     // the end of its patience
}

// join puts a call that has to wait at a window into its queue; nil if it would wait too
// long, or too many wait. The caller holds the lock.
func (r *rates) join(ctx context.Context, now time.Time, ws windows, at *window, wait time.Duration) *turn {
	if r.options.MaxWait == 0 || r.waiting >= r.options.Queue {
		return nil
	}
	t := &turn{rates: r, windows: ws, wake: make(chan struct{}, 1), until: now.Add(r.options.MaxWait)}
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(t.until) {
		t.until = deadline
	}
	if t.tooLong(now, wait) {
		return nil
	}
	r.waiting++
	t.stand(at)
	return t
}

// tooLong reports whether a wait ends beyond the call's patience.
func (t *turn) tooLong(now time.Time, wait time.Duration) bool {
	left := t.until.Sub(now)
	return left <= 0 || wait > left
}

// wait ends when the call may begin: then it is nil. Else it is why not.
func (t *turn) wait(ctx context.Context) *Error {
	for {
		sleep, refused, done := t.step()
		if done {
			return refused
		}
		arrival.Pass(ctx)
		timer := time.NewTimer(sleep)
		select {
		case <-t.wake:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return t.giveUp()
		}
		timer.Stop()
	}
}

// step tries to begin. If it neither can nor gives up, sleep is when to try again at the
// latest.
func (t *turn) step() (sleep time.Duration, refused *Error, done bool) {
	r := t.rates
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	blocking, wait := t.windows.try(now.Sub(r.began), t)
	if blocking == nil || t.tooLong(now, wait) {
		t.leave()
		r.waiting--
		if blocking != nil {
			refused = blocking.refusal(wait)
		}
		return 0, refused, true
	}
	if blocking != t.at {
		t.leave()
		t.stand(blocking)
	}
	if blocking.next(t) {
		return wait, nil, false
	}
	return t.until.Sub(now), nil, false
}

// giveUp ends the wait of a caller who is gone.
func (t *turn) giveUp() *Error {
	t.rates.mu.Lock()
	defer t.rates.mu.Unlock()
	t.leave()
	t.rates.waiting--
	return t.at.refusal(0)
}

func (t *turn) stand(at *window) { t.at, t.place = at, at.queue.PushBack(t) }

// leave leaves the queue and wakes who is its head now.
func (t *turn) leave() {
	head := t.at.next(t)
	t.at.queue.Remove(t.place)
	front := t.at.queue.Front()
	if !head || front == nil {
		return
	}
	select {
	case front.Value.(*turn).wake <- struct{}{}:
	default: // told already, and has not looked yet
	}
}

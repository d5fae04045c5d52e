// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
)

// A Watcher decodes copies of the traffic between clients and a server into spans, metrics, statistics and
// observations. One goroutine does the work, until Close, or one that waits for it to be done: no other goroutine has to
// be woken then.
type Watcher struct {
	*Engine
	done chan struct{}

	decoding sync.Mutex // held by the goroutine that does the work
	queue    []frames.Chunk
	Sessions map[*Session]struct{} // of that goroutine

	listed, settled atomic.Uint64 // how often what may list tools has passed, and how much of that has been decoded
}

// New makes a watcher and starts it.
func New(scope *toolscope.Scope, o Settings) (*Watcher, error) {
	e, err := newEngine(scope, o)
	if err != nil {
		return nil, err
	}
	w := &Watcher{Engine: e, done: make(chan struct{}), Sessions: map[*Session]struct{}{}}
	go w.work()
	return w, nil
}

// work decodes the traffic until the tap is closed.
func (w *Watcher) work() {
	defer close(w.done)
	tick := time.NewTicker(frames.LookInterval)
	defer tick.Stop()
	for closed := false; !closed; {
		ticked := false
		select {
		case <-w.Tap.Wake:
		case <-tick.C:
			ticked = true
		}
		w.decoding.Lock()
		if ticked {
			w.FindHung(time.Now())
		}
		closed = w.decode()
		w.decoding.Unlock()
	}
	w.decoding.Lock()
	defer w.decoding.Unlock()
	for s := range w.Sessions {
		w.End(s, time.Now(), nil)
	}
	w.suspended.Close()
	w.Shared.Close()
}

// decode decodes what waits; the caller holds the lock.
func (w *Watcher) decode() (closed bool) {
	w.queue, closed = w.Tap.TakeQueue(w.queue)
	for i := range w.queue {
		w.queue[i].Process()
	}
	return closed
}

// decodeHere decodes what waits, unless another goroutine does.
func (w *Watcher) decodeHere() bool {
	if !w.decoding.TryLock() {
		return false
	}
	defer w.decoding.Unlock()
	w.decode()
	return true
}

// FindHung notes calls that hang, and ends those that have waited too long for input.
func (w *Watcher) FindHung(now time.Time) {
	for s := range w.Sessions {
		s.findHung(now)
	}
	w.suspended.expire(now.Add(-MaxSuspension))
	w.Shared.expire(now.Add(-MaxSuspension))
}

// Join has the goroutine look at a session from now on.
func (w *Watcher) Join(s *Session) {
	w.Tap.CallLater(func() { w.Sessions[s] = struct{}{} })
}

// End ends a session, and what is open of it. err is why its connection ended. It is for the goroutine.
func (w *Watcher) End(s *Session, at time.Time, err error) {
	if _, ok := w.Sessions[s]; ok {
		delete(w.Sessions, s)
		s.close(at, err)
	}
}

// Close decodes what waits, ends what is open, and ends the goroutine.
func (w *Watcher) Close() {
	w.Tap.Close()
	<-w.done
}

// Settle returns when all that passed before it has been decoded, or ctx is over.
func (w *Watcher) Settle(ctx context.Context) error {
	if w.decodeHere() {
		return nil
	}
	settled := make(chan struct{})
	if !w.Tap.CallNow(func() { close(settled) }) {
		return nil
	}
	select {
	case <-settled:
		return nil
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Forwarding returns once what a client sent may be forwarded: the calls in it have begun, and who is to know that before
// does. It waits for a moment at most.
func (w *Watcher) Forwarding() {
	if w.BeforeForward == nil {
		return
	}
	if !w.decodeHere() {
		ctx, cancel := context.WithTimeout(context.Background(), forwardTime)
		defer cancel()
		_ = w.Settle(ctx)
	}
	w.BeforeForward()
}

// Forwarded decodes the answer that has been forwarded, if that is soon done and the next request would have to wait for
// it; false leaves it to the goroutine of the watcher.
func (w *Watcher) Forwarded() bool {
	return w.BeforeForward != nil && w.Tap.Few() && w.decodeHere()
}

// forwardTime is how long what a client sent waits at most until it has been decoded, which waits for nothing but a
// processor.
const forwardTime = 10 * time.Second

// Listed takes note that what has passed may list tools.
func (w *Watcher) Listed() { w.listed.Add(1) }

// SettleLists returns when all that was [Watcher.Listed] before it has been decoded, or ctx is over.
func (w *Watcher) SettleLists(ctx context.Context) error {
	listed := w.listed.Load()
	if w.settled.Load() >= listed {
		return nil
	}
	err := w.Settle(ctx)
	for before := w.settled.Load(); err == nil && before < listed && !w.settled.CompareAndSwap(before, listed); {
		before = w.settled.Load()
	}
	return err
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"time"

	"github.com/toolscope/toolscope"
)

// A watcher decodes copies of what passes between clients and a server into spans, metrics, statistics and
// observations. One goroutine does the work, until Close.
type watcher struct {
	*engine
	done     chan struct{}
	sessions map[*session]struct{} // of the goroutine
}

// newWatcher makes a watcher and starts it.
func newWatcher(scope *toolscope.Scope, o settings) (*watcher, error) {
	e, err := newEngine(scope, o)
	if err != nil {
		return nil, err
	}
	w := &watcher{engine: e, done: make(chan struct{}), sessions: map[*session]struct{}{}}
	go w.work()
	return w, nil
}

// work decodes what passes until the tap is closed.
func (w *watcher) work() {
	defer close(w.done)
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	var queue []chunk
	for closed := false; !closed; {
		select {
		case <-w.tap.wake:
		case <-tick.C:
			w.findHung(time.Now())
		}
		queue, closed = w.tap.takeQueue(queue)
		for i := range queue {
			queue[i].process()
		}
	}
	for s := range w.sessions {
		w.end(s, time.Now(), nil)
	}
	w.suspended.close()
	w.shared.close()
}

// findHung notes calls that hang, and ends those that have waited too long for input.
func (w *watcher) findHung(now time.Time) {
	for s := range w.sessions {
		s.findHung(now)
	}
	w.suspended.expire(now.Add(-maxSuspension))
	w.shared.expire(now.Add(-maxSuspension))
}

// join has the goroutine look at a session from now on.
func (w *watcher) join(s *session) {
	w.tap.callLater(func() { w.sessions[s] = struct{}{} })
}

// end ends a session, and what is open of it. err is why its connection ended. It is for the goroutine.
func (w *watcher) end(s *session, at time.Time, err error) {
	if _, ok := w.sessions[s]; ok {
		delete(w.sessions, s)
		s.close(at, err)
	}
}

// Close decodes what waits, ends what is open, and ends the goroutine.
func (w *watcher) Close() {
	w.tap.close()
	<-w.done
}

// Settle returns when all that passed before it has been decoded, or ctx is over.
func (w *watcher) Settle(ctx context.Context) error {
	settled := make(chan struct{})
	if !w.tap.callNow(func() { close(settled) }) {
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

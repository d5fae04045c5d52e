// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/internal/arrival"
	"github.com/toolscope/toolscope/toolkit"
)

// wait takes a slot, standing in line for it if it must. If there is none to be had, end
// is how the call ends.
func (s *slots) wait(ctx context.Context, call toolkit.Call, key id) (w *waiter, end func() (toolkit.Result, error)) {
	w, full := s.join(call.Name, key)
	if full == nil {
		return w, nil
	}
	tell(call, "concurrency", full.Scope)
	refused := func() (toolkit.Result, error) { return refuse(call, toolkit.ErrOverloaded, full) }
	if w == nil {
		return nil, refused
	}
	var late <-chan time.Time
	if s.options.MaxWait > 0 {
		timer := time.NewTimer(s.options.MaxWait)
		defer timer.Stop()
		late = timer.C
	}
	began := time.Now()
	arrival.Pass(ctx)
	select {
	case <-w.ready:
	case <-ctx.Done():
	case <-late:
	}
	waited := time.Since(began)
	call.Record.Note(func(n *toolkit.Disposition) { n.Queue += waited })
	gone := ctx.Err() != nil
	switch through := s.settle(w, gone); {
	case gone:
		return nil, func() (toolkit.Result, error) { return gaveUp(ctx, call) }
	case !through:
		return nil, refused
	}
	return w, nil
}

// join takes a slot, or a place in the line of the first gate that is full, which full
// tells of. The waiter is nil if too many wait.
func (s *slots) join(tool string, key id) (w *waiter, full *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w = &waiter{key: key}
	s.find(&w.path, tool, key)
	if s.advance(&w.path) {
		return w, nil
	}
	at := w.gates[w.passed]
	full = &Error{Scope: at.scope, Running: at.limit, Left: at.left}
	if s.waiting >= s.options.Queue || key.name != "" && s.waitingBy[key] >= s.options.QueuePerKey {
		s.release(&w.path)
		return nil, full
	}
	if s.options.Order == RoundRobin {
		w.line = key
	}
	w.ready = make(chan struct{})
	s.waiting++
	s.waitingBy[key]++
	w.due(1)
	at.queue.push(w)
	return w, full
}

// settle ends a wait, and reports whether the call is through. A call whose caller is
// gone gives its slot back.
func (s *slots) settle(w *waiter, gone bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.through && !gone {
		return true
	}
	if w.through {
		s.running--
	} else {
		w.gates[w.passed].queue.remove(w)
		s.stopWaiting(w)
	}
	s.release(&w.path)
	return false
}

func (s *slots) stopWaiting(w *waiter) {
	s.waiting--
	w.due(-1)
	if s.waitingBy[w.key]--; s.waitingBy[w.key] == 0 {
		delete(s.waitingBy, w.key)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// An attempt is the context of one attempt. It does what that of [context.WithTimeoutCause]
// does, but has a timer, a channel and a place among the caller's contexts only from when
// a caller asks for Done or finds the time over: many tools never do, and no call of theirs pays
// for it.
type attempt struct {
	context.Context // the caller's
	limit           *limit
	deadline        time.Time
	over            atomic.Bool // the attempt has ended

	mu     sync.Mutex  // held to make what is below
	made   atomic.Bool // whether it is there, and does not change any more
	full   context.Context
	cancel context.CancelFunc
}

// attempt is the context of an attempt that begins now.
func (l *limit) attempt(ctx context.Context) *attempt {
	return &attempt{Context: ctx, limit: l, deadline: time.Now().Add(l.of)}
}

// end ends the attempt. Who still has its context finds it cancelled.
func (a *attempt) end() {
	a.over.Store(true)
	if a.made.Load() { // if not yet, a caller that makes it finds the attempt over
		a.cancel()
	}
}

// whole is the context in full.
func (a *attempt) whole() context.Context {
	if a.made.Load() {
		return a.full
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made.Load() {
		return a.full
	}
	parent := a.Context
	callers, ok := parent.Deadline()
	switch {
	case a.over.Load():
		a.full, a.cancel = context.WithCancel(parent)
	// both are over: this one was the first
	case ok && callers.After(a.deadline) && errors.Is(parent.Err(), context.DeadlineExceeded):
		parent = context.WithoutCancel(parent)
		fallthrough
	default:
		a.full, a.cancel = context.WithDeadlineCause(parent, a.deadline, a.limit.cause)
	}
	a.made.Store(true)
	if a.over.Load() {
		a.cancel()
	}
	return a.full
}

// Deadline is the attempt's, or the caller's if that is earlier.
func (a *attempt) Deadline() (time.Time, bool) {
	if callers, ok := a.Context.Deadline(); ok && callers.Before(a.deadline) {
		return callers, true
	}
	return a.deadline, true
}

// Done is closed when the time is over, the caller gives up, or the attempt has ended.
func (a *attempt) Done() <-chan struct{} { return a.whole().Done() }

// Err is nil until then; for who never asked for Done it looks at the clock.
func (a *attempt) Err() error {
	if !a.made.Load() && !a.over.Load() && a.Context.Err() == nil && time.Until(a.deadline) > 0 {
		return nil
	}
	return a.whole().Err()
}

// Value is the caller's. A context made from this one finds here what cancels it, and has asked for
// Done before.
func (a *attempt) Value(key any) any {
	if a.made.Load() {
		return a.full.Value(key)
	}
	return a.Context.Value(key)
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// insideKey marks the context of a run. A call made there by the tool waits for no other run, since
// that may wait for this one: the call may be a duplicate of the very call that makes it.
type insideKey struct{}

func inside(ctx context.Context) bool { return ctx.Value(insideKey{}) != nil }

// here is the context of a run in its caller's goroutine: the caller's own, marked.
type here struct{ context.Context }

// Value is the caller's.
func (c here) Value(key any) any {
	if key == (insideKey{}) {
		return true
	}
	return c.Context.Value(key)
}

// apart is the context of a run in a goroutine of its own: the first caller's values without its
// end, marked. It can be cancelled as that of [context.WithCancelCause] can, which it makes only when
// a caller asks for Done: many tools never do.
type apart struct {
	context.Context // of context.WithoutCancel

	mu    sync.Mutex              // held to change what is below
	ended atomic.Bool             // cancelled
	cause error                   // then
	full  atomic.Pointer[stopped] // nil until a caller asks for Done or it is cancelled
}

type stopped struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// whole is the context in full.
func (a *apart) whole() context.Context {
	if full := a.full.Load(); full != nil {
		return full.ctx
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	full := a.full.Load()
	if full == nil {
		full = new(stopped)
		full.ctx, full.cancel = context.WithCancelCause(a.Context)
		if a.ended.Load() {
			full.cancel(a.cause)
		}
		a.full.Store(full)
	}
	return full.ctx
}

// cancel ends the context. The first cause counts; nil is [context.Canceled].
func (a *apart) cancel(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended.Load() {
		return
	}
	a.cause = cause
	a.ended.Store(true)
	if full := a.full.Load(); full != nil {
		full.cancel(cause)
	}
}

// Deadline is none.
func (a *apart) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done is closed when the context is cancelled.
func (a *apart) Done() <-chan struct{} { return a.whole().Done() }

// Err is nil until then.
func (a *apart) Err() error {
	if !a.ended.Load() {
		return nil
	}
	return a.whole().Err()
}

// Value is the first caller's. A caller that looks for what cancels the context finds it here once there is
// something to find.
func (a *apart) Value(key any) any {
	if key == (insideKey{}) {
		return true
	}
	if full := a.full.Load(); full != nil {
		return full.ctx.Value(key)
	}
	if a.ended.Load() {
		return a.whole().Value(key)
	}
	return a.Context.Value(key)
}

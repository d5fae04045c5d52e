// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package uncounted

import (
	"context"
	"sync/atomic"

	"github.com/toolscope/toolscope/toolkit"
)

// Call keeps one call out of the figures of a stats.Recorder: one that is recorded as a part of another call, by
// a layer that knows that. The call still counts as running while it runs. See [With].
type Call struct {
	// Skip reports whether the call that ended is left out; nil leaves it out. It must not keep e. It may be asked
	// by any goroutine.
	Skip func(e *toolkit.Ended) bool

	taken atomic.Bool
}

type contextKey struct{}

// used reports whether any context of this process has a Call: while none has, contexts are not searched.
var used atomic.Bool

// With returns a context with which the next call that begins is left out if u says so. Calls that begin
// inside that call are counted. u is for one call.
func With(ctx context.Context, u *Call) context.Context {
	used.Store(true)
	return context.WithValue(ctx, contextKey{}, u)
}

// Begin is the context that a call goes on with: without the Call of an outer one.
func Begin(ctx context.Context) context.Context {
	if u := of(ctx); u != nil && u.taken.Swap(true) {
		return context.WithValue(ctx, contextKey{}, (*Call)(nil))
	}
	return ctx
}

func of(ctx context.Context) *Call {
	if !used.Load() {
		return nil
	}
	u, _ := ctx.Value(contextKey{}).(*Call)
	return u
}

// Skips reports whether the call that ended with this context is left out.
func Skips(ctx context.Context, e *toolkit.Ended) bool {
	u := of(ctx)
	return u != nil && (u.Skip == nil || u.Skip(e))
}

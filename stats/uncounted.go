// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"sync/atomic"

	"github.com/toolscope/toolscope/toolkit"
)

// Uncounted keeps one call out of the figures of a [Recorder]: one that is recorded as a part of another call, by
// a layer that knows that. The call still counts as running while it runs. See [WithUncounted].
type Uncounted struct {
	// Skip reports whether the call that ended is left out; nil leaves it out. It must not keep e. It may be asked
	// by any goroutine.
	Skip func(e *toolkit.Ended) bool

	taken atomic.Bool
}

type uncountedKey struct{}

// uncounted reports whether any context of this process has an Uncounted: while none has, contexts are not searched.
var uncounted atomic.Bool

// WithUncounted returns a context with which the next call that begins is left out if u says so. Calls that begin
// inside that call are counted. u is for one call.
func WithUncounted(ctx context.Context, u *Uncounted) context.Context {
	uncounted.Store(true)
	return context.WithValue(ctx, uncountedKey{}, u)
}

// beginUncounted is the context that a call goes on with: without the Uncounted of an outer call.
func beginUncounted(ctx context.Context) context.Context {
	if u := uncountedOf(ctx); u != nil && u.taken.Swap(true) {
		return context.WithValue(ctx, uncountedKey{}, (*Uncounted)(nil))
	}
	return ctx
}

func uncountedOf(ctx context.Context) *Uncounted {
	if !uncounted.Load() {
		return nil
	}
	u, _ := ctx.Value(uncountedKey{}).(*Uncounted)
	return u
}

// skips reports whether the call that ended is left out. It works on nil.
func (u *Uncounted) skips(e *toolkit.Ended) bool { return u != nil && (u.Skip == nil || u.Skip(e)) }

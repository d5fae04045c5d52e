// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A limit is how long one attempt may run, and the cause that its context then
// ends with, made once for all calls.
type limit struct {
	of    time.Duration
	cause error
}

// newLimit is nil, no limit, for a time below 0.
func newLimit(d time.Duration) *limit {
	if d < 0 {
		return nil
	}
	return &limit{d, &toolkit.Error{Kind: toolkit.ErrTimeout, Message: fmt.Sprintf("one attempt may run for %v", d)}}
}

// context is the context of an attempt that begins now; one without a limit of its
// own for a nil limit.
func (l *limit) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if l == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, l.of, l.cause)
}

// maxLimits is how many different limits of definitions are kept.
const maxLimits = 256

// limits are made when a definition first asks for them.
type limits struct {
	known atomic.Pointer[map[time.Duration]*limit]
	mu    sync.Mutex // held to add one
}

func (t *limits) forDuration(d time.Duration) *limit {
	if known := t.known.Load(); known != nil {
		if l, ok := (*known)[d]; ok {
			return l
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	next := map[time.Duration]*limit{}
	if known := t.known.Load(); known != nil {
		if l, ok := (*known)[d]; ok {
			return l
		}
		if len(*known) >= maxLimits {
			return newLimit(d)
		}
		next = maps.Clone(*known)
	}
	next[d] = newLimit(d)
	t.known.Store(&next)
	return next[d]
}

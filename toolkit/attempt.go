// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"time"
)

// An AttemptObserver is an [Observer] that is notified of each attempt of a call that
// a retry policy runs, besides the call itself: tracing makes a span of each.
type AttemptObserver interface {
	Observer
	// BeginAttempt returns the context that the attempt goes on with, and what is
	// called once when it has ended. call.Attempt counts from 1. start is when the
	// attempt began; the zero time is now.
	BeginAttempt(ctx context.Context, call Call, start time.Time) (context.Context, func(res Result, err error))
}

// BeginAttempt tells the call's observers that an attempt begins, for policies
// that run a call more than once; call.Attempt is its number, from 1. start is when it
// began, the zero time for now: a first attempt may be reported when it turns out that there
// is a second. The attempt goes on with the context returned; end must be called once
// when it has ended. A panic of an observer is swallowed and counted. Without a record, and where no
// observer asks for attempts, the context is ctx and end does nothing.
func (r Record) BeginAttempt(ctx context.Context, call Call, start time.Time) (inner context.Context,
	end func(res Result, err error)) {
	return beginRun(ctx, r, func(ctx context.Context, o AttemptObserver) (context.Context, runEnd) {
		return o.BeginAttempt(ctx, call, start)
	})
}

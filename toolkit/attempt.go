// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"time"
)

// An AttemptObserver is an [Observer] that is told of each attempt of a call that
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
// began, the zero time for now: a first attempt may be told when it turns out that there
// is a second. The attempt goes on with the context returned; end must be called once
// when it has ended. A panic of an observer is swallowed and counted. Without a record, and where no
// observer asks for attempts, the context is ctx and end does nothing.
func (r Record) BeginAttempt(ctx context.Context, call Call, start time.Time) (inner context.Context, end func(res Result, err error)) {
	var observers []Observer
	if r.lock() {
		observers = r.cell.observers
		r.cell.mu.Unlock()
	}
	var ends []func(Result, error)
	for _, o := range observers {
		a, ok := o.(AttemptObserver)
		if !ok {
			continue
		}
		next, end := safeBeginAttempt(a, ctx, call, start)
		if next != nil {
			ctx = next
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	return ctx, func(res Result, err error) {
		for i := len(ends) - 1; i >= 0; i-- {
			safeEndAttempt(ends[i], res, err)
		}
	}
}

func safeBeginAttempt(o AttemptObserver, ctx context.Context, call Call, start time.Time) (inner context.Context, end func(Result, error)) {
	var failed bool
	defer swallow(&failed)
	return o.BeginAttempt(ctx, call, start)
}

func safeEndAttempt(end func(Result, error), res Result, err error) {
	var failed bool
	defer swallow(&failed)
	end(res, err)
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"

	"github.com/toolscope/toolscope/internal/counters"
)

// The observers of a call are called one after the other in one function, which recovers from
// their panics: a deferred function for each of them would cost more than what most do. One
// that panics ends the function, and the next one begins behind it.

// tellBegin tells the observers in order, and returns the context that the call goes on with.
func (r *run) tellBegin(ctx context.Context, call *Call) context.Context {
	for len(r.ctxs) < len(r.observers) {
		ctx = r.tellBeginFrom(ctx, call)
	}
	return ctx
}

// tellBeginFrom tells those that were not told yet, up to the first that panics.
func (r *run) tellBeginFrom(ctx context.Context, call *Call) (inner context.Context) {
	inner = ctx
	told := false
	defer func() {
		if told {
			return
		}
		if recover() != nil {
			counters.ObserverPanics.Add(1)
		}
		r.ctxs = append(r.ctxs, nil) // also for panic(nil) where GODEBUG lets that be nil
	}()
	for _, o := range r.observers[len(r.ctxs):] {
		if next := o.Begin(inner, *call, &r.cell.facts); next != nil {
			inner = next
		}
		r.ctxs = append(r.ctxs, inner)
	}
	told = true
	return inner
}

// wants asks the observers whether any looks at content.
func (r *run) wants() bool {
	for at := 0; at < len(r.observers); at++ { // behind one that panicked
		if r.wantsFrom(&at) {
			return true
		}
	}
	return false
}

// wantsFrom asks the observers from the one at a place on, up to the first that wants content
// or panics, and sets the place to where it stopped.
func (r *run) wantsFrom(at *int) (wants bool) {
	told := false
	defer func() {
		if !told && recover() != nil {
			counters.ObserverPanics.Add(1)
		}
	}()
	for ; *at < len(r.observers) && !wants; *at++ {
		if ctx := r.ctxs[*at]; ctx != nil {
			wants = r.observers[*at].Wants(ctx)
		}
	}
	told = true
	return wants
}

// tellEnd tells the observers in reverse order.
func (r *run) tellEnd() {
	for at := len(r.observers) - 1; at >= 0; at-- {
		r.tellEndFrom(&at)
	}
}

// tellEndFrom tells the observers from the one at a place down, up to the first that panics,
// and sets the place to where it stopped.
func (r *run) tellEndFrom(at *int) {
	told := false
	defer func() {
		if !told && recover() != nil {
			counters.ObserverPanics.Add(1)
		}
	}()
	for ; *at >= 0; *at-- {
		if ctx := r.ctxs[*at]; ctx != nil {
			r.observers[*at].End(ctx, &r.ended)
		}
	}
	told = true
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import "context"

// runEnd is called once when a run of a call's tool has ended, an attempt or one in the background.
type runEnd = func(res Result, err error)

// beginRun tells those observers of a record's call that are an O that a run of its tool begins, in order;
// begin is how, and may return a nil context and a nil end. The run goes on with the context
// returned, and end tells the observers in reverse order. Panics of observers are swallowed and counted.
func beginRun[O Observer](ctx context.Context, r Record, begin func(context.Context, O) (context.Context,
	runEnd)) (inner context.Context, end runEnd) {
	var observers []Observer
	if r.lock() {
		observers = r.cell.observers
		r.cell.mu.Unlock()
	}
	var ends []runEnd
	for _, each := range observers {
		o, ok := each.(O)
		if !ok {
			continue
		}
		next, end := safeBeginRun(ctx, o, begin)
		if next != nil {
			ctx = next
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	return ctx, func(res Result, err error) {
		res.Fault, err = withReason(res.Fault, &res), withReason(err, &res)
		for i := len(ends) - 1; i >= 0; i-- {
			safeEndRun(ends[i], res, err)
		}
	}
}

func safeBeginRun[O Observer](ctx context.Context, o O, begin func(context.Context, O) (context.Context,
	runEnd)) (inner context.Context, end runEnd) {
	var failed bool
	defer swallow(&failed)
	return begin(ctx, o)
}

func safeEndRun(end runEnd, res Result, err error) {
	var failed bool
	defer swallow(&failed)
	end(res, err)
}

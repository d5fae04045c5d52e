// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import "context"

// A BackgroundObserver is an [Observer] that is notified of runs of a tool that no call waits for, apart
// from calls: tracing makes a span of each, in a trace of its own, with a link to the call
// that caused it.
type BackgroundObserver interface {
	Observer
	// BeginBackground returns the context that the run goes on with, and what is called
	// once when it has ended. call is the one that caused it, which may have ended; its Record is the
	// run's own. what is one of a small fixed set: "renewal".
	BeginBackground(ctx context.Context, call Call, what string) (context.Context, func(res Result, err error))
}

// BeginBackground tells the call's observers that its tool runs in the background, for policies
// that run it while no caller waits; call.Record is a [Record.Fork], and what is BackgroundObserver's.
// The run goes on with the context returned; end must be called once when it has ended. A panic of an
// observer is swallowed and counted. Without a record, and where no observer asks for such
// runs, the context is ctx and end does nothing.
func (r Record) BeginBackground(ctx context.Context, call Call, what string) (inner context.Context,
	end func(res Result, err error)) {
	return beginRun(ctx, r, func(ctx context.Context, o BackgroundObserver) (context.Context, runEnd) {
		return o.BeginBackground(ctx, call, what)
	})
}

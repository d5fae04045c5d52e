// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"time"
)

// Observe returns the middleware that tells observers of every call. It is the
// outermost one, so that it sees what the agent gets. Nil observers are left out;
// without observers the handler itself is returned.
func Observe(tools Lookup, observers ...Observer) Middleware {
	observers = withoutNil(observers)
	return func(next Handler) Handler {
		if next == nil {
			next = nilHandler
		}
		if len(observers) == 0 {
			return next
		}
		return func(ctx context.Context, call Call) (res Result, err error) {
			if call.foreign != nil && call.foreign.streams() {
				return observeStream(ctx, call, tools.safeFind(call.Name), observers, next)
			}
			r, inner := begin(ctx, &call, tools.safeFind(call.Name), observers)
			returned := false
			defer func() {
				if !returned {
					r.unwind(recover())
				}
			}()
			res, err = next(inner, call)
			returned = true
			r.endNative(&res, err, TypeOther)
			return res, err
		}
	}
}

// observeStream runs a call whose result is a stream: the call ends with it.
func observeStream(ctx context.Context, call Call, tool *Definition, observers []Observer, next Handler) (res Result, err error) {
	inner, s := beginStream(ctx, &call, tool, observers)
	returned := false
	defer func() {
		if !returned {
			s.unwind(recover())
		}
	}()
	res, err = next(inner, call)
	returned = true
	if err != nil || res.foreign == nil || !res.foreign.startStream(s) {
		s.end(time.Time{}, res, err, TypeOther)
	}
	return res, err
}

// endNative ends a run whose handler returned. fallback is the type of an error
// that says nothing of itself.
func (r *run) endNative(res *Result, err error, fallback string) {
	e := &r.ended
	switch {
	case res.Suspended: // neither success nor failure
	case err != nil:
		e.fail(EndingFailed, err, fallback)
		e.Err = withReason(err, res)
	case res.Fault != nil:
		ending := EndingReturned
		if res.foreign != nil && res.foreign.returnedError() {
			ending = EndingFailed
		}
		e.fail(ending, res.Fault, string(ErrTool))
		e.Err = withReason(res.Fault, res)
	}
	e.ResultBytes = res.Size()
	e.Result.Fault, e.Result.Suspended = res.Fault, res.Suspended
	if r.wants() {
		e.Result, e.Content = *res, true
	}
	r.end()
}

func withoutNil(observers []Observer) []Observer {
	kept := make([]Observer, 0, len(observers))
	for _, o := range observers {
		if o != nil {
			kept = append(kept, o)
		}
	}
	return kept
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"context"
	"errors"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// reportEnd ends a call whose tool returned after inner, the context of its attempt,
// was over; ctx is the caller's. A failure whose own methods panic, as those of a typed nil do, is
// passed on as it is.
func (l *limit) reportEnd(ctx, inner context.Context, call toolkit.Call, res toolkit.Result,
	err error) (out toolkit.Result, end error) {
	defer func() {
		if recover() != nil {
			out, end = res, err
		}
	}()
	failure := err
	if failure == nil {
		failure = res.Fault
	}
	var told error
	if l.fired(ctx, inner) {
		call.Record.Tag("timeout.limit", l.of.String())
		if failure == nil {
			call.Record.Tag("timeout.result", "kept")
		}
		told = l.exceeded(inner, call, failure)
	} else {
		told = ended(ctx, call, failure)
	}
	switch {
	case told == nil || res.Suspended:
		return res, err
	case err != nil:
		return res, told
	}
	if res.Output == "" || res.Output == failure.Error() {
		res.Output = told.Error()
	} else { // what the tool had so far
		res.Output += "\n\n" + told.Error()
	}
	res.Fault = told
	return res, nil
}

// fired reports whether inner ended by this limit, and not with the caller's
// context. That may have ended by an equal limit, of a call around this one: then
// the earlier deadline tells.
func (l *limit) fired(ctx, inner context.Context) bool {
	if l == nil || context.Cause(inner) != l.cause {
		return false
	}
	if context.Cause(ctx) != l.cause {
		return true
	}
	callers, ok := ctx.Deadline()
	own, _ := inner.Deadline()
	return !ok || own.Before(callers)
}

// ran is how long the attempt of that context has run so far.
func (l *limit) ran(inner context.Context) time.Duration {
	deadline, _ := inner.Deadline()
	return max(l.of, l.of+time.Since(deadline)).Round(time.Millisecond)
}

// exceeded is the error of a call that failed after its limit; nil if it did not.
func (l *limit) exceeded(inner context.Context, call toolkit.Call, failure error) error {
	if failure == nil {
		return nil
	}
	text := "it ran for " + l.ran(inner).String() + ", and one attempt may run for " + l.of.String() +
		"; ask for less at once, or go on without it"
	if !contextual(failure) {
		text += "; it ended with: " + failure.Error()
	}
	return &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: call.Name, Message: text, Cause: failure}
}

// ended is the error of a call that its caller ended, if the caller's cause says
// more than the failure does; else nil.
func ended(ctx context.Context, call toolkit.Call, failure error) error {
	cause := context.Cause(ctx)
	if cause == nil || !contextual(failure) || errors.Is(failure, cause) {
		return nil
	}
	return &toolkit.Error{Kind: kindOf(ctx), Tool: call.Name, Message: callersCause(cause), Cause: errors.Join(failure, cause)}
}

// callersCause is the text of the cause with which a caller ended a call. Errors of
// this module name the tool and the kind themselves.
func callersCause(cause error) string {
	var known *toolkit.Error
	if errors.As(cause, &known) && known.Message != "" {
		return "the caller ended it: " + known.Message
	}
	return "the caller ended it: " + cause.Error()
}

// kindOf is the kind of a call that ends because ctx did.
func kindOf(ctx context.Context) toolkit.Kind {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return toolkit.ErrTimeout
	}
	return toolkit.ErrCanceled
}

// contextual reports whether a failure says no more than that a context ended.
func contextual(failure error) bool {
	return errors.Is(failure, context.DeadlineExceeded) || errors.Is(failure, context.Canceled)
}

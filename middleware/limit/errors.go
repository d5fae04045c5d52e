// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// A Scope is what a limit counts: the value of the tag limit.scope.
type Scope string

// The scopes.
const (
	ScopeGlobal Scope = "global" // all calls
	ScopeTool   Scope = "tool"   // the calls of one tool
	ScopeKey    Scope = "key"    // the calls of one key
)

// calls is the scope as part of a sentence.
func (s Scope) calls() string {
	switch s {
	case ScopeTool:
		return "this tool's calls"
	case ScopeKey:
		return "this caller's calls"
	}
	return "all calls"
}

// An Error says which limit refused a call. It is the cause of the *toolkit.Error that
// the call ends with.
type Error struct {
	Scope Scope
	// Running is the limit of calls at once; 0 if the rate limit refused.
	Running int
	// Left is how many of those are tools that a time limit abandoned and that run on.
	Left int
	// Rate is the rate limit; the zero value if the limit of calls at once refused.
	Rate toolkit.RateLimit
	// After is when the rate limit will allow a call, if no other one begins; 0 if
	// no caller knows.
	After time.Duration
}

// Error says which limit it is, and when to try again.
func (e *Error) Error() string {
	if e.Running > 0 {
		left := ""
		if e.Left > 0 {
			left = fmt.Sprintf(", %d of them abandoned by a time limit", e.Left)
		}
		return fmt.Sprintf("at most %d of %s may run at once, and as many do%s: try again later", e.Running, e.Scope.calls(), left)
	}
	when := "later"
	if e.After > 0 {
		when = "in " + ceil(e.After).String()
	}
	return fmt.Sprintf("at most %d of %s may begin in %v: try again %s", e.Rate.MaxCalls, e.Scope.calls(), e.Rate.Window, when)
}

// RetryAfter is After, for retry policies.
func (e *Error) RetryAfter() time.Duration { return e.After }

// ceil rounds up for people: a caller that comes back at that time is not too early.
func ceil(d time.Duration) time.Duration {
	unit := time.Millisecond
	if d > 10*time.Second {
		unit = time.Second
	}
	if short := d % unit; short > 0 {
		d += unit - short
	}
	return d
}

// tell tags a call that waited or was refused.
func tell(call toolkit.Call, what string, s Scope) {
	call.Record.Tag("limit", what)
	call.Record.Tag("limit.scope", string(s))
}

// refuse ends a call that a limit refused.
func refuse(call toolkit.Call, kind toolkit.Kind, cause *Error) (toolkit.Result, error) {
	return refuseKind(call, kind, cause.Error(), cause)
}

func refuseKind(call toolkit.Call, kind toolkit.Kind, message string, cause error) (toolkit.Result, error) {
	return middleware.Refuse(call, &toolkit.Error{Kind: kind, Message: message, Cause: cause})
}

// gaveUp ends a call whose context ended while it waited.
func gaveUp(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	kind := toolkit.ErrCanceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind = toolkit.ErrTimeout
	}
	return middleware.Refuse(call,
		&toolkit.Error{Kind: kind, Message: "the caller gave up while the call waited for its turn", Cause: context.Cause(ctx)})
}

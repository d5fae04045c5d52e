// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package handoff

import (
	"errors"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
)

// An Abandoned is a tool that runs on although its call has ended, because of a time limit. A policy
// that holds something while a tool runs, such as a slot, holds it until the tool ends. The policy that
// abandons a tool makes one, ends the call with [Abandoned.Wrap], and calls [Abandoned.End]. Safe for
// concurrent use.
type Abandoned struct {
	call toolkit.Call

	mu    sync.Mutex
	ended bool
	onEnd []func()
}

// NewAbandoned is for the tool of call, as the policy that abandons it received the call.
func NewAbandoned(call toolkit.Call) *Abandoned { return &Abandoned{call: call} }

// Wrap returns cause as an error in which policies further out find a: see [AbandonedOf].
func (a *Abandoned) Wrap(cause error) error { return &abandonedError{cause, a} }

// End reports that the tool has ended, and calls the functions given to [Abandoned.OnEnd]. The goroutine
// of the tool calls it, once.
func (a *Abandoned) End() {
	a.mu.Lock()
	onEnd := a.onEnd
	a.ended, a.onEnd = true, nil
	a.mu.Unlock()
	for _, f := range onEnd {
		f()
	}
}

// OnEnd has f called when the tool ends, in the tool's goroutine; f must not panic or block. It returns
// false, and f is not called, if the tool has ended already.
func (a *Abandoned) OnEnd(f func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return false
	}
	a.onEnd = append(a.onEnd, f)
	return true
}

// AbandonedOf returns the tool that runs on although call ended with err; nil if the tool of call was not
// abandoned. A call that the tool made itself, and that was abandoned, is another call. An error whose own
// methods panic, as those of a typed nil do, holds none.
func AbandonedOf(call toolkit.Call, err error) *Abandoned {
	if err == nil {
		return nil
	}
	defer func() { _ = recover() }()
	var found *abandonedError
	if !errors.As(err, &found) {
		return nil
	}
	a := found.tool
	if a.call.Record != call.Record || a.call.ID != call.ID || a.call.Name != call.Name {
		return nil
	}
	return a
}

type abandonedError struct {
	cause error
	tool  *Abandoned
}

func (e *abandonedError) Error() string { return e.cause.Error() }
func (e *abandonedError) Unwrap() error { return e.cause }

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"errors"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
)

// A Leftover is a tool that runs on though its call has ended: a time limit left it behind. A policy
// that holds something while a tool runs, as a slot, holds it until the Leftover ends. Whoever
// leaves a tool behind makes one, ends the call with an error that has [Leftover.Err] in it, and calls
// [Leftover.End]. Safe for concurrent use.
type Leftover struct {
	call toolkit.Call

	mu    sync.Mutex
	ended bool
	then  []func()
}

// NewLeftover is for the tool of call, as it came to the policy that leaves it behind.
func NewLeftover(call toolkit.Call) *Leftover { return &Leftover{call: call} }

// Err is cause as an error that tells policies further out of the Leftover.
func (l *Leftover) Err(cause error) error { return &leftBehind{cause, l} }

// End says that the tool has ended, and calls what waits for it. It is called once, by the goroutine
// of the tool.
func (l *Leftover) End() {
	l.mu.Lock()
	then := l.then
	l.ended, l.then = true, nil
	l.mu.Unlock()
	for _, f := range then {
		f()
	}
}

// Then has f called when the tool has ended, in the tool's goroutine; f must not panic or block. It is
// false, and f is not called, if the tool has ended already.
func (l *Leftover) Then(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.then = append(l.then, f)
	return true
}

// LeftoverOf is what err, with which call ended further in, tells of: nil if the tool of call was not
// left behind. A call that the tool made itself, and that was, is none of call's. An error whose own
// methods panic, as those of a typed nil do, tells of none.
func LeftoverOf(call toolkit.Call, err error) *Leftover {
	if err == nil {
		return nil
	}
	defer func() { _ = recover() }()
	var told *leftBehind
	if !errors.As(err, &told) {
		return nil
	}
	l := told.leftover
	if l.call.Record != call.Record || l.call.ID != call.ID || l.call.Name != call.Name {
		return nil
	}
	return l
}

type leftBehind struct {
	cause    error
	leftover *Leftover
}

func (e *leftBehind) Error() string { return e.cause.Error() }
func (e *leftBehind) Unwrap() error { return e.cause }

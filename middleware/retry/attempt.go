// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"context"
	"errors"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// An ending is how an attempt came back: by a return, or by a panic that was caught.
type ending struct {
	res    toolkit.Result
	err    error
	thrown *toolkit.PanicError
}

// errGoexit is what observers receive for an attempt whose goroutine ends.
var errGoexit = errors.New("retry: the attempt ended its goroutine")

// attempt runs the call once, and tells it but for the first one, which is called when there
// is a second: a call that was not tried again has no attempts. A panic is caught only if panics are tried
// again. What runs is a copy of the call, so that each attempt runs what was asked for.
func (p *policy) attempt(ctx context.Context, call toolkit.Call, next toolkit.Handler) (e ending) {
	call.Record.Note(func(s *toolkit.Disposition) {
		s.Attempts++
		s.Outcome = toolkit.OutcomeExecuted // the attempt before may have been refused
		s.Panic = nil                       // of the attempt before
	})
	told := func(toolkit.Result, error) {}
	if call.Attempt > 1 {
		ctx, told = call.Record.BeginAttempt(ctx, call, time.Time{})
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v == nil {
			told(toolkit.Result{}, errGoexit)
			return
		}
		e.thrown = call.Record.PanicError(v)
		told(toolkit.Result{}, e.thrown)
		if !p.on[string(toolkit.ErrPanic)] {
			panic(v)
		}
	}()
	e.res, e.err = next(ctx, call.Detach()) // a tool may change its arguments
	returned = true
	call.Record.Note(func(s *toolkit.Disposition) {
		if s.Outcome != toolkit.OutcomeRefused {
			return
		}
		if s.Refused++; s.Refused < s.Attempts { // a tool ran, whatever came of it
			s.Outcome = toolkit.OutcomeExecuted
		}
	})
	told(e.res, e.err)
	return e
}

// kind is the attempt's error.type.
func (e *ending) kind() string {
	if e.thrown != nil {
		return string(toolkit.ErrPanic)
	}
	return middleware.ErrorType(e.res, e.err)
}

// failure is the error that tells more.
func (e *ending) failure() error {
	if e.err != nil {
		return e.err
	}
	return e.res.Fault
}

// observedError is the error for observers: a panic is one.
func (e *ending) observedError() error {
	if e.thrown != nil {
		return e.thrown
	}
	return e.err
}

// pass is the attempt as the call's own ending: a panic goes on with the same value.
func (e *ending) pass() (toolkit.Result, error) {
	if e.thrown != nil {
		panic(e.thrown.Value)
	}
	return e.res, e.err
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

type typed string

func (t typed) Error() string     { return "x" }
func (t typed) ErrorType() string { return string(t) }

type hostile struct{}

func (hostile) Error() string { return "x" }
func (hostile) As(any) bool   { panic("no") }

// ErrorType says what observers say.
func TestTypeOfIsWhatObserversTell(t *testing.T) {
	for _, c := range []struct {
		fault, err error
		want       string
	}{
		{nil, nil, ""},
		{errors.New("x"), nil, "tool_error"},
		{toolkit.ErrTimeout, nil, "timeout"},
		{nil, errors.New("x"), "_OTHER"},
		{nil, hostile{}, "_OTHER"},
		{nil, context.DeadlineExceeded, "timeout"},
		{nil, &toolkit.Error{}, "tool_error"},
		{nil, fmt.Errorf("x: %w", &toolkit.Error{Kind: toolkit.ErrOverloaded}), "overloaded"},
		{nil, typed("tool_error"), "tool_error"},
		{nil, typed("no_disk"), "no_disk"},
		{nil, toolkit.SoftError(true, "x"), "tool_error"},
		{nil, &toolkit.PanicError{}, "panic"},
	} {
		var all tooltest.Recorder
		res := toolkit.Result{Fault: c.fault}
		h := toolkit.Observe(nil, &all)(func(context.Context, toolkit.Call) (toolkit.Result, error) { return res, c.err })
		h(t.Context(), toolkit.Call{})
		if got, told := middleware.ErrorType(res, c.err), all.All()[0].ErrorType; got != c.want || told != c.want {
			t.Errorf("%v, %T: got %q, observers tell %q, want %q", c.fault, c.err, got, told, c.want)
		}
	}
}

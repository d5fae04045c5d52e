// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tooltest

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// Echo is a tool that answers with its arguments.
func Echo(def toolkit.Definition) toolkit.Tool {
	return toolkit.ToolFunc(def, func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: string(call.Arguments)}, nil
	})
}

// Failing is a tool that returns err each time; [toolkit.ErrTool] for nil.
func Failing(def toolkit.Definition, err error) toolkit.Tool {
	if err == nil {
		err = toolkit.ErrTool
	}
	return toolkit.ToolFunc(def, func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, err
	})
}

// Panicking is a tool that panics with value each time.
func Panicking(def toolkit.Definition, value any) toolkit.Tool {
	return toolkit.ToolFunc(def, func(context.Context, toolkit.Call) (toolkit.Result, error) { panic(value) })
}

// Slow is a tool that waits for d and answers "done", or returns the context's error
// when the context ends first.
func Slow(def toolkit.Definition, d time.Duration) toolkit.Tool {
	return toolkit.ToolFunc(def, func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		return Step{Delay: d, Result: toolkit.Result{Output: "done"}}.play(ctx)
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"context"

	"github.com/toolscope/toolscope/toolkit"
)

// Recover makes a failed result of a tool's panic, so that the agent goes on. The
// result's fault is a [toolkit.PanicError] with the value and the stack; the model
// reads that the tool panicked, not where. runtime.Goexit is left alone. The call's
// error.type is "panic". Without it a panic goes on to the caller. The error is nil: it is
// there since all constructors of policies have one.
func Recover() (Policy, error) { return At(StageRecover, recovered), nil }

func recovered(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (res toolkit.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				call.Record.Tag("recovered", "true")
				res, err = toolkit.Failure(call.Record.PanicError(v)), nil
			}
		}()
		return next(ctx, call)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// Policies may be given in any order.
func ExampleWrap() {
	tool := func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("no disk") }
	upper := middleware.At(middleware.StageTruncate, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			fmt.Println("before", call.Name)
			return next(ctx, call)
		}
	})
	recovers, err := middleware.Recover()
	if err != nil {
		fmt.Println(err)
		return
	}
	handle := middleware.Wrap(tool, upper, recovers)
	res, err := handle(context.Background(), toolkit.Call{Name: "disk_check"})
	fmt.Println(res.Output, err)
	// Output:
	// before disk_check
	// the tool panicked <nil>
}

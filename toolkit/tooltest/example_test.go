// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tooltest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// A policy of one's own, here one more attempt after a failure, is tested with a
// scripted tool and a recorder.
func Example() {
	again := func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			res, err := next(ctx, call)
			if err != nil {
				return next(ctx, call)
			}
			return res, err
		}
	}

	tool := tooltest.Scripted(toolkit.Definition{Name: "weather"},
		tooltest.Step{Err: errors.New("connection reset")},
		tooltest.Text("sunny"))
	var seen tooltest.Recorder
	execute := toolkit.Chain(tool.Handle, toolkit.Observe(nil, &seen), again)

	res, err := execute(context.Background(), toolkit.Call{ID: "call_1", Name: "weather"})
	fmt.Println(res.Output, err)
	fmt.Println("attempts:", len(tool.Calls()))
	for _, e := range seen.All() {
		fmt.Println(e.Call.ID, e.Ending, e.Result.Output)
	}
	// Output:
	// sunny <nil>
	// attempts: 2
	// call_1 returned sunny
}

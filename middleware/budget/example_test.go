// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/toolkit"
)

func Example() {
	limits, err := budget.New(budget.Options{Session: budget.Limits{Calls: 2}})
	if err != nil {
		panic(err)
	}
	search := func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "3 hits"}, nil
	}
	handle := middleware.Wrap(search, limits)
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	for range 3 {
		res, err := handle(ctx, toolkit.Call{Name: "search"})
		if err != nil {
			fmt.Println(err.Error())
			continue
		}
		fmt.Println(res.Output)
	}
	// Output:
	// 3 hits
	// 3 hits
	// tool "search": budget exceeded: the budget of a session is used up: 2 calls of 2; go on with what you have
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

func Example() {
	limits, err := timeout.New(timeout.Options{Tools: map[string]time.Duration{"search": time.Millisecond}})
	if err != nil {
		panic(err)
	}
	search := func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		<-ctx.Done() // a tool that heeds its context
		return toolkit.Result{}, ctx.Err()
	}
	_, err = middleware.Wrap(search, limits)(context.Background(), toolkit.Call{Name: "search"})
	fmt.Println(errors.Is(err, toolkit.ErrTimeout), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}

// A tool that does not look at its context is abandoned.
func ExampleOptions_abandon() {
	limits, err := timeout.New(timeout.Options{Default: time.Millisecond, Abandon: []string{"legacy"}})
	if err != nil {
		panic(err)
	}
	end := make(chan struct{})
	legacy := func(context.Context, toolkit.Call) (toolkit.Result, error) { <-end; return toolkit.Result{}, nil }
	_, err = middleware.Wrap(legacy, limits)(context.Background(), toolkit.Call{Name: "legacy"})
	fmt.Println(errors.Is(err, toolkit.ErrTimeout))
	close(end)
	// Output: true
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/toolkit"
)

func Example() {
	loops, err := loop.New(loop.Options{Default: loop.Thresholds{Signal: 2, Advice: 3, Stop: 4}})
	if err != nil {
		panic(err)
	}
	search := func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "nothing found"}, nil
	}
	handle := middleware.Wrap(search, loops)
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	for range 4 {
		res, err := handle(ctx, toolkit.Call{Name: "search", Arguments: []byte(`{"query":"unicorns"}`)})
		if err != nil {
			fmt.Println(err.Error())
			continue
		}
		fmt.Println(res.Output)
	}
	// Output:
	// nothing found
	// nothing found
	// nothing found
	//
	// [this very call has come 3 times; use what it gave, change the arguments, or go another way]
	// tool "search": loop detected: this very call has come 4 times, so it was not run: use what it gave, change the arguments, or go another way
}

// The host can be notified of loops, and a tool that is meant to be asked again left
// alone.
func ExampleOptions() {
	loops, err := loop.New(loop.Options{
		Tools:  map[string]loop.Thresholds{"job_status": {Signal: -1, Advice: -1}},
		OnLoop: func(_ context.Context, l loop.Loop) { fmt.Println(l.Kind, l.Tool, l.Count) },
	})
	if err != nil {
		panic(err)
	}
	handle := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }, loops)
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	for range 4 {
		_, _ = handle(ctx, toolkit.Call{Name: "job_status"})
	}
	for range 4 {
		_, _ = handle(ctx, toolkit.Call{Name: "list_files"})
	}
	// Output:
	// repeat list_files 3
	// repeat list_files 4
}

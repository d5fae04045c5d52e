// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// A model that asks the same twice in one turn is answered twice, by one run.
func Example() {
	registry := new(toolkit.Registry)
	_ = registry.Register(toolkit.ToolFunc(toolkit.Definition{Name: "weather", ReadOnly: toolkit.Yes},
		func(context.Context, toolkit.Call) (toolkit.Result, error) {
			fmt.Println("(asking the weather service)")
			return toolkit.Result{Output: "sunny"}, nil
		}))
	once, err := dedupe.New(dedupe.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var seen tooltest.Recorder
	executor := &toolkit.Executor{Parallel: 1,
		Handler: toolkit.Observe(registry.Lookup, &seen)(middleware.Wrap(registry.Handle, once))}

	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	executor.Execute(ctx,
		toolkit.Call{ID: "call_1", Name: "weather", Arguments: []byte(`{"city":"Oslo","days":1}`)},
		toolkit.Call{ID: "call_2", Name: "weather", Arguments: []byte(`{"days":1,"city":"Oslo"}`)},
	)
	for _, e := range seen.All() {
		fmt.Println(e.Call.ID, e.Result.Output, e.Disposition.Outcome)
	}
	// Output:
	// (asking the weather service)
	// call_1 sunny executed
	// call_2 sunny repeated
}

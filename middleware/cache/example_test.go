// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
)

// A read is answered from the store until the session writes what it read.
func Example() {
	text := "first"
	registry := new(toolkit.Registry)
	_ = registry.Register(
		toolkit.ToolFunc(toolkit.Definition{Name: "read_file", ReadOnly: toolkit.Yes, Resources: []string{"files"}},
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				fmt.Println("  (reading)")
				return toolkit.Result{Output: text}, nil
			}),
		toolkit.ToolFunc(toolkit.Definition{Name: "write_file", Resources: []string{"files"}},
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				text = "second"
				return toolkit.Result{Output: "written"}, nil
			}),
	)
	answers, err := cache.New(cache.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answers.Close()
	handle := toolkit.Observe(registry.Lookup, quiet{})(middleware.Wrap(registry.Handle, answers))

	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	for _, c := range []toolkit.Call{
		{Name: "read_file", Arguments: []byte(`{"path":"a.txt","limit":10}`)},
		{Name: "read_file", Arguments: []byte(`{"limit": 1e1, "path": "a.txt"}`)},
		{Name: "write_file", Arguments: []byte(`{"path":"a.txt"}`)},
		{Name: "read_file", Arguments: []byte(`{"path":"a.txt","limit":10}`)},
	} {
		res, _ := handle(ctx, c)
		fmt.Println(c.Name, "→", res.Output)
	}
	answers.Figures(func(name string, value float64) {
		if value > 0 && name != "bytes" {
			fmt.Println(name, value)
		}
	})
	// Output:
	//   (reading)
	// read_file → first
	// read_file → first
	// write_file → written
	//   (reading)
	// read_file → second
	// hits 1
	// misses 2
	// fills 2
	// stale 1
	// writes 1
}

// Contradictory options are refused, with the field, what it is and what is wanted.
func ExampleNew() {
	_, err := cache.New(cache.Options{Share: middleware.Global, Reach: middleware.PerTenant})
	fmt.Println(err)
	// Output:
	// cache: Options.Reach: got tenant, want at least Share, which is global
}

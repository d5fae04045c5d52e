// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/workflow"
)

// A workflow becomes a tool of the registry whose tools it calls.
func Example() {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer scope.Shutdown(context.Background())
	registry := new(toolkit.Registry)
	if err := registry.Register(tooltest.Echo(toolkit.Definition{Name: "greet", ReadOnly: toolkit.Yes})); err != nil {
		fmt.Println(err)
		return
	}
	handle := scope.WrapRegistry(registry)
	set, err := workflow.New(workflow.Options{
		Handler: handle, Tools: registry, Scope: scope,
		Definitions: map[string]workflow.Definition{"greet_all": {Steps: []workflow.Step{{Each: &workflow.Each{
			In: "$input.names",
			Do: &workflow.Step{Call: "greet", With: map[string]any{"text": "${ 'Hello ' + item }"}},
		}}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := registry.Register(set.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	res, err := handle(context.Background(), toolkit.Call{Name: "greet_all", Arguments: []byte(`{"names": ["Ada", "Grace"]}`)})
	fmt.Println(res.Output, err)
	// Output:
	// [{"text":"Hello Ada"},{"text":"Hello Grace"}] <nil>
}

// What is wrong with a definition is an error when it is loaded.
func ExampleCheck() {
	fmt.Println(workflow.Check(map[string]workflow.Definition{
		"w": {Steps: []workflow.Step{{Call: "fetch", With: map[string]any{"url": "$find.result.url"}}, {ID: "find", Call: "search"}}},
	}))
	// Output:
	// workflow: w.steps[0].with.url: got "find", a step that comes later, want one of input, var
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// A registry of this module is wrapped in one line.
func ExampleScope_Wrap() {
	registry := new(toolkit.Registry)
	_ = registry.Register(toolkit.NewTool(toolkit.Definition{
		Name: "greet", Description: "Greets.",
	}, func(_ context.Context, in struct{ Name string }) (string, error) {
		return "hello " + in.Name, nil
	}))
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	execute := scope.Wrap(registry.Handle, registry)

	res, _ := execute(context.Background(), toolkit.Call{Name: "greet", Arguments: []byte(`{"name":"Ada"}`)})
	fmt.Println(res.Output)
	_, _ = execute(context.Background(), toolkit.Call{Name: "made_up"})

	all := scope.Stats().Summary(stats.Window{}).Overall
	fmt.Println(all.Calls, "calls,", all.Errors, "error")
	// Output:
	// hello Ada
	// 2 calls, 1 error
}

// ToolCall, ToolResult and execute stand for a program's own registry.
type ToolCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

type ToolResult struct {
	ToolCallID, Output string
	IsError            bool
}

func execute(_ context.Context, c ToolCall) ToolResult {
	if c.Name != "read" {
		return ToolResult{c.ID, "no such tool", true}
	}
	return ToolResult{ToolCallID: c.ID, Output: "text of the file"}
}

// A registry with types of its own keeps them.
func ExampleWrapFunc() {
	scope, err := toolscope.New(toolscope.Options{}) // spans go to the application's providers
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := toolkit.NewTools(toolkit.Definition{Name: "read"})
	if err != nil {
		fmt.Println(err)
		return
	}
	wrapped, err := toolscope.WrapFunc(scope, execute, toolkit.Adapter[ToolCall, ToolResult]{
		Tools: tools,
		Call:  func(c ToolCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
		Result: func(r ToolResult, _ error) toolkit.Result {
			return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output)}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(wrapped(context.Background(), ToolCall{ID: "1", Name: "read"}).Output)
	fmt.Println(wrapped(context.Background(), ToolCall{ID: "2", Name: "made_up"}).Output)
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls, t.Errors)
	}
	// Output:
	// text of the file
	// no such tool
	// read 1 0
	// _unknown 1 1
}

// A framework with callbacks reports when a call begins and when it ends.
func ExampleScope_Callbacks() {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := toolkit.NewTools(toolkit.Definition{Name: "stream"})
	if err != nil {
		fmt.Println(err)
		return
	}
	callbacks, err := scope.Callbacks(tools)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, running := callbacks.Begin(context.Background(), toolkit.Call{ID: "1", Name: "stream"})
	running.Chunk(120)
	running.Chunk(80)
	fmt.Println(running.End(toolkit.Result{}, errors.New("the connection broke")), running.End(toolkit.Result{}, nil))
	fmt.Println(scope.Stats().Summary(stats.Window{}).Errors[0].Message)
	// Output:
	// true false
	// the connection broke
}

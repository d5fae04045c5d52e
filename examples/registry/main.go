// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command registry wraps a tool registry that has types of its own, watches a few
// calls, and prints what was seen. It needs no keys and no servers:
//
//	go run ./examples/registry
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// ToolCall, ToolResult and Registry are the program's own, written before anyone
// thought of observing it.
type ToolCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

type ToolResult struct {
	ToolCallID, Output string
	IsError            bool
}

type Registry map[string]func(ctx context.Context, args json.RawMessage) (string, error)

func (r Registry) Execute(ctx context.Context, c ToolCall) ToolResult {
	tool, ok := r[c.Name]
	if !ok {
		return ToolResult{c.ID, "there is no tool " + c.Name, true}
	}
	out, err := tool(ctx, c.Arguments)
	if err != nil {
		return ToolResult{c.ID, err.Error(), true}
	}
	return ToolResult{c.ID, out, false}
}

func main() {
	registry := Registry{
		"upper": func(_ context.Context, args json.RawMessage) (string, error) {
			return strings.ToUpper(string(args)), nil
		},
		"fail": func(context.Context, json.RawMessage) (string, error) { return "", errors.New("disk sda1 is full") },
	}
	ctx := context.Background()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "registry-example"})
	if err != nil {
		log.Fatal(err)
	}
	defer providers.Shutdown(ctx)
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	})
	if err != nil {
		log.Fatal(err)
	}

	var definitions []toolkit.Definition
	for name := range registry {
		definitions = append(definitions, toolkit.Definition{Name: name})
	}
	tools, err := toolkit.NewTools(definitions...)
	if err != nil {
		log.Fatal(err)
	}

	// The one line that wraps the registry, and the adapter that it needs.
	execute, err := toolscope.WrapFunc(scope, registry.Execute, toolkit.Adapter[ToolCall, ToolResult]{
		Tools: tools,
		Call:  func(c ToolCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
		Result: func(r ToolResult, _ error) toolkit.Result {
			return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output)}
		},
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx, run := scope.StartAgent(ctx, tracing.Agent{Name: "example"})
	for i, name := range []string{"upper", "fail", "upper", "made_up"} {
		result := execute(
			ctx,
			ToolCall{
				ID: fmt.Sprint("call_", i), Name: name,
				Arguments: json.RawMessage(`{"text":"hello","password":"hunter2"}`),
			},
		)
		fmt.Printf("%-8s error=%v %s\n", name, result.IsError, result.Output)
	}
	run.End(nil)

	for _, trace := range providers.Ring.Traces() {
		exporters.WriteTree(os.Stdout, trace, exporters.TreeOptions{})
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// A client and a server are instrumented with a line each; one trace tells both.
func ExampleInstrument() {
	spans := tracetest.NewSpanRecorder()
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
	})
	if err != nil {
		panic(err)
	}
	type input struct {
		City string `json:"city"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "weather"}, nil)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "weather"},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sunny in " + in.City}}}, nil, nil
		},
	)
	client := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil)

	toolmcp.Instrument(server, scope, toolmcp.Options{})
	toolmcp.Instrument(client, scope, toolmcp.Options{})

	ctx := context.Background()
	ours, theirs := mcp.NewInMemoryTransports()
	serving, err := server.Connect(ctx, theirs, nil)
	if err != nil {
		panic(err)
	}
	session, err := client.Connect(ctx, ours, nil)
	if err != nil {
		panic(err)
	}
	// As agents do. Spans and metrics have the names of listed tools.
	if _, err := session.ListTools(ctx, nil); err != nil {
		panic(err)
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "weather", Arguments: input{"Oslo"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Content[0].(*mcp.TextContent).Text)
	session.Close()
	serving.Wait()

	for _, s := range spans.Ended() {
		if s.Name() == "tools/call weather" {
			fmt.Println(s.SpanKind(), s.Parent().IsValid())
		}
	}
	// Output:
	// sunny in Oslo
	// server true
	// client false
}

// A registry's tools become an MCP server.
func ExampleNewServer() {
	registry := new(toolkit.Registry)
	err := registry.Register(toolkit.NewTool(toolkit.Definition{
		Name: "greet", Description: "Greets a person.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "hello, " + in.Name, nil
	}))
	if err != nil {
		panic(err)
	}
	server, err := toolmcp.NewServer(nil, registry, nil)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	ours, theirs := mcp.NewInMemoryTransports()
	serving, err := server.Connect(ctx, theirs, nil)
	if err != nil {
		panic(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(ctx, ours, nil)
	if err != nil {
		panic(err)
	}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			panic(err)
		}
		fmt.Println(tool.Name, tool.Annotations.ReadOnlyHint)
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: map[string]any{"name": "Ada"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Content[0].(*mcp.TextContent).Text)
	session.Close()
	serving.Wait()
	// Output:
	// greet true
	// hello, Ada
}

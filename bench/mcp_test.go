// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// BenchmarkMCP is the call over the official SDK's transport in memory: what a real call
// costs, of which observing is a share. In mode=instrumented the server is, in mode=both
// the client as well.
func BenchmarkMCP(b *testing.B) {
	for _, mode := range []string{"bare", "instrumented", "both"} {
		for _, goroutines := range bench.Goroutines[:2] {
			b.Run("mode="+mode+"/goroutines="+string(rune('0'+goroutines)), func(b *testing.B) {
				session := connect(b, mode)
				params := &mcp.CallToolParams{Name: bench.ToolName, Arguments: bench.Call.Arguments}
				bench.Measure(b, goroutines, func() {
					if res, err := session.CallTool(context.Background(), params); err != nil || res.IsError {
						b.Error(err)
					}
				})
			})
		}
	}
}

func connect(b *testing.B, mode string) *mcp.ClientSession {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench"}, nil)
	server.AddTool(
		&mcp.Tool{Name: bench.ToolName, InputSchema: bench.Definition.InputSchema},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: bench.Output}}}, nil
		},
	)
	client := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil)
	if mode != "bare" {
		tracers := bench.Tracers(bench.OurBatcher)
		scope, err := toolscope.New(toolscope.Options{TracerProvider: tracers, MeterProvider: bench.Meters()})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _, _ = scope.Shutdown(context.Background()), tracers.Shutdown(context.Background()) })
		toolmcp.Instrument(server, scope, toolmcp.Options{})
		if mode == "both" {
			toolmcp.Instrument(client, scope, toolmcp.Options{})
		}
	}
	ours, theirs := mcp.NewInMemoryTransports()
	serving, err := server.Connect(context.Background(), theirs, nil)
	if err != nil {
		b.Fatal(err)
	}
	session, err := client.Connect(context.Background(), ours, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = session.Close(), serving.Wait() })
	return session
}

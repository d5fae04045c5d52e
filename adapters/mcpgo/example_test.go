// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/mcpgo"
	"github.com/toolscope/toolscope/stats"
)

// A server with one tool, and a client in the same process that calls it.
func ExampleInstrument() {
	ctx := context.Background()
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := server.NewMCPServer("weather", "1.0.0", mcpgo.Instrument(scope))
	s.AddTool(mcp.NewTool("forecast", mcp.WithReadOnlyHintAnnotation(true)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("sunny"), nil
		})
	c, err := client.NewInProcessClient(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		fmt.Println(err)
		return
	}
	var request mcp.CallToolRequest
	request.Params.Name = "forecast"
	result, err := c.CallTool(ctx, request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mcp.GetTextFromContent(result.Content[0]))
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// sunny
	// forecast 1
}

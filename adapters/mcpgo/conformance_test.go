// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/mcpgo"
	"github.com/toolscope/toolscope/toolkit"
)

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Cannot: map[string]string{
		adaptertest.CallID: "mcp-go gives handlers no id of the request",
		adaptertest.Stream: "results of MCP are whole",
	}})
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) { adaptertest.Benchmark(b, adaptertest.Framework{Run: run}) }

// run is a server of mcp-go with a client of its own in the same process.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	s := server.NewMCPServer("test", "1", mcpgo.Instrument(t.Scope))
	for _, tool := range t.Tools {
		if tool.Kind == adaptertest.Streams {
			return nil, adaptertest.ErrKind
		}
		made := mcp.NewToolWithRawSchema(tool.Definition.Name, tool.Definition.Description, tool.Definition.InputSchema)
		made.Annotations.ReadOnlyHint = mcp.ToBoolPtr(tool.Definition.ReadOnly == toolkit.Yes)
		s.AddTool(made, handlerOf(tool))
	}
	c, err := client.NewInProcessClient(s)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		return nil, err
	}
	answers := make([]adaptertest.Answer, len(t.Calls))
	var panicked sync.Map
	var wait sync.WaitGroup
	for i, call := range t.Calls {
		wait.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					panicked.Store("panic", v)
				}
			}()
			answers[i] = ask(ctx, c, call)
		})
	}
	wait.Wait()
	if v, ok := panicked.Load("panic"); ok {
		panic(v)
	}
	return answers, nil
}

func handlerOf(tool adaptertest.Tool) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := tool.Run(ctx, r.Params.RawArguments)
		switch {
		case err != nil && tool.Kind == adaptertest.Soft:
			return mcp.NewToolResultError(err.Error()), nil
		case err != nil && tool.Kind == adaptertest.Suspends:
			return &mcp.CallToolResult{
				Result:               mcp.Result{ResultType: mcp.ResultTypeInputRequired},
				MultiRoundTripResult: mcp.MultiRoundTripResult{RequestState: "1"},
			}, nil
		case err != nil:
			return nil, err
		}
		return mcp.NewToolResultText(text), nil
	}
}

func ask(ctx context.Context, c *client.Client, call toolkit.Call) adaptertest.Answer {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = call.Name, json.RawMessage(call.Arguments)
	result, err := c.CallTool(ctx, r)
	if err != nil {
		return adaptertest.Answer{Text: err.Error(), Failed: true}
	}
	text := ""
	for _, content := range result.Content {
		text += fmt.Sprint(mcp.GetTextFromContent(content))
	}
	return adaptertest.Answer{Text: text, Failed: result.IsError}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// newMiddleware is a call through one side's middleware alone, with peers that are there at
// once, so that what is measured is the middleware's own.
func newMiddleware(t testing.TB, variant, side string) func() {
	t.Helper()
	scope, params := newScope(t, variant), newParams(variant)
	server := newServer()
	cs := dial(t, mcp.NewClient(&mcp.Implementation{Name: "test"}, nil), server, legacy)
	const text = `{"echo":"hello, world"}`
	result := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: map[string]any{"echo": "hello, world"},
	}
	middleware := toolmcp.Client(scope, toolmcp.Options{})
	var req mcp.Request = &mcp.ClientRequest[mcp.Params]{Session: cs, Params: params}
	if side == "server" {
		result.StructuredContent = json.RawMessage(text)
		middleware = toolmcp.Server(scope, toolmcp.Options{})
		raw := &mcp.CallToolParamsRaw{Name: params.Name, Arguments: json.RawMessage(`{"text":"hello, world"}`)}
		if variant != "noop" {
			raw.Meta = mcp.Meta{"traceparent": traceparent}
		}
		for ss := range server.Sessions() {
			req = &mcp.CallToolRequest{Session: ss, Params: raw}
		}
	}
	handler := middleware(func(_ context.Context, method string, _ mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			return &mcp.ListToolsResult{
				Tools: []*mcp.Tool{{Name: params.Name, InputSchema: map[string]any{"type": "object"}}},
			}, nil
		}
		return result, nil
	})
	return func() {
		if res, err := handler(context.Background(), "tools/call", req); res != mcp.Result(result) || err != nil {
			t.Fatalf("got %v and %v", res, err)
		}
	}
}

// BenchmarkMiddleware is what one side's middleware takes by itself.
func BenchmarkMiddleware(b *testing.B) {
	for _, variant := range []string{"noop", "unsampled", "sampled"} {
		for _, side := range []string{"client", "server"} {
			b.Run(variant+"/"+side, func(b *testing.B) {
				call := newMiddleware(b, variant, side)
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
	}
}

// TestMiddlewareAllocates holds what a call allocates to what it did when this was written.
func TestMiddlewareAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates, too")
	}
	for _, c := range []struct {
		variant        string
		client, server float64
	}{{"noop", 21, 11}, {"unsampled", 31, 20}, {"sampled", 34, 23}} {
		for side, budget := range map[string]float64{"client": c.client, "server": c.server} {
			call, n := newMiddleware(t, c.variant, side), math.Inf(1)
			for range 3 { // what else runs in the process, as sessions that end, allocates as well
				n = min(n, testing.AllocsPerRun(1000, call))
			}
			if n > budget {
				t.Errorf("%s on the %s: got %v allocations for a call, want at most %v", c.variant, side, n, budget)
			}
		}
	}
}

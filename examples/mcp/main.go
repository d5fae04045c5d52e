// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command mcp is an agent's host and its two MCP servers: one is a child process, as
// clients of the Model Context Protocol configure it, the other lives in this process. The
// host calls their tools through one registry, with policies, and prints the trace. It
// needs no keys and no network:
//
//	go run ./examples/mcp
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// config is what stands in the file that MCP clients read. The child is this very program.
const config = `{
  "mcpServers": {
    "weather": {"command": "${SELF}", "env": {"MCP_EXAMPLE": "server"}}
  }
}`

func main() {
	run := func(ctx context.Context) error { return run(ctx, os.Stdout) }
	if os.Getenv("MCP_EXAMPLE") == "server" {
		run = serveWeather
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "mcp-example"})
	if err != nil {
		return err
	}
	recovers, err := middleware.Recover()
	if err != nil {
		return err
	}
	answers, err := cache.New(cache.Options{})
	if err != nil {
		return err
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		Policies:       []middleware.Policy{recovers, answers},
	})
	if err != nil {
		return err
	}

	servers, err := manager.ParseConfig([]byte(config), func(string) (string, bool) {
		self, err := os.Executable()
		return self, err == nil
	})
	if err != nil {
		return err
	}
	m, err := manager.New(manager.Options{
		Servers: append(servers.Servers, manager.Server{Name: "notes", Transport: notes(scope)}),
		Scope:   scope, // instruments the connections
	})
	if err != nil {
		return err
	}
	if err := m.Start(ctx); err != nil {
		return err
	}
	defer m.Close() //nolint:errcheck // below is the one that counts

	handle := scope.WrapRegistry(m) // watches and governs the calls
	turn, agent := scope.StartAgent(ctx, tracing.Agent{Name: "planner", Session: "s1"})
	for i, c := range []struct{ tool, arguments string }{
		{"weather__forecast", `{"city": "Oslo"}`},
		{"weather__forecast", `{"city": "Oslo"}`}, // the same again: from the cache
		{"notes__write", `{"text": "rain in Oslo", "password": "hunter2-hunter2"}`},
	} {
		res, err := handle(turn, toolkit.Call{ID: fmt.Sprint("call_", i+1), Name: c.tool, Arguments: json.RawMessage(c.arguments)})
		fmt.Fprintln(out, c.tool, "→", res.Output, err)
	}
	agent.End(nil)
	if err := errors.Join(m.Close(), scope.Shutdown(ctx)); err != nil {
		return err
	}
	for _, trace := range providers.Ring.Traces() {
		if trace.Spans[0].Name() != "invoke_agent planner" { // the connections' own
			continue
		}
		if err := exporters.WriteTree(out, trace, exporters.TreeOptions{NoTimes: true}); err != nil {
			return err
		}
	}
	return providers.Shutdown(ctx)
}

// serveWeather is the child process: an SDK server, instrumented in one line. Its spans go
// where OTEL_EXPORTER_OTLP_ENDPOINT says.
func serveWeather(ctx context.Context) error {
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "weather"})
	if err != nil {
		return err
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	})
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1"}, nil)
	type input struct {
		City string `json:"city"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "forecast", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "rain in " + in.City}}}, nil, nil
		})
	toolmcp.Instrument(server, scope, toolmcp.Options{})
	return errors.Join(server.Run(ctx, new(mcp.StdioTransport)), scope.Shutdown(ctx), providers.Shutdown(ctx))
}

// notes serves a registry of this process over MCP, in memory.
func notes(scope *toolscope.Scope) func(context.Context) (mcp.Transport, error) {
	return func(ctx context.Context) (mcp.Transport, error) {
		registry := new(toolkit.Registry)
		err := registry.Register(toolkit.NewTool(toolkit.Definition{
			Name: "write", Description: "Writes a note.",
		}, func(_ context.Context, in struct {
			Text     string `json:"text"`
			Password string `json:"password,omitempty"`
		}) (string, error) {
			return "noted: " + in.Text, nil
		}))
		if err != nil {
			return nil, err
		}
		server, err := toolmcp.NewServer(nil, registry, nil)
		if err != nil {
			return nil, err
		}
		toolmcp.Instrument(server, scope, toolmcp.Options{})
		ours, theirs := mcp.NewInMemoryTransports()
		_, err = server.Connect(ctx, theirs, nil)
		return ours, err
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/tracing"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/bench"
)

// overMCPGo is tools/call over mcp-go's transport within a process: bare, and with its own
// tracing of servers, whose spans tell method and tool, and neither arguments nor result.
func overMCPGo(b *testing.B) {
	tracers := bench.Tracers(bench.SDKBatcher)
	b.Cleanup(func() { _ = tracers.Shutdown(context.Background()) })
	measure(b, "mcpgo", calling(b))
	measure(b, "mcpgo-tracer", calling(b, server.WithTracer(hooks{tracers.Tracer("mcp-go")})))
}

func calling(b *testing.B, options ...server.ServerOption) func() {
	s := server.NewMCPServer("bench", "1", options...)
	s.AddTool(
		mcp.NewToolWithRawSchema(bench.ToolName, "", bench.Definition.InputSchema),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(bench.Output), nil
		},
	)
	ctx := context.Background()
	c, err := client.NewInProcessClient(s)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	if err := c.Start(ctx); err != nil {
		b.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		b.Fatal(err)
	}
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = bench.ToolName, bench.Call.Arguments
	return func() {
		if res, err := c.CallTool(ctx, request); err != nil || res.IsError {
			b.Error(err)
		}
	}
}

// hooks gives what mcp-go tells to OpenTelemetry; the project's own adapter could not be had.
type hooks struct{ trace.Tracer }

type span struct{ trace.Span }

func (t hooks) Start(
	ctx context.Context,
	name string,
	kind tracing.SpanKind,
	attributes ...tracing.Attribute,
) (context.Context, tracing.Span) {
	kinds := map[tracing.SpanKind]trace.SpanKind{
		tracing.SpanKindServer: trace.SpanKindServer,
		tracing.SpanKindClient: trace.SpanKindClient,
	}
	ctx, s := t.Tracer.Start(ctx, name, trace.WithSpanKind(kinds[kind]), trace.WithAttributes(convert(attributes)...))
	return tracing.ContextWithSpan(ctx, span{s}), span{s}
}

func (s span) SetAttributes(attributes ...tracing.Attribute) {
	s.Span.SetAttributes(convert(attributes)...)
}
func (s span) RecordError(err error)                       { s.Span.RecordError(err) }
func (s span) SetStatus(_ tracing.StatusCode, text string) { s.Span.SetStatus(codes.Error, text) }
func (s span) End()                                        { s.Span.End() }

func convert(list []tracing.Attribute) []attribute.KeyValue {
	out := make([]attribute.KeyValue, len(list))
	for i, a := range list {
		out[i] = attribute.String(a.Key, a.Value)
	}
	return out
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit/toolmcp"
)

// BenchmarkCall compares a tools/call in memory: bare, with both sides instrumented and no
// provider, with spans that are not sampled, and with all of them.
func BenchmarkCall(b *testing.B) {
	benchmark(b, func(b *testing.B, client *mcp.Client, server *mcp.Server) *mcp.ClientSession {
		return dial(b, client, server, legacy)
	})
}

// BenchmarkHTTP is the same over streamable HTTP on loopback.
func BenchmarkHTTP(b *testing.B) {
	benchmark(b, func(b *testing.B, client *mcp.Client, server *mcp.Server) *mcp.ClientSession {
		return dialHTTP(b, client, server, legacy)
	})
}

func benchmark(b *testing.B, connect func(*testing.B, *mcp.Client, *mcp.Server) *mcp.ClientSession) {
	scope := func(options ...toolscope.Option) *toolscope.Scope {
		s, err := toolscope.New(options...)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	reader := func() toolscope.Option {
		return toolscope.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())))
	}
	for _, c := range []struct {
		name  string
		scope *toolscope.Scope
	}{
		{"bare", nil},
		{"noop", scope(toolscope.WithTracerProvider(tracenoop.NewTracerProvider()), toolscope.WithMeterProvider(metricnoop.NewMeterProvider()))},
		{"unsampled", scope(toolscope.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))), reader())},
		{"sampled", scope(toolscope.WithTracerProvider(sdktrace.NewTracerProvider()), reader())},
	} {
		b.Run(c.name, func(b *testing.B) {
			client, server := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil), newServer()
			if c.scope != nil {
				toolmcp.Instrument(client, c.scope)
				toolmcp.Instrument(server, c.scope)
			}
			cs := connect(b, client, server)
			params := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello, world"}}
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				if _, err := cs.CallTool(context.Background(), params); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

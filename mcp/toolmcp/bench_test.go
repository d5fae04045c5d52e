// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// BenchmarkCall compares a tools/call in memory: bare, bare with a trace context in _meta,
// which alone costs the SDK some, with the least of an instrumentation on both sides, with
// ours on both sides and no provider, with spans that are not sampled, with all of them,
// content included, and that on the server alone.
func BenchmarkCall(b *testing.B) { benchmark(b, dial) }

// BenchmarkHTTP is the same over streamable HTTP on loopback.
func BenchmarkHTTP(b *testing.B) { benchmark(b, dialHTTP) }

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// variants are what is compared.
var variants = []string{"bare", "traceparent", "by-hand", "noop", "unsampled", "sampled", "server"}

// newParams are those of one call: the SDK writes to what it is given, and so a host makes
// them anew each time.
func newParams(variant string) *mcp.CallToolParams {
	params := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello, world"}}
	if variant == "traceparent" {
		params.Meta = mcp.Meta{"traceparent": traceparent}
	}
	return params
}

// newScope is a variant's; nil is none.
func newScope(b testing.TB, variant string) *toolscope.Scope {
	var meters metric.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	var tracers trace.TracerProvider = sdktrace.NewTracerProvider()
	switch variant {
	case "bare", "traceparent", "by-hand":
		return nil
	case "noop":
		tracers, meters = tracenoop.NewTracerProvider(), metricnoop.NewMeterProvider()
	case "unsampled":
		tracers = sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	}
	scope, err := toolscope.New(toolscope.Options{TracerProvider: tracers, MeterProvider: meters})
	if err != nil {
		b.Fatal(err)
	}
	return scope
}

type connecting func(testing.TB, *mcp.Client, *mcp.Server, string) *mcp.ClientSession

// newCall connects two peers and returns a call between them.
func newCall(b *testing.B, connect connecting, revision, name string) func() {
	client, server := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil), newServer()
	scope := newScope(b, name)
	switch name {
	case "by-hand":
		instrumentByHand(b, client, server)
	case "server":
		toolmcp.Instrument(server, scope, toolmcp.Options{})
	default:
		toolmcp.Instrument(client, scope, toolmcp.Options{})
		toolmcp.Instrument(server, scope, toolmcp.Options{})
	}
	session := connect(b, client, server, revision)
	return func() {
		if _, err := session.CallTool(context.Background(), newParams(name)); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmark(b *testing.B, connect connecting) {
	for _, name := range variants {
		b.Run(name, func(b *testing.B) {
			call := newCall(b, connect, legacy, name)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				call()
			}
		})
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit/toolmcp"
)

// BenchmarkCall compares a tools/call in memory: bare, bare with a trace context in _meta,
// which alone costs the SDK some, with both sides instrumented and no provider, with spans
// that are not sampled, and with all of them, content included.
func BenchmarkCall(b *testing.B) { benchmark(b, dial) }

// BenchmarkHTTP is the same over streamable HTTP on loopback.
func BenchmarkHTTP(b *testing.B) { benchmark(b, dialHTTP) }

// variants are what is compared. A nil scope is none.
var variants = []string{"bare", "traceparent", "noop", "unsampled", "sampled"}

func newVariant(b *testing.B, name string) (*toolscope.Scope, *mcp.CallToolParams) {
	params := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello, world"}}
	metrics := toolscope.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())))
	var tracers trace.TracerProvider = sdktrace.NewTracerProvider()
	switch name {
	case "bare":
		return nil, params
	case "traceparent":
		params.Meta = mcp.Meta{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
		return nil, params
	case "noop":
		tracers, metrics = tracenoop.NewTracerProvider(), toolscope.WithMeterProvider(metricnoop.NewMeterProvider())
	case "unsampled":
		tracers = sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	}
	scope, err := toolscope.New(toolscope.WithTracerProvider(tracers), metrics)
	if err != nil {
		b.Fatal(err)
	}
	return scope, params
}

type connecting func(testing.TB, *mcp.Client, *mcp.Server, string) *mcp.ClientSession

// newCall connects two peers and returns a call between them.
func newCall(b *testing.B, connect connecting, name string) func() {
	client, server := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil), newServer()
	scope, params := newVariant(b, name)
	if scope != nil {
		toolmcp.Instrument(client, scope)
		toolmcp.Instrument(server, scope)
	}
	session := connect(b, client, server, legacy)
	return func() {
		if _, err := session.CallTool(context.Background(), params); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmark(b *testing.B, connect connecting) {
	for _, name := range variants {
		b.Run(name, func(b *testing.B) {
			call := newCall(b, connect, name)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				call()
			}
		})
	}
}

// BenchmarkOverhead reports how many times as long as a bare one an instrumented call takes:
// the median of pairs that are measured in turn, so that what else the machine does
// meets both.
func BenchmarkOverhead(b *testing.B) {
	for _, c := range []struct {
		name    string
		connect connecting
	}{{"memory", dial}, {"http", dialHTTP}} {
		for _, name := range variants[1:] {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				const calls = 50
				measure := func(call func()) time.Duration {
					start := time.Now()
					for range calls {
						call()
					}
					return time.Since(start)
				}
				bare, watched := newCall(b, c.connect, "bare"), newCall(b, c.connect, name)
				var ratios []float64
				for b.Loop() {
					first := measure(bare)
					second := measure(watched)
					third := measure(bare) // the watched one stands in the middle
					ratios = append(ratios, 2*float64(second)/float64(first+third))
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[len(ratios)/2], "times")
			})
		}
	}
}

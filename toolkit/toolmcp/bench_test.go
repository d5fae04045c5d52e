// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"runtime"
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
// that are not sampled, with all of them, content included, and that on the server alone.
func BenchmarkCall(b *testing.B) { benchmark(b, dial) }

// BenchmarkHTTP is the same over streamable HTTP on loopback.
func BenchmarkHTTP(b *testing.B) { benchmark(b, dialHTTP) }

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// variants are what is compared. A nil scope is none.
var variants = []string{"bare", "traceparent", "noop", "unsampled", "sampled", "server"}

func newVariant(b testing.TB, name string) (*toolscope.Scope, *mcp.CallToolParams) {
	params := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello, world"}}
	metrics := toolscope.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())))
	var tracers trace.TracerProvider = sdktrace.NewTracerProvider()
	switch name {
	case "bare":
		return nil, params
	case "traceparent":
		params.Meta = mcp.Meta{"traceparent": traceparent}
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
func newCall(b *testing.B, connect connecting, revision, name string) func() {
	client, server := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil), newServer()
	scope, params := newVariant(b, name)
	if name != "server" {
		toolmcp.Instrument(client, scope)
	}
	toolmcp.Instrument(server, scope)
	session := connect(b, client, server, revision)
	return func() {
		if _, err := session.CallTool(context.Background(), params); err != nil {
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

// BenchmarkOverhead reports how many times as much an instrumented call takes as a bare one:
// of time (times) and of bytes (byte-times). Bare and instrumented sessions are called by
// turns, so that what else the machine does meets both, and there are several of each, since
// two sessions alike differ by a few percent for as long as they last. The process holds
// the heap that module bench measures with: without one the collector, which the SDK's
// buffers of 400 KB a call keep busy, is half the time.
func BenchmarkOverhead(b *testing.B) {
	ballast := make([]byte, 64<<20)
	defer runtime.KeepAlive(ballast)
	for _, transport := range []struct {
		name    string
		connect connecting
	}{{"memory", dial}, {"http", dialHTTP}} {
		for _, revision := range []string{legacy, stateless} {
			for _, name := range variants[1:] {
				b.Run(transport.name+"/"+revision+"/"+name, func(b *testing.B) {
					var turns comparison
					for range 4 {
						turns.bare = append(turns.bare, newCall(b, transport.connect, revision, "bare"))
						turns.watched = append(turns.watched, newCall(b, transport.connect, revision, name))
					}
					for b.Loop() {
						turns.next()
					}
					turns.report(b)
				})
			}
		}
	}
}

// comparison measures two kinds of calls by turns.
type comparison struct {
	bare, watched []func()
	ratios        []float64
}

// next measures a pair of sessions once more, each at the edge and in the middle by turns.
func (c *comparison) next() {
	turn, n := len(c.ratios), len(c.bare)
	inner, outer := c.watched[turn/n%n], c.bare[turn%n]
	if turn%2 == 1 {
		inner, outer = outer, inner
	}
	first, second, third, fourth := measure(outer), measure(inner), measure(inner), measure(outer)
	ratio := float64(second+third) / float64(first+fourth)
	if turn%2 == 1 {
		ratio = 1 / ratio
	}
	c.ratios = append(c.ratios, ratio)
}

func measure(call func()) time.Duration {
	const calls = 50
	start := time.Now()
	for range calls {
		call()
	}
	return time.Since(start)
}

func (c *comparison) report(b *testing.B) {
	slices.Sort(c.ratios)
	b.ReportMetric(c.ratios[len(c.ratios)/2], "times")
	b.ReportMetric(float64(bytesOf(c.watched[0]))/float64(bytesOf(c.bare[0])), "byte-times")
}

// bytesOf is what some calls allocate.
func bytesOf(call func()) uint64 {
	const calls = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
)

// measured is a scope with its metrics and spans.
type measured struct {
	*toolscope.Scope
	metrics *sdkmetric.ManualReader
	spans   *tracetest.SpanRecorder
}

func measure(t *testing.T, policies ...middleware.Policy) *measured {
	t.Helper()
	m := &measured{metrics: sdkmetric.NewManualReader(), spans: tracetest.NewSpanRecorder()}
	var err error
	m.Scope, err = toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(m.spans)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(m.metrics)),
		Policies:       policies,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Shutdown(context.Background()) })
	return m
}

// recorded is how often calls of a tool were recorded, by metric and side.
func (m *measured) recorded(t *testing.T, tool string) map[string]uint64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := m.metrics.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]uint64{}
	for _, scope := range all.ScopeMetrics {
		for _, metric := range scope.Metrics {
			h, ok := metric.Data.(metricdata.Histogram[float64])
			if !ok {
				continue
			}
			for _, p := range h.DataPoints {
				if name, _ := p.Attributes.Value("gen_ai.tool.name"); name.AsString() == tool {
					side, _ := p.Attributes.Value("toolscope.side")
					found[strings.TrimSpace(metric.Name+" "+side.AsString())] += p.Count
				}
			}
		}
	}
	return found
}

func (m *measured) wantRecorded(t *testing.T, what string, want map[string]uint64) {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(time.Millisecond) {
		got := m.recorded(t, "act")
		if maps.Equal(got, want) {
			return
		}
		if time.Now().After(end) {
			t.Errorf("%s: got the recordings %v, want %v", what, got, want)
			return
		}
	}
}

// A proxy between a client and a server adds no recording of gen_ai.execute_tool.duration, with policies and
// without. Where nothing else is measured it records each call as a proxy.
func TestSides(t *testing.T) {
	const calls = 3
	for _, governed := range []bool{false, true} {
		for _, ends := range []bool{false, true} {
			for _, revision := range []string{"2025-11-25", "2026-07-28"} {
				t.Run(fmt.Sprintf("governed %v ends %v %s", governed, ends, revision), func(t *testing.T) {
					var options []middleware.Policy
					if governed {
						options = append(options, refusing())
					}
					agent, between, far := measure(t), measure(t, options...), measure(t)
					w, err := New(between.Scope, Options{})
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(w.Close)
					server, _ := acting()
					client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
					if ends {
						toolmcp.Instrument(client, agent.Scope, toolmcp.Options{})
						toolmcp.Instrument(server, far.Scope, toolmcp.Options{})
					}
					handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
						&mcp.StreamableHTTPOptions{Stateless: revision == "2026-07-28"})
					address := before(t, &watched{w.core, w, t, between.spans}, handler)
					cs, err := client.Connect(
						t.Context(),
						&mcp.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true},
						&mcp.ClientSessionOptions{ProtocolVersion: revision},
					)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = cs.Close() })
					if _, err := cs.ListTools(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					if err := w.Settle(t.Context()); err != nil {
						t.Fatal(err)
					}
					for range calls {
						if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "act"}); err != nil {
							t.Fatal(err)
						}
					}
					if ends {
						agent.wantRecorded(t, "agent", map[string]uint64{
							"gen_ai.execute_tool.duration agent": calls, "toolscope.tool.run.duration agent": calls,
							"mcp.client.operation.duration": calls,
						})
						far.wantRecorded(t, "server", map[string]uint64{
							"toolscope.tool.run.duration server": calls, "mcp.server.operation.duration server": calls,
						})
					}
					between.wantRecorded(t, "proxy", map[string]uint64{
						"toolscope.tool.run.duration proxy": calls, "mcp.server.operation.duration proxy": calls,
					})
					if err := w.Settle(t.Context()); err != nil { // statistics count a call after metrics do
						t.Fatal(err)
					}
					if tool := between.Stats().Snapshot(stats.Window{}).Tool("act"); tool == nil || tool.Calls() != calls {
						t.Errorf("got the statistics %+v, want %d calls", tool, calls)
					}
					for _, s := range between.spans.Ended() {
						if s.Name() == "tools/call act" && has(s, attribute.Key("toolscope.side")) != "proxy" {
							t.Errorf("got the side %q on the span", has(s, attribute.Key("toolscope.side")))
						}
					}
				})
			}
		}
	}
}

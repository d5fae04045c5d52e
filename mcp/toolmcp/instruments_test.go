// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestInstruments checks name, unit, description and buckets of all four instruments, and that
// no label is of those that conventions keep out of metrics.
func TestInstruments(t *testing.T) {
	p := newPeers(t, legacy)
	ctx := t.Context()
	_, read := p.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://a"})
	_, called := p.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}})
	if read != nil || called != nil {
		t.Fatal(read, called)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for side, h := range map[string]*telemetry{"client": p.client, "server": p.server} {
		until(t, "the session's end", func() bool { return len(h.points(t, "mcp."+side+".session.duration")) > 0 })
		var all metricdata.ResourceMetrics
		if err := h.metrics.Collect(context.Background(), &all); err != nil {
			t.Fatal(err)
		}
		described := map[string]string{
			"mcp.client.operation.duration": "The duration of the MCP request or notification as observed on the " +
				"sender from the time it was sent until the response or ack is received.",
			"mcp.server.operation.duration": "MCP request or notification duration as observed on the receiver from " +
				"the time it was received until the result or ack is sent.",
			"mcp.client.session.duration": "The duration of the MCP session as observed on the MCP client.",
			"mcp.server.session.duration": "The duration of the MCP session as observed on the MCP server.",
		}
		found := 0
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				text, ok := described[m.Name]
				if !ok || !strings.HasPrefix(m.Name, "mcp."+side) {
					continue
				}
				found++
				if m.Unit != "s" || m.Description != text || scope.Scope.Name != "github.com/toolscope/toolscope/mcp/toolmcp" {
					t.Errorf("%s: got the unit %q, description %q and scope %q", m.Name, m.Unit, m.Description, scope.Scope.Name)
				}
				for _, point := range m.Data.(metricdata.Histogram[float64]).DataPoints {
					if !slices.Equal(point.Bounds, []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}) {
						t.Errorf("%s: got the buckets %v", m.Name, point.Bounds)
					}
					for key, value := range attributes(point.Attributes.ToSlice()) {
						if strings.HasSuffix(key, ".id") || key == "mcp.resource.uri" {
							t.Errorf("%s: got the label %s=%s", m.Name, key, value)
						}
					}
				}
			}
		}
		if found != 2 {
			t.Errorf("%s: got %d of its instruments, want 2", side, found)
		}
	}
}

// arrived remembers the _meta of the calls that come to a server.
func arrived(server *mcp.Server, into *map[string]any) {
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/call" {
				*into = req.GetParams().GetMeta()
			}
			return next(ctx, method, req)
		}
	})
}

// TestBaggageStays checks that baggage, which may be users' data, travels only where the
// option says so, with the other keys of the application's propagators.
func TestBaggageStays(t *testing.T) {
	member, err := baggage.NewMember("user", "ada")
	if err != nil {
		t.Fatal(err)
	}
	bag, err := baggage.New(member)
	if err != nil {
		t.Fatal(err)
	}
	both := toolscope.Options{Tracing: tracing.Options{
		Propagators: propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})}}
	for _, sends := range []bool{false, true} {
		for _, revision := range []string{legacy, stateless} {
			var got map[string]any
			server := newServer()
			arrived(server, &got)
			cs := connectWith(t, server, newTelemetry(t, both), nil, revision, toolmcp.Options{Baggage: sends})
			if _, err := cs.CallTool(
				baggage.ContextWithBaggage(t.Context(), bag), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}},
			); err != nil {
				t.Fatal(err)
			}
			if got["traceparent"] == nil || (got["baggage"] == "user=ada") != sends || got["baggage"] != nil && !sends {
				t.Errorf("%s: got _meta %v, want baggage: %v", revision, got, sends)
			}
		}
	}
}

// TestPartOf checks that a call which a registry makes under another name is part of its call if
// it says so, and one of its own if not.
func TestPartOf(t *testing.T) {
	for _, says := range []bool{false, true} {
		c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
		cs := connect(t, newServer(), c, s, legacy)
		list(t, cs)
		def := &toolkit.Definition{Name: "repeat"}
		execute := c.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if says {
				ctx = toolmcp.PartOf(ctx, "echo")
			}
			_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: call.Arguments})
			return toolkit.Result{Output: "done"}, err
		}, toolkit.Lookup(func(string) *toolkit.Definition { return def }))
		if _, err := execute(t.Context(), toolkit.Call{Name: "repeat", Arguments: []byte(`{"text":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		outer, below := c.span(t, "execute_tool repeat"), s.span(t, "tools/call echo").Parent().SpanID()
		if (below == outer.SpanContext().SpanID()) != says || slices.Contains(c.names(), "tools/call echo") == says {
			t.Errorf("says %v: got the spans %q, the server's below %v", says, c.names(), below)
		}
	}
}

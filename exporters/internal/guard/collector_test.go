// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters/internal/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector is a gRPC server as collectors are: it takes messages of 4 MiB, with valid
// UTF-8, which the protobuf decoder insists on.
type collector struct {
	coltracepb.UnimplementedTraceServiceServer
	mu       sync.Mutex
	spans    []*tracepb.Span
	requests []int // their sizes
	groups   []*tracepb.ResourceSpans
}

func (c *collector) Export(_ context.Context,
	r *coltracepb.ExportTraceServiceRequest) (*coltracepb.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, proto.Size(r))
	for _, resource := range r.ResourceSpans {
		c.groups = append(c.groups, resource)
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	return &coltracepb.ExportTraceServiceResponse{}, nil
}

// takeSpans returns what has come since it was last asked.
func (c *collector) takeSpans() (spans []*tracepb.Span, requests []int, groups []*tracepb.ResourceSpans) {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans, requests, groups = c.spans, c.requests, c.groups
	c.spans, c.requests, c.groups = nil, nil, nil
	return spans, requests, groups
}

// connect starts a collector and the real exporter to it.
func connect(t testing.TB) (*collector, *otlptrace.Exporter) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, c := grpc.NewServer(), new(collector)
	coltracepb.RegisterTraceServiceServer(server, c)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	exporter, err := otlptracegrpc.New(context.Background(), otlptracegrpc.WithEndpoint(listener.Addr().String()),
		otlptracegrpc.WithInsecure(), otlptracegrpc.WithTimeout(20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exporter.Shutdown(context.Background())
		server.Stop()
		<-served
	})
	return c, exporter
}

func newGuard(t testing.TB, next sdktrace.SpanExporter, l guard.Limits) *guard.Exporter {
	t.Helper()
	g, err := guard.New(next, l)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// spans makes finished spans as the SDK does.
func spans(list ...tracetest.SpanStub) []sdktrace.ReadOnlySpan {
	return tracetest.SpanStubs(list).Snapshots()
}

// usual is a span as package tracing makes them.
func usual() tracetest.SpanStub {
	return tracetest.SpanStub{Name: "execute_tool search", Attributes: []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "search"),
		attribute.Int("toolscope.arguments.bytes", 300), attribute.Float64("toolscope.run.duration", 0.25),
		attribute.String("gen_ai.tool.call.arguments", string(make([]byte, 300))),
		attribute.String("gen_ai.tool.call.result", string(make([]byte, 500))),
	}}
}

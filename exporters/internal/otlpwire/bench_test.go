// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otlpwire_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters/internal/otlpwire"
)

// BenchmarkBatch is a batch of 512 calls with 300 bytes of arguments and results of 4 KiB, as
// OpenTelemetry's exporter makes it ready to be sent and as this package does.
func BenchmarkBatch(b *testing.B) {
	c, batch := new(client), new(otlpwire.Batch)
	exporter := otlptrace.NewUnstarted(c)
	spans := calls(512)
	for name, write := range map[string]func() []*tracepb.ResourceSpans{
		"by=otlptrace": func() []*tracepb.ResourceSpans {
			if err := exporter.ExportSpans(b.Context(), spans); err != nil {
				b.Fatal(err)
			}
			return c.sent
		},
		"by=otlpwire": func() []*tracepb.ResourceSpans { return batch.Spans(spans) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var wire []byte
			for b.Loop() {
				request := &coltracepb.ExportTraceServiceRequest{ResourceSpans: write()}
				if proto.Size(request) == 0 { // the client looks at it before it sends
					b.Fatal("nothing to send")
				}
				var err error
				if wire, err = (proto.MarshalOptions{}).MarshalAppend(wire[:0], request); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(spans)), "ns/span")
		})
	}
}

// calls are spans as package tracing makes them.
func calls(n int) (spans []sdktrace.ReadOnlySpan) {
	of := resource.NewSchemaless(attribute.String("service.name", "bench"))
	for i := range n {
		content := strings.Repeat(`{"row": 17, "id": 42, "name": "alpha"},`, 105)
		spans = append(spans, tracetest.SpanStub{
			Name: "execute_tool search", SpanKind: trace.SpanKindInternal, Resource: of,
			InstrumentationScope: instrumentation.Scope{Name: "tracing"},
			SpanContext: trace.NewSpanContext(
				trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1, byte(i)}, TraceFlags: 1}),
			Attributes: []attribute.KeyValue{
				attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "search"),
				attribute.String("gen_ai.tool.type", "function"), attribute.String("gen_ai.agent.name", "planner"),
				attribute.String("toolscope.outcome", "executed"), attribute.String("gen_ai.tool.call.id", "call_7"),
				attribute.Int("toolscope.arguments.bytes", 300), attribute.Int("toolscope.result.bytes", 4096),
				attribute.String("gen_ai.tool.call.arguments", content[:300]),
				attribute.String("gen_ai.tool.call.result", content),
				attribute.Int("toolscope.redacted.count", 2),
				attribute.StringSlice("toolscope.redacted.kinds", []string{"bearer-token", "named"}),
				attribute.StringSlice("toolscope.redacted.paths",
					[]string{"bearer-token@arguments/headers/authorization", "named@arguments/api_key"}),
			},
		}.Snapshot())
	}
	return spans
}

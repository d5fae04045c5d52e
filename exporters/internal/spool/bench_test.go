// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"net"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
)

type nowhere struct {
	collector.UnimplementedTraceServiceServer
}

func (nowhere) Export(context.Context, *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	return &collector.ExportTraceServiceResponse{}, nil
}

// client is one of a gRPC server of this process.
func client(b *testing.B) otlptrace.Client {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, nowhere{})
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	b.Cleanup(func() { server.Stop(); <-done })
	return otlptracegrpc.NewClient(otlptracegrpc.WithEndpoint(l.Addr().String()), otlptracegrpc.WithInsecure(),
		otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
}

// BenchmarkExport exports batches of 512 spans, each with 800 bytes of content: with
// the exporter bare, through a spool that has nothing to do, with every batch written before it is
// sent, with each write synced, and while the destination is down.
func BenchmarkExport(b *testing.B) {
	stub := tracetest.SpanStub{
		Name:        "execute_tool search",
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}}),
		Attributes: []attribute.KeyValue{attribute.String("gen_ai.tool.call.arguments", strings.Repeat("a", 300)),
			attribute.String("gen_ai.tool.call.result", strings.Repeat("r", 500))},
	}
	var spans []sdktrace.ReadOnlySpan
	for range 512 {
		spans = append(spans, stub.Snapshot())
	}
	run := func(name string, e func(b *testing.B) sdktrace.SpanExporter) {
		b.Run(name, func(b *testing.B) {
			exporter := e(b)
			b.ReportAllocs()
			for b.Loop() {
				if err := exporter.ExportSpans(b.Context(), spans); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(spans)), "ns/span")
			if err := exporter.Shutdown(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
	spooled := func(o Options) func(b *testing.B) sdktrace.SpanExporter {
		return func(b *testing.B) sdktrace.SpanExporter {
			s, err := New(b.TempDir(), client(b), o)
			if err != nil {
				b.Fatal(err)
			}
			return s
		}
	}
	run("bare", func(b *testing.B) sdktrace.SpanExporter {
		e, err := otlptrace.New(b.Context(), client(b))
		if err != nil {
			b.Fatal(err)
		}
		return e
	})
	run("idle", spooled(Options{}))
	run("ahead", spooled(Options{WriteAhead: true}))
	run("ahead-sync", spooled(Options{WriteAhead: true, Sync: true}))
	run("down", func(b *testing.B) sdktrace.SpanExporter {
		s, err := New(b.TempDir(), &destination{answer: down}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		return s
	})
}

// BenchmarkScan reads a segment of 4 MiB.
func BenchmarkScan(b *testing.B) {
	var texts []string
	for range 64 {
		texts = append(texts, strings.Repeat("x", 64<<10))
	}
	data, _ := segmentOf(1, texts...)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if d := scan(data, func(int64, header, []byte) {}); d != (damage{}) {
			b.Fatal(d)
		}
	}
}

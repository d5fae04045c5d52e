// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/internal/batch"
)

// BenchmarkSpan is a tool call's span with and without the ring, in traces of ten.
func BenchmarkSpan(b *testing.B) {
	content := []attribute.KeyValue{attribute.String("gen_ai.tool.call.arguments", strings.Repeat("a", 300)),
		attribute.String("gen_ai.tool.call.result", strings.Repeat("r", 500))}
	for _, c := range []struct {
		name      string
		processor sdktrace.SpanProcessor
	}{{"bare", nothing{}}, {"ring", exporters.NewRing(4096)}} {
		b.Run(c.name, func(b *testing.B) {
			tracer := tracerInto(c.processor)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				var ctx context.Context
				var root trace.Span
				for n := 0; pb.Next(); n++ {
					if n%10 == 0 {
						ctx, root = tracer.Start(context.Background(), "root")
						root.End()
					}
					_, s := tracer.Start(ctx, "execute_tool x")
					s.SetAttributes(content...)
					s.End()
				}
			})
		})
	}
}

type nothing struct{}

func (nothing) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (nothing) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (nothing) Shutdown(context.Context) error                  { return nil }
func (nothing) ForceFlush(context.Context) error                { return nil }

// nowhere is an exporter that takes everything at once.
type nowhere struct{}

func (nowhere) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (nowhere) Shutdown(context.Context) error                             { return nil }

// BenchmarkBatcher is a span through the SDK's batching processor and through ours: in a
// tight loop, and after 100 µs of other work each, which is fast for an agent. There
// span-ns is the span's own time, of which the good part with the SDK goes into waking a
// goroutine.
func BenchmarkBatcher(b *testing.B) {
	content := []attribute.KeyValue{attribute.String("gen_ai.tool.call.arguments", strings.Repeat("a", 300)),
		attribute.String("gen_ai.tool.call.result", strings.Repeat("r", 500))}
	for _, c := range []struct {
		name string
		make func() sdktrace.SpanProcessor
	}{
		{"sdk", func() sdktrace.SpanProcessor { return sdktrace.NewBatchSpanProcessor(nowhere{}) }},
		{"ours", func() sdktrace.SpanProcessor { return batch.New(nowhere{}, batch.Options{}) }},
	} {
		span := func(tracer trace.Tracer) {
			_, s := tracer.Start(context.Background(), "execute_tool x")
			s.SetAttributes(content...)
			s.End()
		}
		b.Run("tight/"+c.name, func(b *testing.B) {
			tracer := tracerInto(c.make())
			b.ReportAllocs()
			for b.Loop() {
				span(tracer)
			}
		})
		b.Run("100us/"+c.name, func(b *testing.B) {
			tracer := tracerInto(c.make())
			var own time.Duration
			for b.Loop() {
				for start := time.Now(); time.Since(start) < 100*time.Microsecond; {
				}
				start := time.Now()
				span(tracer)
				own += time.Since(start)
			}
			b.ReportMetric(float64(own.Nanoseconds())/float64(b.N), "span-ns")
		})
	}
}

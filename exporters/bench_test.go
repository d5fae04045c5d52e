// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters"
)

// BenchmarkSpan is a tool call's span with and without the ring, in traces of ten.
func BenchmarkSpan(b *testing.B) {
	content := []attribute.KeyValue{attribute.String(arguments, strings.Repeat("a", 300)), attribute.String(result, strings.Repeat("r", 500))}
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

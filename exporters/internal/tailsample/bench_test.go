// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

// nowhere takes every span.
type nowhere struct{}

func (nowhere) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (nowhere) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (nowhere) Shutdown(context.Context) error                  { return nil }
func (nowhere) ForceFlush(context.Context) error                { return nil }

// BenchmarkTrace is a trace of ten calls without and with the sampler in front.
func BenchmarkTrace(b *testing.B) {
	attributes := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "search"),
		attribute.String("toolscope.outcome", "executed"), attribute.Int("toolscope.arguments.bytes", 300),
		attribute.String("gen_ai.tool.call.arguments", string(make([]byte, 300))),
		attribute.String("gen_ai.tool.call.result", string(make([]byte, 500))),
	}
	sampler := func(o tailsample.Options) sdktrace.SpanProcessor {
		p, err := tailsample.New(nowhere{}, o)
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name      string
		processor sdktrace.SpanProcessor
		matters   bool
	}{
		{"bare", nowhere{}, false},
		{"left-out", sampler(tailsample.Options{Ratio: -1}), false},
		{"sampled", sampler(tailsample.Options{Ratio: 1}), false},
		{"matters", sampler(tailsample.Options{Ratio: -1}), true},
	} {
		b.Run(c.name, func(b *testing.B) {
			tracer := sdktrace.NewTracerProvider(sdktrace.WithSampler(tailsample.Head()),
				sdktrace.WithSpanProcessor(c.processor)).Tracer("bench")
			b.ReportAllocs()
			for b.Loop() {
				ctx, root := tracer.Start(context.Background(), "turn")
				for range 10 {
					_, s := tracer.Start(ctx, "execute_tool search")
					s.SetAttributes(attributes...)
					s.SetAttributes(tailsample.KeepKey.Bool(c.matters))
					s.End()
				}
				root.End()
			}
		})
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// The call of every benchmark: 300 bytes of arguments with two members to redact, and
// a result of 500 bytes.
var (
	benchArguments = []byte(`{"query": "SELECT id, name FROM users WHERE city = \"Oslo\" ORDER BY id", "limit": 50, ` +
		`"headers": {"authorization": "Bearer ` +
		strings.Repeat("aB3", 7) + `", "accept": "application/json"}, "tags": ["alpha", "beta"], "api_key": "key-` +
		strings.Repeat("0a1", 6) + `", "note": "` + strings.Repeat("x", 60) + `"}`)
	benchOutput = strings.Repeat("row 17: id=42 name=alpha status=ok; ", 14)[:500]
	benchCall   = toolkit.Call{ID: "call_01HZX3J7Q8W9E2R4T6Y8U0I1", Name: "db_query", Arguments: benchArguments}
	benchTool   = toolkit.Definition{Name: "db_query"}
)

func benchHandler(context.Context, toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: benchOutput}, nil
}

func benchLookup(string) *toolkit.Definition { return &benchTool }

// BenchmarkCall compares a call bare, the same with a span and a metric by hand (the
// floor: eleven attributes, not redacted), and wrapped in each mode.
func BenchmarkCall(b *testing.B) {
	sampled := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(discard{}))
	never := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	wrapped := func(o toolscope.Options) toolkit.Handler {
		scope, err := toolscope.New(o)
		if err != nil {
			b.Fatal(err)
		}
		return scope.Wrap(benchHandler, toolkit.Lookup(benchLookup))
	}
	for _, m := range []struct {
		name    string
		handler toolkit.Handler
	}{
		{"bare", benchHandler},
		{"span-by-hand", byHand(b, sampled, meters)},
		{"span-by-hand-unsampled", byHand(b, never, meters)},
		{"off", wrapped(toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true})},
		{"stats", wrapped(toolscope.Options{NoTracing: true, NoMetrics: true})},
		{"no-provider", wrapped(toolscope.Options{})},
		{"unsampled", wrapped(toolscope.Options{TracerProvider: never, MeterProvider: meters})},
		{"sampled-no-content", wrapped(toolscope.Options{
			TracerProvider: sampled,
			MeterProvider:  meters,
			Content:        tracing.ContentOff,
		})},
		{"sampled-redactor-off", wrapped(toolscope.Options{
			TracerProvider: sampled,
			MeterProvider:  meters,
			Redactor:       redactorOff(b),
		})},
		{"sampled", wrapped(toolscope.Options{TracerProvider: sampled, MeterProvider: meters})},
	} {
		b.Run(m.name, func(b *testing.B) {
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.handler(ctx, benchCall); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func redactorOff(b *testing.B) *redact.Redactor {
	r, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// byHand is what a careful engineer writes without this library, but for redaction.
func byHand(b *testing.B, tracers trace.TracerProvider, meters metric.MeterProvider) toolkit.Handler {
	tracer := tracers.Tracer("bench")
	histogram, err := meters.Meter("bench").Float64Histogram("gen_ai.execute_tool.duration")
	if err != nil {
		b.Fatal(err)
	}
	options := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(attribute.String("gen_ai.tool.name", "db_query")))}
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		ctx, span := tracer.Start(ctx, "execute_tool db_query", trace.WithAttributes(
			attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", call.Name),
			attribute.String("gen_ai.tool.call.id", call.ID), attribute.String("gen_ai.tool.type", "function"),
			attribute.String("gen_ai.agent.name", "planner"),
			attribute.Int("arguments.bytes", len(call.Arguments)), attribute.Int("attempt", 1), attribute.Bool("cached", false),
			attribute.String("gen_ai.tool.call.arguments", string(call.Arguments))))
		res, err := benchHandler(ctx, call)
		span.SetAttributes(attribute.String("gen_ai.tool.call.result", res.Output))
		span.End()
		histogram.Record(ctx, 0.001, options...)
		return res, err
	}
}

// discard is a span processor that keeps nothing.
type discard struct{}

func (discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (discard) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (discard) Shutdown(context.Context) error                  { return nil }
func (discard) ForceFlush(context.Context) error                { return nil }

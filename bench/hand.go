// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

// ByHand is the floor: the tool with the SDK's own span around it and one record of a
// histogram, written by hand as the SDK's documentation shows. Eleven attributes: ten, the
// arguments among them, at the start, as samplers want them, and the result before the
// end. Nothing is redacted or cut. Without meters there is no histogram.
func ByHand(tracers trace.TracerProvider, meters metric.MeterProvider, tool toolkit.Handler) toolkit.Handler {
	tracer, record := tracers.Tracer("bench"), recorder(meters)
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		ctx, span := tracer.Start(ctx, SpanName, trace.WithAttributes(
			attribute.String("gen_ai.operation.name", "execute_tool"),
			attribute.String("gen_ai.tool.name", call.Name),
			attribute.String("gen_ai.tool.call.id", call.ID),
			attribute.String("gen_ai.tool.type", "function"),
			attribute.String("gen_ai.tool.description", Definition.Description),
			attribute.String("gen_ai.agent.name", "planner"),
			attribute.Int("tool.arguments.size", len(call.Arguments)),
			attribute.Int("tool.attempt", 1),
			attribute.Bool("tool.cached", false),
			attribute.String("gen_ai.tool.call.arguments", ArgumentsText)))
		res, err := tool(ctx, call)
		span.SetAttributes(attribute.String("gen_ai.tool.call.result", res.Output))
		span.End()
		record(ctx)
		return res, err
	}
}

// ByCarefulHand is [ByHand] as an author who knows the SDK's costs writes it: all eleven attributes at
// once before the end, from a slice that is used again, which samplers then do not see, and
// none if the span does not record.
func ByCarefulHand(tracers trace.TracerProvider, meters metric.MeterProvider, tool toolkit.Handler) toolkit.Handler {
	tracer, record := tracers.Tracer("bench"), recorder(meters)
	lists := sync.Pool{New: func() any { return new([11]attribute.KeyValue) }}
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		ctx, span := tracer.Start(ctx, SpanName)
		res, err := tool(ctx, call)
		if span.IsRecording() {
			list := lists.Get().(*[11]attribute.KeyValue)
			*list = [...]attribute.KeyValue{
				attribute.String("gen_ai.operation.name", "execute_tool"),
				attribute.String("gen_ai.tool.name", call.Name),
				attribute.String("gen_ai.tool.call.id", call.ID),
				attribute.String("gen_ai.tool.type", "function"),
				attribute.String("gen_ai.tool.description", Definition.Description),
				attribute.String("gen_ai.agent.name", "planner"),
				attribute.Int("tool.arguments.size", len(call.Arguments)),
				attribute.Int("tool.attempt", 1),
				attribute.Bool("tool.cached", false),
				attribute.String("gen_ai.tool.call.arguments", string(call.Arguments)),
				attribute.String("gen_ai.tool.call.result", res.Output),
			}
			span.SetAttributes(list[:]...)
			clear(list[:])
			lists.Put(list)
		}
		span.End()
		record(ctx)
		return res, err
	}
}

// recorder records once into a histogram, with options made once.
func recorder(meters metric.MeterProvider) func(context.Context) {
	if meters == nil {
		return func(context.Context) {}
	}
	histogram, err := meters.Meter("bench").Float64Histogram("gen_ai.execute_tool.duration")
	if err != nil {
		panic(err) // the name is valid
	}
	options := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", ToolName)))}
	return func(ctx context.Context) { histogram.Record(ctx, 0.0123, options...) }
}

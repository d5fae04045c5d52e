// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// byHand is the least that the conventions ask of a tools/call, as a host would write it: a
// span, one recording and the context in _meta; without content, statistics or policies,
// and without minding panics, names that no one knows, or revisions.
type byHand struct {
	tracer   trace.Tracer
	duration metric.Float64Histogram
	start    []trace.SpanStartOption
	record   metric.MeasurementOption
	carrier  propagation.TraceContext
}

func newByHand(t testing.TB, kind trace.SpanKind, instrument string) *byHand {
	t.Helper()
	attrs := []attribute.KeyValue{
		attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", "echo"),
	}
	duration, err := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())).
		Meter("hand").
		Float64Histogram(instrument, metric.WithUnit("s"))
	if err != nil {
		t.Fatal(err)
	}
	return &byHand{
		tracer: sdktrace.NewTracerProvider().Tracer("hand"), duration: duration,
		start:  []trace.SpanStartOption{trace.WithSpanKind(kind), trace.WithAttributes(attrs...)},
		record: metric.WithAttributeSet(attribute.NewSet(attrs...)),
	}
}

func (h *byHand) watch(ctx context.Context, next func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	began := time.Now()
	ctx, span := h.tracer.Start(ctx, "tools/call echo", h.start...)
	defer span.End()
	res, err := next(ctx)
	h.duration.Record(ctx, time.Since(began).Seconds(), h.record)
	return res, err
}

// instrumentByHand does so on both sides.
func instrumentByHand(t testing.TB, client *mcp.Client, server *mcp.Server) {
	sends, receives := newByHand(
		t,
		trace.SpanKindClient,
		"mcp.client.operation.duration",
	), newByHand(
		t,
		trace.SpanKindServer,
		"mcp.server.operation.duration",
	)
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, ok := req.GetParams().(*mcp.CallToolParams)
			if !ok {
				return next(ctx, method, req)
			}
			return sends.watch(ctx, func(ctx context.Context) (mcp.Result, error) {
				carrier := propagation.MapCarrier{}
				sends.carrier.Inject(ctx, carrier)
				params := *call
				params.Meta = maps.Clone(params.Meta)
				if params.Meta == nil {
					params.Meta = mcp.Meta{}
				}
				for key, value := range carrier {
					params.Meta[key] = value
				}
				return next(
					ctx,
					method,
					&mcp.ClientRequest[mcp.Params]{Session: req.GetSession().(*mcp.ClientSession), Params: &params},
				)
			})
		}
	})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, ok := req.GetParams().(*mcp.CallToolParamsRaw)
			if !ok {
				return next(ctx, method, req)
			}
			carrier := propagation.MapCarrier{}
			for key, value := range call.Meta {
				if text, ok := value.(string); ok {
					carrier[key] = text
				}
			}
			return receives.watch(
				receives.carrier.Extract(ctx, carrier),
				func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, req) },
			)
		}
	})
}

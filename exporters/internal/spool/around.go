// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// Around makes any span exporter a destination for [New]. The exporter gets spans as they
// come back from OTLP, which leaves out what that does not carry: the number of
// children, and the trace state of links. Every error of it counts as worth another
// try, but for gRPC statuses. Its Shutdown is called by the spool's. A nil exporter takes everything.
func Around(e sdktrace.SpanExporter) otlptrace.Client { return around{e} }

type around struct{ exporter sdktrace.SpanExporter }

func (around) Start(context.Context) error { return nil }

func (a around) Stop(ctx context.Context) error {
	if a.exporter == nil {
		return nil
	}
	return a.exporter.Shutdown(ctx)
}

func (a around) UploadTraces(ctx context.Context, all []*tracepb.ResourceSpans) error {
	if a.exporter == nil {
		return nil
	}
	return a.exporter.ExportSpans(ctx, snapshots(all))
}

// snapshots are spans as exporters take them.
func snapshots(all []*tracepb.ResourceSpans) (spans []sdktrace.ReadOnlySpan) {
	for _, r := range all {
		from := resource.NewWithAttributes(r.GetSchemaUrl(), keyValues(r.GetResource().GetAttributes())...)
		for _, sc := range r.GetScopeSpans() {
			scope := instrumentation.Scope{
				Name: sc.GetScope().GetName(), Version: sc.GetScope().GetVersion(), SchemaURL: sc.GetSchemaUrl(),
				Attributes: attribute.NewSet(keyValues(sc.GetScope().GetAttributes())...),
			}
			for _, s := range sc.GetSpans() {
				stub := snapshot(s)
				stub.Resource, stub.InstrumentationScope = from, scope
				spans = append(spans, stub.Snapshot())
			}
		}
	}
	return spans
}

func snapshot(s *tracepb.Span) tracetest.SpanStub {
	state, _ := trace.ParseTraceState(s.GetTraceState()) // one that is not valid is empty
	stub := tracetest.SpanStub{
		Name:        s.GetName(),
		SpanContext: spanContext(s.GetTraceId(), s.GetSpanId(), s.GetFlags(), state, false),
		SpanKind:    kind(s.GetKind()),
		StartTime:   at(s.GetStartTimeUnixNano()), EndTime: at(s.GetEndTimeUnixNano()),
		Attributes:        keyValues(s.GetAttributes()),
		Status:            sdktrace.Status{Code: code(s.GetStatus().GetCode()), Description: s.GetStatus().GetMessage()},
		DroppedAttributes: int(s.GetDroppedAttributesCount()), DroppedEvents: int(s.GetDroppedEventsCount()),
		DroppedLinks: int(s.GetDroppedLinksCount()),
	}
	if len(s.GetParentSpanId()) > 0 {
		remote := s.GetFlags()&uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK) != 0
		stub.Parent = spanContext(s.GetTraceId(), s.GetParentSpanId(), s.GetFlags(), trace.TraceState{}, remote)
	}
	for _, e := range s.GetEvents() {
		stub.Events = append(stub.Events, sdktrace.Event{
			Name: e.GetName(), Time: at(e.GetTimeUnixNano()), Attributes: keyValues(e.GetAttributes()),
			DroppedAttributeCount: int(e.GetDroppedAttributesCount()),
		})
	}
	for _, l := range s.GetLinks() {
		remote := l.GetFlags()&uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK) != 0
		stub.Links = append(stub.Links, sdktrace.Link{
			SpanContext: spanContext(l.GetTraceId(), l.GetSpanId(), l.GetFlags(), trace.TraceState{}, remote),
			Attributes:  keyValues(l.GetAttributes()), DroppedAttributeCount: int(l.GetDroppedAttributesCount()),
		})
	}
	return stub
}

func at(nanos uint64) time.Time { return time.Unix(0, int64(nanos)) }

func spanContext(traceID, spanID []byte, flags uint32, state trace.TraceState, remote bool) trace.SpanContext {
	c := trace.SpanContextConfig{TraceFlags: trace.TraceFlags(flags), TraceState: state, Remote: remote}
	copy(c.TraceID[:], traceID)
	copy(c.SpanID[:], spanID)
	return trace.NewSpanContext(c)
}

func kind(k tracepb.Span_SpanKind) trace.SpanKind {
	switch k {
	case tracepb.Span_SPAN_KIND_INTERNAL:
		return trace.SpanKindInternal
	case tracepb.Span_SPAN_KIND_SERVER:
		return trace.SpanKindServer
	case tracepb.Span_SPAN_KIND_CLIENT:
		return trace.SpanKindClient
	case tracepb.Span_SPAN_KIND_PRODUCER:
		return trace.SpanKindProducer
	case tracepb.Span_SPAN_KIND_CONSUMER:
		return trace.SpanKindConsumer
	}
	return trace.SpanKindUnspecified
}

func code(c tracepb.Status_StatusCode) codes.Code {
	switch c {
	case tracepb.Status_STATUS_CODE_OK:
		return codes.Ok
	case tracepb.Status_STATUS_CODE_ERROR:
		return codes.Error
	}
	return codes.Unset
}

func keyValues(all []*commonpb.KeyValue) (kvs []attribute.KeyValue) {
	for _, kv := range all {
		kvs = append(kvs, attribute.KeyValue{Key: attribute.Key(kv.GetKey()), Value: value(kv.GetValue())})
	}
	return kvs
}

func value(v *commonpb.AnyValue) attribute.Value {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return attribute.StringValue(v.StringValue)
	case *commonpb.AnyValue_BoolValue:
		return attribute.BoolValue(v.BoolValue)
	case *commonpb.AnyValue_IntValue:
		return attribute.Int64Value(v.IntValue)
	case *commonpb.AnyValue_DoubleValue:
		return attribute.Float64Value(v.DoubleValue)
	case *commonpb.AnyValue_BytesValue:
		return attribute.ByteSliceValue(v.BytesValue)
	case *commonpb.AnyValue_KvlistValue:
		return attribute.MapValue(keyValues(v.KvlistValue.GetValues())...)
	case *commonpb.AnyValue_ArrayValue:
		return array(v.ArrayValue.GetValues())
	}
	return attribute.Value{}
}

// array is a slice of one type where all values are of it, as they were before OTLP.
func array(all []*commonpb.AnyValue) attribute.Value {
	values := make([]attribute.Value, len(all))
	kinds := make(map[attribute.Type]bool)
	for i, v := range all {
		values[i] = value(v)
		kinds[values[i].Type()] = true
	}
	if len(kinds) == 1 {
		switch values[0].Type() {
		case attribute.STRING:
			return attribute.StringSliceValue(converted(values, attribute.Value.AsString))
		case attribute.BOOL:
			return attribute.BoolSliceValue(converted(values, attribute.Value.AsBool))
		case attribute.INT64:
			return attribute.Int64SliceValue(converted(values, attribute.Value.AsInt64))
		case attribute.FLOAT64:
			return attribute.Float64SliceValue(converted(values, attribute.Value.AsFloat64))
		}
	}
	return attribute.SliceValue(values...)
}

func converted[T any](values []attribute.Value, as func(attribute.Value) T) []T {
	all := make([]T, len(values))
	for i, v := range values {
		all[i] = as(v)
	}
	return all
}

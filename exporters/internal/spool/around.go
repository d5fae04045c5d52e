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
				spans = append(spans, &readSpan{span: s, resource: from, scope: scope})
			}
		}
	}
	return spans
}

// A readSpan is a span of OTLP as exporters read it.
type readSpan struct {
	sdktrace.ReadOnlySpan // nil: it has an unexported method that nothing calls
	span                  *tracepb.Span
	resource              *resource.Resource
	scope                 instrumentation.Scope
}

func (r *readSpan) Name() string                                { return r.span.GetName() }
func (r *readSpan) SpanKind() trace.SpanKind                    { return kind(r.span.GetKind()) }
func (r *readSpan) StartTime() time.Time                        { return at(r.span.GetStartTimeUnixNano()) }
func (r *readSpan) EndTime() time.Time                          { return at(r.span.GetEndTimeUnixNano()) }
func (r *readSpan) Attributes() []attribute.KeyValue            { return keyValues(r.span.GetAttributes()) }
func (r *readSpan) DroppedAttributes() int                      { return int(r.span.GetDroppedAttributesCount()) }
func (r *readSpan) DroppedEvents() int                          { return int(r.span.GetDroppedEventsCount()) }
func (r *readSpan) DroppedLinks() int                           { return int(r.span.GetDroppedLinksCount()) }
func (r *readSpan) ChildSpanCount() int                         { return 0 }
func (r *readSpan) Resource() *resource.Resource                { return r.resource }
func (r *readSpan) InstrumentationScope() instrumentation.Scope { return r.scope }

// InstrumentationLibrary is the scope by its former name, which the interface still has.
func (r *readSpan) InstrumentationLibrary() instrumentation.Scope { return r.scope }

func (r *readSpan) Status() sdktrace.Status {
	return sdktrace.Status{Code: code(r.span.GetStatus().GetCode()), Description: r.span.GetStatus().GetMessage()}
}

func (r *readSpan) SpanContext() trace.SpanContext {
	state, _ := trace.ParseTraceState(r.span.GetTraceState()) // one that is not valid is empty
	return spanContext(r.span.GetTraceId(), r.span.GetSpanId(), r.span.GetFlags(), state, false)
}

func (r *readSpan) Parent() trace.SpanContext {
	if len(r.span.GetParentSpanId()) == 0 {
		return trace.SpanContext{}
	}
	return spanContext(r.span.GetTraceId(), r.span.GetParentSpanId(), r.span.GetFlags(), trace.TraceState{},
		isRemote(r.span.GetFlags()))
}

func (r *readSpan) Events() (events []sdktrace.Event) {
	for _, e := range r.span.GetEvents() {
		events = append(events, sdktrace.Event{
			Name: e.GetName(), Time: at(e.GetTimeUnixNano()), Attributes: keyValues(e.GetAttributes()),
			DroppedAttributeCount: int(e.GetDroppedAttributesCount()),
		})
	}
	return events
}

func (r *readSpan) Links() (links []sdktrace.Link) {
	for _, l := range r.span.GetLinks() {
		links = append(links, sdktrace.Link{
			SpanContext: spanContext(l.GetTraceId(), l.GetSpanId(), l.GetFlags(), trace.TraceState{}, isRemote(l.GetFlags())),
			Attributes:  keyValues(l.GetAttributes()), DroppedAttributeCount: int(l.GetDroppedAttributesCount()),
		})
	}
	return links
}

// isRemote reports whether flags say that a parent or a link's span is of another process.
func isRemote(flags uint32) bool {
	return flags&uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK) != 0
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

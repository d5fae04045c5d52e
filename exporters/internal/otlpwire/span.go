// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otlpwire

import (
	"math"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
)

// appendSpan adds a span as a field of its ScopeSpans.
func appendSpan(b []byte, s sdktrace.ReadOnlySpan) []byte {
	b, at := begin(b, 2)
	own, parent, status := s.SpanContext(), s.Parent(), s.Status()
	traceID, spanID := own.TraceID(), own.SpanID()
	b = appendBytes(b, 1, traceID[:])
	b = appendBytes(b, 2, spanID[:])
	if state := own.TraceState(); state.Len() > 0 {
		b = appendText(b, 3, state.String())
	}
	if id := parent.SpanID(); id.IsValid() {
		b = appendBytes(b, 4, id[:])
	}
	b = appendText(b, 5, s.Name())
	b = appendNumber(b, 6, kindOf(s.SpanKind()))
	b = appendTime(b, 7, s.StartTime())
	b = appendTime(b, 8, s.EndTime())
	attributes := s.Attributes()
	for i := range attributes {
		b = appendAttribute(b, 9, &attributes[i])
	}
	b = appendNumber(b, 10, count(s.DroppedAttributes()))
	for _, e := range s.Events() {
		b = appendEvent(b, &e)
	}
	b = appendNumber(b, 12, count(s.DroppedEvents()))
	for _, l := range s.Links() {
		b = appendLink(b, &l)
	}
	b = appendNumber(b, 14, count(s.DroppedLinks()))
	b = appendStatus(b, &status)
	b = appendFlags(b, 16, own.TraceFlags(), parent)
	return end(b, at)
}

func appendEvent(b []byte, e *sdktrace.Event) []byte {
	b, at := begin(b, 11)
	b = appendTime(b, 1, e.Time)
	b = appendText(b, 2, e.Name)
	for i := range e.Attributes {
		b = appendAttribute(b, 3, &e.Attributes[i])
	}
	b = appendNumber(b, 4, count(e.DroppedAttributeCount))
	return end(b, at)
}

func appendLink(b []byte, l *sdktrace.Link) []byte {
	b, at := begin(b, 13)
	traceID, spanID := l.SpanContext.TraceID(), l.SpanContext.SpanID()
	b = appendBytes(b, 1, traceID[:])
	b = appendBytes(b, 2, spanID[:])
	for i := range l.Attributes {
		b = appendAttribute(b, 4, &l.Attributes[i])
	}
	b = appendNumber(b, 5, count(l.DroppedAttributeCount))
	b = appendFlags(b, 6, l.SpanContext.TraceFlags(), l.SpanContext)
	return end(b, at)
}

func appendStatus(b []byte, s *sdktrace.Status) []byte {
	b, at := begin(b, 15)
	b = appendText(b, 2, s.Description)
	switch s.Code {
	case codes.Ok:
		b = appendNumber(b, 3, uint64(tracepb.Status_STATUS_CODE_OK))
	case codes.Error:
		b = appendNumber(b, 3, uint64(tracepb.Status_STATUS_CODE_ERROR))
	}
	return end(b, at)
}

// appendFlags adds the trace's flags, and whether the parent, or what a link leads to, is
// remote.
func appendFlags(b []byte, field protowire.Number, f trace.TraceFlags, other trace.SpanContext) []byte {
	flags := uint32(f) | uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK)
	if other.IsRemote() {
		flags |= uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
	}
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type), flags)
}

// appendTime adds a time; one before 1970 is 1970, which is not written.
func appendTime(b []byte, field protowire.Number, t time.Time) []byte {
	n := t.UnixNano()
	if n <= 0 {
		return b
	}
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), uint64(n))
}

func kindOf(k trace.SpanKind) uint64 {
	switch k {
	case trace.SpanKindInternal:
		return uint64(tracepb.Span_SPAN_KIND_INTERNAL)
	case trace.SpanKindClient:
		return uint64(tracepb.Span_SPAN_KIND_CLIENT)
	case trace.SpanKindServer:
		return uint64(tracepb.Span_SPAN_KIND_SERVER)
	case trace.SpanKindProducer:
		return uint64(tracepb.Span_SPAN_KIND_PRODUCER)
	case trace.SpanKindConsumer:
		return uint64(tracepb.Span_SPAN_KIND_CONSUMER)
	}
	return uint64(tracepb.Span_SPAN_KIND_UNSPECIFIED)
}

// count is how many were dropped, as far as the field can tell.
func count(n int) uint64 { return uint64(min(max(0, n), math.MaxUint32)) }

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package otlpsize tells how many bytes a span takes as OTLP protobuf, without
// encoding it. What it says is never too small, and for usual spans too large by a
// few bytes. It allocates for attributes whose values are lists or maps, since their content
// can only be had as a copy.
package otlpsize

import (
	"math/bits"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// What a message's fields of fixed size take at most, tags included: ids, times, kind,
// flags, and counts of what was dropped.
const (
	spanFixed  = 18 + 10 + 10 + 2*9 + 2 + 3*6 + 6 + 2 + 2
	eventFixed = 9 + 6
	linkFixed  = 18 + 10 + 6 + 6
	countField = 6
	around     = 6 // tag and length of a message as large as they come
)

// Span is the size of a span as a field of its scope.
func Span(s sdktrace.ReadOnlySpan) int {
	status := s.Status()
	n := spanFixed + Text(s.Name()) + Text(status.Description) + 8 + state(s.SpanContext().TraceState()) +
		Attributes(s.Attributes())
	for _, e := range s.Events() {
		n += Event(&e)
	}
	for _, l := range s.Links() {
		n += Link(&l)
	}
	return field(n)
}

// Event is the size of an event as a field of its span.
func Event(e *sdktrace.Event) int {
	return field(eventFixed + Text(e.Name) + Attributes(e.Attributes))
}

// Link is the size of a link as a field of its span.
func Link(l *sdktrace.Link) int { return field(linkFixed + Attributes(l.Attributes)) }

// Scope is the size of a scope with what stands around its spans.
func Scope(s instrumentation.Scope) int {
	return around + field(Text(s.Name)+Text(s.Version)+set(s.Attributes)+countField) + Text(s.SchemaURL)
}

// Resource is the size of a resource with what stands around its scopes. A nil one takes
// next to nothing.
func Resource(r *resource.Resource) int {
	if r == nil {
		return around
	}
	return around + field(set(*r.Set())+countField) + Text(r.SchemaURL())
}

func set(s attribute.Set) int {
	n := 0
	for i := s.Iter(); i.Next(); {
		kv := i.Attribute()
		n += Attribute(&kv)
	}
	return n
}

// Attributes is the size of attributes as fields of what has them.
func Attributes(list []attribute.KeyValue) int {
	n := 0
	for i := range list {
		n += Attribute(&list[i])
	}
	return n
}

// Attribute is the size of one of them.
func Attribute(kv *attribute.KeyValue) int {
	return field(Text(string(kv.Key)) + field(value(kv.Value)))
}

// value is the size of an AnyValue without its own tag and length.
func value(v attribute.Value) int {
	n := 0
	switch v.Type() {
	case attribute.STRING:
		return Text(v.AsString())
	case attribute.STRINGSLICE:
		for _, s := range v.AsStringSlice() {
			n += field(Text(s))
		}
	case attribute.BYTESLICE:
		return field(len(v.AsByteSlice()))
	case attribute.BOOLSLICE:
		n = 4 * len(v.AsBoolSlice())
	case attribute.INT64SLICE:
		n = 13 * len(v.AsInt64Slice())
	case attribute.FLOAT64SLICE:
		n = 11 * len(v.AsFloat64Slice())
	case attribute.SLICE:
		for _, inner := range v.AsSlice() {
			n += field(value(inner))
		}
	case attribute.MAP:
		n = Attributes(v.AsMap())
	default: // a number, a truth value, or none
		return 11
	}
	return field(n)
}

// state is the size of a tracestate.
func state(s trace.TraceState) int {
	if s.Len() == 0 {
		return 0
	}
	n := 0
	s.Walk(func(key, value string) bool {
		n += len(key) + len(value) + 2
		return true
	})
	return field(n)
}

// Text is the size of a string as a field.
func Text(s string) int { return field(len(s)) }

// field is the size of a field of n bytes with its tag and length.
func field(n int) int { return 1 + max(1, (bits.Len(uint(n))+6)/7) + n }

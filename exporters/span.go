// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A Trace is the spans of one trace that a [Ring] still has, in the order in which
// they began. It is the reader's own copy.
type Trace struct {
	ID      string // hex
	Spans   []Span
	Dropped int // spans of it that had to make room for later ones
}

// A Span is one finished span.
type Span struct {
	TraceID, SpanID, ParentID string // hex; ParentID is "" for a root
	RemoteParent              bool   // the parent is another process's
	Name, Kind                string // Kind as OpenTelemetry writes it: "internal", "client"
	Scope                     string // the instrumentation's name
	Start, End                time.Time
	Failed                    bool
	StatusText                string
	Attributes                []Attribute // in the order in which they were set
	Events                    []Event
	Links                     []string // trace id and span id, joined by a dash
}

// An Attribute is one attribute of a [Span], its value as text.
type Attribute struct{ Key, Value string }

// An Event is something that happened during a span.
type Event struct {
	Name       string
	Time       time.Time
	Attributes []Attribute
}

// Attribute is the value of that key; "" if there is none.
func (s *Span) Attribute(key string) string {
	for i := range s.Attributes {
		if s.Attributes[i].Key == key {
			return s.Attributes[i].Value
		}
	}
	return ""
}

// localRoot reports whether the span has no parent in this process.
func (s *Span) localRoot() bool { return s.ParentID == "" || s.RemoteParent }

// view copies what a reader wants to know of s.
func view(s sdktrace.ReadOnlySpan) Span {
	sc, parent := s.SpanContext(), s.Parent()
	v := Span{
		TraceID: sc.TraceID().String(), SpanID: sc.SpanID().String(), RemoteParent: parent.IsRemote(),
		Name: s.Name(), Kind: s.SpanKind().String(), Scope: s.InstrumentationScope().Name,
		Start: s.StartTime(), End: s.EndTime(),
		Failed: s.Status().Code == codes.Error, StatusText: s.Status().Description,
		Attributes: texts(s.Attributes()),
	}
	if parent.SpanID().IsValid() {
		v.ParentID = parent.SpanID().String()
	}
	for _, e := range s.Events() {
		v.Events = append(v.Events, Event{Name: e.Name, Time: e.Time, Attributes: texts(e.Attributes)})
	}
	for _, l := range s.Links() {
		v.Links = append(v.Links, l.SpanContext.TraceID().String()+"-"+l.SpanContext.SpanID().String())
	}
	return v
}

func texts(list []attribute.KeyValue) []Attribute {
	if len(list) == 0 {
		return nil
	}
	out := make([]Attribute, len(list))
	for i, kv := range list {
		out[i] = Attribute{string(kv.Key), kv.Value.String()}
	}
	return out
}

// What a span, an attribute and a text of a list take besides their texts, roughly.
const (
	spanBytes      = 512
	attributeBytes = 64
	textBytes      = 16
)

// size is about how many bytes s keeps alive.
func size(s sdktrace.ReadOnlySpan) int {
	n := spanBytes + len(s.Name()) + len(s.Status().Description) + sizes(s.Attributes())
	for _, e := range s.Events() {
		n += attributeBytes + len(e.Name) + sizes(e.Attributes)
	}
	for _, l := range s.Links() {
		n += attributeBytes + sizes(l.Attributes)
	}
	return n
}

func sizes(list []attribute.KeyValue) int {
	n := 0
	for _, kv := range list {
		n += attributeBytes + len(kv.Key)
		switch kv.Value.Type() {
		case attribute.BOOL, attribute.INT64, attribute.FLOAT64:
		case attribute.STRING:
			n += len(kv.Value.AsString())
		case attribute.STRINGSLICE:
			for _, text := range kv.Value.AsStringSlice() {
				n += textBytes + len(text)
			}
		default:
			n += len(kv.Value.String())
		}
	}
	return n
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A Span is what is drawn of one finished span.
type Span struct {
	TraceID, SpanID, ParentID string // hex; ParentID is "" for a root
	RemoteParent              bool   // the parent is another process's
	Name                      string
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

// View copies what is drawn of s.
func View(s sdktrace.ReadOnlySpan) Span {
	sc, parent := s.SpanContext(), s.Parent()
	v := Span{
		TraceID: sc.TraceID().String(), SpanID: sc.SpanID().String(), RemoteParent: parent.IsRemote(),
		Name: s.Name(), Start: s.StartTime(), End: s.EndTime(),
		Failed: s.Status().Code == codes.Error, StatusText: s.Status().Description,
		Attributes: texts(s.Attributes()),
	}
	if parent.SpanID().IsValid() {
		v.ParentID = parent.SpanID().String()
	}
	for _, e := range s.Events() {
		v.Events = append(v.Events, Event{Name: e.Name, Attributes: texts(e.Attributes)})
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

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A Span is an ended span as the ring keeps it.
type Span struct {
	TraceID, SpanID, ParentID string // hex; ParentID is "" for a root
	Name, Kind                string
	Start, End                time.Time
	Failed                    bool
	StatusText                string
	Attributes                []Attribute // in the order they were set
	Links                     []string    // trace id and span id, joined by a dash
}

// An Attribute is one attribute of a [Span], its value as text.
type Attribute struct{ Key, Value string }

// Attribute is the value of that key; "" if there is none.
func (s *Span) Attribute(key string) string {
	for i := range s.Attributes {
		if s.Attributes[i].Key == key {
			return s.Attributes[i].Value
		}
	}
	return ""
}

func (s *Span) size() int {
	n := 128 + len(s.Name) + len(s.StatusText)
	for _, a := range s.Attributes {
		n += len(a.Key) + len(a.Value) + 32
	}
	return n
}

// A Trace is the spans of one trace that the ring still has, in order of their start.
type Trace struct {
	ID    string
	Spans []Span
}

// maxRingBytes bounds what a ring holds, in bytes, whatever the spans are like.
const maxRingBytes = 32 << 20

// A Ring keeps the last ended spans of the process. It is a span processor, starts no
// goroutine, and is safe for concurrent use. Make one with [NewRing].
type Ring struct {
	mu     sync.Mutex
	spans  []*Span // a circle
	next   int
	bytes  int
	oldest int
	count  int
}

var _ sdktrace.SpanProcessor = (*Ring)(nil)

// NewRing makes a ring for that many spans, at least 1, and at most 32 MiB of them.
func NewRing(spans int) *Ring { return &Ring{spans: make([]*Span, max(1, spans))} }

// OnStart does nothing: a span is kept when it ends.
func (r *Ring) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd keeps the span if it is sampled.
func (r *Ring) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	kept := newSpan(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == len(r.spans) {
		r.drop()
	}
	r.spans[r.next] = kept
	r.next = (r.next + 1) % len(r.spans)
	r.count++
	r.bytes += kept.size()
	for r.bytes > maxRingBytes && r.count > 1 {
		r.drop()
	}
}

func (r *Ring) drop() {
	r.bytes -= r.spans[r.oldest].size()
	r.spans[r.oldest] = nil
	r.oldest = (r.oldest + 1) % len(r.spans)
	r.count--
}

// Shutdown does nothing: what is kept can still be read.
func (r *Ring) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing.
func (r *Ring) ForceFlush(context.Context) error { return nil }

// Trace is the trace of that id, in hex; ok is false if no span of it is kept.
func (r *Ring) Trace(id string) (t Trace, ok bool) {
	for _, t := range r.Traces() {
		if t.ID == id {
			return t, true
		}
	}
	return Trace{}, false
}

// Traces lists what is kept, in the order in which the traces' last spans ended. The
// spans are copies. A nil ring has none.
func (r *Ring) Traces() []Trace {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	byID := make(map[string]int)
	var traces []Trace
	for i := range r.count {
		s := r.spans[(r.oldest+i)%len(r.spans)]
		at, ok := byID[s.TraceID]
		if !ok {
			at = len(traces)
			byID[s.TraceID] = at
			traces = append(traces, Trace{ID: s.TraceID})
		}
		traces[at].Spans = append(traces[at].Spans, *s)
	}
	for i := range traces {
		slices.SortStableFunc(traces[i].Spans, func(a, b Span) int { return a.Start.Compare(b.Start) })
	}
	slices.SortStableFunc(traces, func(a, b Trace) int { return a.ended().Compare(b.ended()) })
	return traces
}

func (t *Trace) ended() (end time.Time) {
	for i := range t.Spans {
		if t.Spans[i].End.After(end) {
			end = t.Spans[i].End
		}
	}
	return end
}

func newSpan(s sdktrace.ReadOnlySpan) *Span {
	k := &Span{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
		Name: s.Name(), Kind: s.SpanKind().String(), Start: s.StartTime(), End: s.EndTime(),
		Failed: s.Status().Code == codes.Error, StatusText: s.Status().Description,
	}
	if s.Parent().SpanID().IsValid() {
		k.ParentID = s.Parent().SpanID().String()
	}
	for _, a := range s.Attributes() {
		k.Attributes = append(k.Attributes, Attribute{string(a.Key), a.Value.String()})
	}
	for _, l := range s.Links() {
		k.Links = append(k.Links, l.SpanContext.TraceID().String()+"-"+l.SpanContext.SpanID().String())
	}
	return k
}

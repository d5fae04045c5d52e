// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

// A Spec makes of the span of one call what a protocol wants of it, so that one
// span tells both: a call that came by the Model Context Protocol is a span
// `tools/call {name}` of kind SERVER. The zero value changes nothing. It is for one
// call: see [With].
type Spec struct {
	// Operation stands in the span's name before the tool's; "" is "execute_tool".
	// There must be few different ones.
	Operation string
	// Side is the side that this process is on for the call; "" is the agent's. There must be few different ones.
	Side string
	// Kind is the span's kind; unspecified is INTERNAL.
	Kind trace.SpanKind
	// Attributes are set when the span starts, so that samplers see them. They pass
	// no redactor here: the caller has redacted them.
	Attributes []attribute.KeyValue
	// Links are the span's links.
	Links []trace.Link
	// Adopt is a span that a framework has started for the call. It becomes the call's span: no other is
	// started, its name, kind and end stay the framework's. nil, or one that does not record, is none.
	// Make it with [Adopting].
	Adopt trace.Span
	// AdoptFrom is the provider of Adopt. It is asked by [Adopting], so that programs without an adapter do not
	// link what providers can do.
	AdoptFrom trace.TracerProvider
	// NewRoot starts a new trace, whatever the context says.
	NewRoot bool
	// Start is when the call began, for [toolkit.BeginAt]; zero is now.
	Start time.Time
	// Continues says that this is not the first part of a call that has spans for several: it is not counted as
	// another call of the agent's.
	Continues bool
	// Uncounted reports whether the call that ended is left out of the metrics, as a part of one that goes on;
	// [Observer.RecordCall] can make up for it. nil leaves out none. It must not keep e.
	Uncounted func(e *toolkit.Ended) bool
	// End is asked when the call ends, whether its span records or not; nil says
	// nothing. ctx and e are not kept.
	End func(ctx context.Context, e *toolkit.Ended) End

	taken atomic.Bool
}

// A End is what a protocol says of a call that has ended. The zero value says
// nothing.
type End struct {
	// Attributes are added to the span.
	Attributes []attribute.KeyValue
	// Success says that by the protocol the operation did not fail, whatever became
	// of the call: the span has no error.type, and its status stays unset.
	Success bool
	// ErrorType is the span's error.type; "" leaves the call's.
	ErrorType string
}

type specKey struct{}

// specs tells whether any context was given a spec in this process: where none was, contexts
// are not searched for one.
var specs atomic.Bool

// With returns a context with which the next call that begins has a span made
// by s. Calls that begin inside that call have their usual spans.
func With(ctx context.Context, s *Spec) context.Context {
	specs.Store(true)
	return context.WithValue(ctx, specKey{}, s)
}

// Take is the spec of a call that begins, nil if it has none, and the context
// that the call goes on with.
func Take(ctx context.Context) (context.Context, *Spec) {
	s := From(ctx)
	if s == nil || !s.taken.Swap(true) {
		return ctx, s
	}
	return context.WithValue(ctx, specKey{}, (*Spec)(nil)), nil // an outer call's
}

// From is what the span of the innermost call that ctx belongs to was made by; nil if
// it is a usual one.
func From(ctx context.Context) *Spec {
	if !specs.Load() {
		return nil
	}
	s, _ := ctx.Value(specKey{}).(*Spec)
	return s
}

// StartOptions are what the spec adds to a span that starts.
func (s *Spec) StartOptions(start []trace.SpanStartOption) []trace.SpanStartOption {
	start = append(start[:len(start):len(start)], trace.WithAttributes(s.Attributes...))
	if len(s.Links) > 0 {
		start = append(start, trace.WithLinks(s.Links...))
	}
	if s.NewRoot {
		start = append(start, trace.WithNewRoot())
	}
	if !s.Start.IsZero() {
		start = append(start, trace.WithTimestamp(s.Start))
	}
	return start
}

// Adopting is a spec whose call's span is one that a framework has started.
func Adopting(span trace.Span) *Spec { return &Spec{Adopt: span, AdoptFrom: span.TracerProvider()} }

// Adopted is the span of a framework that is the call's own; nil if there is none. It works on nil.
func (s *Spec) Adopted() trace.Span {
	if s == nil || s.Adopt == nil || !s.Adopt.IsRecording() {
		return nil
	}
	return s.Adopt
}

// AtEnd is what the protocol says of a call that has ended. It works on nil.
func (s *Spec) AtEnd(ctx context.Context, e *toolkit.Ended) End {
	if s == nil || s.End == nil {
		return End{}
	}
	return s.End(ctx, e)
}

// Counts reports whether metrics are made of the call that ended. It works on nil.
func (s *Spec) Counts(e *toolkit.Ended) bool {
	return s == nil || s.Uncounted == nil || !s.Uncounted(e)
}

// ErrorTypeOf is error.type of the call's span.
func (s *End) ErrorTypeOf(e *toolkit.Ended) string {
	switch {
	case s.Success:
		return ""
	case s.ErrorType != "":
		return s.ErrorType
	}
	return e.ErrorType
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// A SpanSpec makes of the span of one call what a protocol wants of it, so that one
// span tells both: a call that came by the Model Context Protocol is a span
// `tools/call {name}` of kind SERVER. The zero value changes nothing. It is for one
// call: see [WithSpanSpec].
type SpanSpec struct {
	// Operation stands in the span's name before the tool's; "" is "execute_tool".
	// There must be few different ones.
	Operation string
	// Side is the side that this process is on for the call; "" is [SideAgent]. There must be few different ones.
	Side string
	// Kind is the span's kind; unspecified is INTERNAL.
	Kind trace.SpanKind
	// Attributes are set when the span starts, so that samplers see them. They pass
	// no redactor here: whoever sets them has seen to that.
	Attributes []attribute.KeyValue
	// Links are the span's links.
	Links []trace.Link
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
	End func(ctx context.Context, e *toolkit.Ended) SpanEnd

	taken atomic.Bool
}

// A SpanEnd is what a protocol says of a call that has ended. The zero value says
// nothing.
type SpanEnd struct {
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

// WithSpanSpec returns a context with which the next call that begins has a span made
// by s. Calls that begin inside that call have their usual spans.
func WithSpanSpec(ctx context.Context, s *SpanSpec) context.Context {
	specs.Store(true)
	return context.WithValue(ctx, specKey{}, s)
}

// takeSpec is the spec of a call that begins, nil if it has none, and the context
// that the call goes on with.
func takeSpec(ctx context.Context) (context.Context, *SpanSpec) {
	s := SpecOf(ctx)
	if s == nil || !s.taken.Swap(true) {
		return ctx, s
	}
	return context.WithValue(ctx, specKey{}, (*SpanSpec)(nil)), nil // an outer call's
}

// SpecOf is what the span of the innermost call that ctx belongs to was made by; nil if
// it is a usual one.
func SpecOf(ctx context.Context) *SpanSpec {
	if !specs.Load() {
		return nil
	}
	s, _ := ctx.Value(specKey{}).(*SpanSpec)
	return s
}

// options are what the spec adds to a span that starts.
func (s *SpanSpec) options(start []trace.SpanStartOption) []trace.SpanStartOption {
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

// end is what the protocol says of a call that has ended. It works on nil.
func (s *SpanSpec) end(ctx context.Context, e *toolkit.Ended) SpanEnd {
	if s == nil || s.End == nil {
		return SpanEnd{}
	}
	return s.End(ctx, e)
}

// counts reports whether metrics are made of the call that ended. It works on nil.
func (s *SpanSpec) counts(e *toolkit.Ended) bool {
	return s == nil || s.Uncounted == nil || !s.Uncounted(e)
}

// RecordCall records the metrics of a call that [SpanSpec.Uncounted] left out, and that turned out to be one. s is
// the call's; nil is a usual one.
func (o *Observer) RecordCall(ctx context.Context, s *SpanSpec, e *toolkit.Ended) {
	if o.metrics.enabled(ctx) {
		o.metrics.record(ctx, o.tools.find(&e.Info, s), e, o.types.Export(e.ErrorType))
	}
}

// errorType is error.type of the call's span.
func (s *SpanEnd) errorType(e *toolkit.Ended) string {
	switch {
	case s.Success:
		return ""
	case s.ErrorType != "":
		return s.ErrorType
	}
	return e.ErrorType
}

// ShareCalls makes [OuterCall] find the calls that begin from now on, which costs each
// of them an allocation. Whoever wants to add to the spans of calls asks for it once.
func (o *Observer) ShareCalls() { o.shared.Store(true) }

// outerContext is a context with the call it belongs to.
type outerContext struct {
	context.Context
	span trace.Span
	tool *toolkit.Definition
}

type outerKey struct{}

func (c *outerContext) Value(key any) any {
	if key == (outerKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// OuterCall is the span of the innermost call that ctx belongs to, and its tool, nil
// if that is not registered. ok is false if there is none, or none that is shared
// ([Observer.ShareCalls]).
func OuterCall(ctx context.Context) (span trace.Span, tool *toolkit.Definition, ok bool) {
	c, ok := ctx.Value(outerKey{}).(*outerContext)
	if !ok {
		return nil, nil, false
	}
	return c.span, c.tool, true
}

// TracerProvider is where the observer's spans go.
func (o *Observer) TracerProvider() trace.TracerProvider { return o.tracers }

// MeterProvider is where the observer's metrics go.
func (o *Observer) MeterProvider() metric.MeterProvider { return o.meters }

// PropagatesNothing reports whether [Observer.Inject] writes nothing, as by the global
// propagator of a host that set none.
func (o *Observer) PropagatesNothing() bool { return len(o.propagators.Fields()) == 0 }

// Redactor is what everything passes before it leaves.
func (o *Observer) Redactor() *redact.Redactor { return o.redactor }

// Limits are how much of a value goes onto a span, in bytes; 0 is no limit.
func (o *Observer) Limits() Limits { return o.limits }

// ErrorText is an error's text as the status of a span carries it, redacted and cut; ""
// for a nil error, and where [Options].NoErrorText is set.
func (o *Observer) ErrorText(err error) string {
	if err == nil || !o.errorText {
		return ""
	}
	return o.text(errorText(err), o.limits.Error)
}

// Identifier is a name or an id as spans carry it, redacted, valid UTF-8 and at most 256
// bytes long.
func (o *Observer) Identifier(s string) string { return o.identifier(s) }

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// An Observer is what tracing.Observer does for the packages of protocols: see its method Protocol.
type Observer interface {
	// TracerProvider is where the observer's spans go.
	TracerProvider() trace.TracerProvider
	// MeterProvider is where the observer's metrics go.
	MeterProvider() metric.MeterProvider
	// Redactor is what all exported data passes.
	Redactor() *redact.Redactor
	// ShareCalls makes [OuterCall] find the calls that begin from now on, which costs each
	// of them an allocation. A package that adds to the spans of calls asks for it once.
	ShareCalls()
	// RecordCall records the metrics of a call that [Spec.Uncounted] left out, and that turned out to be
	// one. s is the call's; nil is a usual one.
	RecordCall(ctx context.Context, s *Spec, e *toolkit.Ended)
	// PropagatesNothing reports whether Inject writes nothing, as by the global
	// propagator of an application that set none.
	PropagatesNothing() bool
	// ErrorText is an error's text as the status of a span carries it, redacted and cut; ""
	// for a nil error, and where tracing.Options.NoErrorText is set.
	ErrorText(err error) string
	// ErrorType returns the value of error.type that is exported for v: v itself if it is a kind of package
	// toolkit or a short identifier that the redactor leaves unchanged, else [toolkit.TypeOther]. Besides the
	// kinds an observer exports 64 values at most; that of a nil observer exports the kinds only.
	ErrorType(v string) string
	// Identifier is a name or an id as spans carry it, redacted, valid UTF-8 and at most 256
	// bytes long.
	Identifier(s string) string
}

// A Call is a context with the call it belongs to.
type Call struct {
	context.Context
	Span trace.Span
	Tool *toolkit.Definition
}

type outerKey struct{}

// Value finds the call itself, or a value of the context around it.
func (c *Call) Value(key any) any {
	if key == (outerKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// OuterCall is the span of the innermost call that ctx belongs to, and its tool, nil
// if that is not registered. ok is false if there is none, or none that is shared
// ([Observer.ShareCalls]).
func OuterCall(ctx context.Context) (span trace.Span, tool *toolkit.Definition, ok bool) {
	c, ok := ctx.Value(outerKey{}).(*Call)
	if !ok {
		return nil, nil, false
	}
	return c.Span, c.Tool, true
}

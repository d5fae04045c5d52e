// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// told is a kept span that says in its own context what was decided after it began.
type told struct {
	sdktrace.ReadOnlySpan
	context trace.SpanContext
}

// SpanContext is the span's context with the flag and the threshold of the decision.
func (t *told) SpanContext() trace.SpanContext { return t.context }

// markSpan is s as it is passed on: what matters has the threshold it came with, since
// nothing was left out, and what was not sampled before is sampled now, for certain; the others
// have the larger one of theirs and the decision's. An unknown threshold stays unknown.
func (r *release) markSpan(s sdktrace.ReadOnlySpan) sdktrace.ReadOnlySpan {
	c := s.SpanContext()
	state := c.TraceState()
	switch {
	case r.matters && c.IsSampled():
		return s
	case r.matters:
		state = withThreshold(state, always, true)
	default:
		before := samplingOf(c.TraceID(), state)
		if !before.known || r.threshold <= before.threshold {
			return s
		}
		state = withThreshold(state, r.threshold, true)
	}
	return &told{s, c.WithTraceState(state).WithTraceFlags(c.TraceFlags() | trace.FlagsSampled)}
}

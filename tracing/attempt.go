// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

var _ toolkit.AttemptObserver = (*Observer)(nil)

// attemptSpan is the name of an attempt's span; the tool is an attribute, so that
// the call's own span stays the only one of its name, and one of toolscope's, so that it
// stays the only one that backends count as a tool call.
const attemptSpan = "toolscope.attempt"

// BeginAttempt makes a child span of one attempt of a retried call, with its number
// and, if it failed, its error type and redacted error text. Where the call's span
// is not recorded there is none.
func (o *Observer) BeginAttempt(
	ctx context.Context, call toolkit.Call, start time.Time,
) (context.Context, func(toolkit.Result, error)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, nil
	}
	attributes := []attribute.KeyValue{keyAttempt.Int(int(call.Attempt))}
	if tool := call.Record.Info().Tool; tool != nil {
		attributes = append(attributes, keyRunTool.String(o.names.cleanName(tool.Name, o.clean)))
	}
	options := []trace.SpanStartOption{trace.WithAttributes(attributes...)}
	if !start.IsZero() {
		options = append(options, trace.WithTimestamp(start))
	}
	ctx, span := o.tracer.Start(ctx, attemptSpan, options...)
	return ctx, func(res toolkit.Result, err error) {
		defer span.End()
		if err == nil {
			err = res.Fault
		}
		if err == nil {
			return
		}
		span.SetAttributes(keyErrorType.String(o.types.Export(toolkit.TypeOf(err))))
		o.setFailed(span, call.Name, err)
	}
}

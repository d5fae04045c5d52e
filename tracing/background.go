// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

var _ toolkit.BackgroundObserver = (*Observer)(nil)

// BeginBackground makes a span of a run of a tool that no call waits for, with what policies tell of
// it and, if it failed, its error type and redacted error text. It begins a trace of its own, as it may begin
// and end after the call's, with a link to the span of the call that caused it. Its name is
// toolscope and what it is: "toolscope.renewal". It is in no metric, and no tool call for
// backends: no model asked for it.
func (o *Observer) BeginBackground(
	ctx context.Context, call toolkit.Call, what string,
) (context.Context, func(toolkit.Result, error)) {
	facts := call.Record.Info()
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithAttributes(o.whose(&facts)...)}
	if facts.Span.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: spanContext(facts.Span)}))
	}
	ctx, span := o.tracer.Start(ctx, prefix+what, options...)
	return ctx, func(res toolkit.Result, err error) {
		defer span.End()
		if !span.IsRecording() {
			return
		}
		served := call.Record.Disposition()
		span.SetAttributes(keyOutcome.String(served.Outcome.String()))
		for _, t := range served.Tags {
			span.SetAttributes(o.tags.key(t.Key).String(o.identifier(t.Value)))
		}
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

// whose says of which tool and session something is.
func (o *Observer) whose(f *toolkit.CallInfo) (list []attribute.KeyValue) {
	if f.Tool != nil {
		list = append(list, keyRunTool.String(o.names.cleanName(f.Tool.Name, o.clean)))
	}
	if f.Session == nil {
		return list
	}
	for _, a := range []struct {
		key   attribute.Key
		value string
	}{{keySession, f.Session.ID}, {keyTenant, f.Session.Tenant}} {
		if a.value != "" {
			list = append(list, a.key.String(o.names.cleanName(a.value, o.clean)))
		}
	}
	return list
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"testing"

	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestNoProviderCostsNoAllocation asserts that a watched call allocates nothing where the
// application's provider makes no spans.
func TestNoProviderCostsNoAllocation(t *testing.T) {
	execute := toolkit.Observe(lookupT, silent(t))(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "ok"}, nil
	})
	call, ctx := toolkit.Call{ID: "1", Name: "t", Arguments: []byte(`{}`)}, context.Background()
	if got := testing.AllocsPerRun(1000, func() { _, _ = execute(ctx, call) }); got > 0 {
		t.Errorf("a watched call allocates %v times, want 0", got)
	}
}

// TestNoProviderLeavesOuterSpansAlone: where the application's provider makes no spans, a span of
// another provider in the caller's context is neither described, nor ended, nor shown to the
// tool as one that records; that of a remote caller goes on.
func TestNoProviderLeavesOuterSpansAlone(t *testing.T) {
	others := tracetest.NewSpanRecorder()
	recording, outer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(others)).Tracer("host").Start(t.Context(), "outer")
	remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2},
		TraceFlags: trace.FlagsSampled, Remote: true})
	for name, tt := range map[string]struct {
		ctx  context.Context
		want trace.SpanContext
	}{
		"no span":                   {t.Context(), trace.SpanContext{}},
		"a recording span":          {recording, outer.SpanContext()},
		"a remote caller's":         {trace.ContextWithSpanContext(t.Context(), remote), remote},
		"a span that is turned off": {trace.ContextWithSpan(t.Context(), tracenoop.Span{}), trace.SpanContext{}},
	} {
		t.Run(name, func(t *testing.T) {
			execute := toolkit.Observe(lookupT, silent(t))(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				span := trace.SpanFromContext(ctx)
				if span.IsRecording() || !span.SpanContext().Equal(tt.want) {
					t.Errorf("the tool got a span that records (%v) of %v, want none that does, of %v", span.IsRecording(),
						span.SpanContext(), tt.want)
				}
				if got := call.Record.Info().Span; got.TraceID != tt.want.TraceID() || got.SpanID != tt.want.SpanID() {
					t.Errorf("the record has the span %v, want %v", got, tt.want)
				}
				return toolkit.Result{Output: "ok"}, nil
			})
			if _, err := execute(tt.ctx, toolkit.Call{Name: "t"}); err != nil {
				t.Fatal(err)
			}
			if s := others.Started()[0]; len(others.Ended()) != 0 || len(s.Attributes()) != 0 {
				t.Errorf("the application's span has ended (%d) or has attributes: %v", len(others.Ended()), s.Attributes())
			}
		})
	}
}

var definitionT = &toolkit.Definition{Name: "t"}

func lookupT(string) *toolkit.Definition { return definitionT }

// silent is an observer over providers that do nothing.
func silent(t *testing.T) *tracing.Observer {
	t.Helper()
	observer, err := tracing.New(tracing.Options{TracerProvider: tracenoop.NewTracerProvider(),
		MeterProvider: metricnoop.NewMeterProvider(), Content: tracing.ContentOn})
	if err != nil {
		t.Fatal(err)
	}
	return observer
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"testing"

	metricnoop "go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestNoProviderCostsOneAllocation asserts that a watched call allocates what the
// API's no-op provider does, and nothing of ours.
func TestNoProviderCostsOneAllocation(t *testing.T) {
	observer, err := tracing.New(tracing.WithTracerProvider(tracenoop.NewTracerProvider()), tracing.WithMeterProvider(metricnoop.NewMeterProvider()), tracing.WithContent(tracing.ContentOn))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	tracer := tracenoop.NewTracerProvider().Tracer("x")
	bare := testing.AllocsPerRun(1000, func() {
		_, span := tracer.Start(ctx, "x")
		span.End()
	})
	def := &toolkit.Definition{Name: "t"}
	execute := toolkit.Observe(func(string) *toolkit.Definition { return def }, observer)(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "ok"}, nil
	})
	call := toolkit.Call{ID: "1", Name: "t", Arguments: []byte(`{}`)}
	wrapped := testing.AllocsPerRun(1000, func() { _, _ = execute(ctx, call) })
	if wrapped > bare {
		t.Errorf("a watched call allocates %v times, the provider alone %v: want no more", wrapped, bare)
	}
}

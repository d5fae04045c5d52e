// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

// Traces without an error are left out, those with one are kept as a whole.
func Example() {
	exporter := tracetest.NewInMemoryExporter()
	sampler, err := tailsample.New(sdktrace.NewSimpleSpanProcessor(exporter), tailsample.Options{Ratio: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(tailsample.Head()), sdktrace.WithSpanProcessor(sampler))
	tracer := provider.Tracer("example")

	for _, status := range []codes.Code{codes.Unset, codes.Error, codes.Unset} {
		ctx, turn := tracer.Start(context.Background(), "turn")
		_, call := tracer.Start(ctx, "execute_tool search")
		call.SetStatus(status, "")
		call.End()
		turn.End()
	}
	for _, s := range exporter.GetSpans() {
		fmt.Println(s.Name, s.Status.Code, s.SpanContext.TraceState())
	}
	stats := sampler.Stats()
	fmt.Println("mattered:", stats.Mattered, "left out:", stats.LeftOut)
	// Output:
	// execute_tool search Error ot=th:0
	// turn Unset ot=th:0
	// mattered: 1 left out: 2
}

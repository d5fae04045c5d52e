// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// printing is a provider whose spans are printed when they begin; a program has the SDK's.
type printing struct{ noop.TracerProvider }

func (printing) Tracer(string, ...trace.TracerOption) trace.Tracer { return printer{} }

type printer struct{ noop.Tracer }

func (p printer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	fmt.Println(name)
	return p.Tracer.Start(ctx, name, options...)
}

func ExampleNew() {
	observer, err := tracing.New(tracing.Options{TracerProvider: printing{}, Content: tracing.ContentOn})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := new(toolkit.Registry)
	_ = registry.Register(toolkit.NewTool(toolkit.Definition{
		Name: "greet", Description: "Greets.",
	}, func(_ context.Context, in struct{ Name string }) (string, error) {
		return "hello " + in.Name, nil
	}))
	execute := toolkit.Observe(registry.Lookup, observer)(registry.Handle)

	ctx, run := observer.StartAgent(context.Background(), tracing.Agent{Name: "planner"})
	_, _ = execute(ctx, toolkit.Call{ID: "call_1", Name: "greet", Arguments: []byte(`{"name":"Ada"}`)})
	run.End(nil)
	// Output:
	// invoke_agent planner
	// execute_tool greet
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

func ExampleNew() {
	spans := tracetest.NewSpanRecorder() // in a program: exporters.Setup, or the host's provider
	observer, err := tracing.New(tracing.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
		Content:        tracing.ContentOn})
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
	_, _ = execute(ctx, toolkit.Call{ID: "call_1", Name: "greet", Arguments: []byte(`{"name":"Ada","password":"s3cret-0"}`)})
	run.End(nil)

	for _, span := range spans.Ended() {
		fmt.Println(span.Name())
	}
	for _, kv := range spans.Ended()[0].Attributes() {
		if kv.Key == "gen_ai.tool.call.arguments" || kv.Key == "gen_ai.tool.call.result" {
			fmt.Println(kv.Key, kv.Value.String())
		}
	}
	// Output:
	// execute_tool greet
	// invoke_agent planner
	// gen_ai.tool.call.arguments {"name":"Ada","password":"[REDACTED:passwd]"}
	// gen_ai.tool.call.result hello Ada
}

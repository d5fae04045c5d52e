// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/workflow"
)

// The span of a workflow's tool has one of its run, and that has those of its steps; runs have a histogram.
func TestSpansOfAWorkflow(t *testing.T) {
	spans, reader := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer scope.Shutdown(t.Context())
	registry := new(toolkit.Registry)
	if err := registry.Register(tooltest.Echo(toolkit.Definition{Name: "echo"}),
		tooltest.Failing(toolkit.Definition{Name: "fail"}, toolkit.ErrTool)); err != nil {
		t.Fatal(err)
	}
	handle := scope.WrapRegistry(registry)
	set, err := workflow.New(workflow.Options{Handler: handle, Tools: registry, Scope: scope,
		Definitions: map[string]workflow.Definition{
			"outer": {Steps: []workflow.Step{{ID: "a", Call: "echo"}, {ID: "b", Call: "inner", OnError: workflow.Skip}}},
			"inner": {Steps: []workflow.Step{{ID: "c", Call: "fail"}}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Register(set.Tools()...); err != nil {
		t.Fatal(err)
	}
	if res, err := handle(t.Context(), toolkit.Call{ID: "model", Name: "outer"}); err != nil || res.Fault != nil {
		t.Fatal(err, res.Fault)
	}
	names := map[trace.SpanID]string{}
	for _, s := range spans.Ended() {
		names[s.SpanContext().SpanID()] = s.Name()
	}
	var got []string
	run := set.Workflows()[1].LastRuns[0].ID
	for _, s := range spans.Ended() {
		about := ""
		for _, a := range s.Attributes() {
			switch a.Key {
			case "gen_ai.workflow.name", "error.type", "gen_ai.operation.name":
				about += " " + a.Value.AsString()
			case "gen_ai.tool.call.id":
				if strings.HasPrefix(a.Value.AsString(), run) {
					about += " " + strings.TrimPrefix(a.Value.AsString(), run)
				}
			}
		}
		got = append(got, fmt.Sprintf("%s > %s:%s", names[s.Parent().SpanID()], s.Name(), about))
	}
	slices.Sort(got)
	want := []string{
		" > execute_tool outer: execute_tool",
		"execute_tool inner > invoke_workflow inner: invoke_workflow inner tool_error",
		"execute_tool outer > invoke_workflow outer: invoke_workflow outer",
		"invoke_workflow inner > execute_tool fail: execute_tool tool_error",
		"invoke_workflow outer > execute_tool echo: execute_tool /a",
		"invoke_workflow outer > execute_tool inner: execute_tool /b tool_error",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &metrics); err != nil {
		t.Fatal(err)
	}
	for _, s := range metrics.ScopeMetrics {
		for _, m := range s.Metrics {
			if h, ok := m.Data.(metricdata.Histogram[float64]); ok && m.Name == "gen_ai.invoke_workflow.duration" &&
				len(h.DataPoints) == 2 {
				return
			}
		}
	}
	t.Error("got no histogram of runs with two series")
}

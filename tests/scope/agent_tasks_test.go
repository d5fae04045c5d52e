// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tracing"
)

// TestSpansOfTasksHaveTheirNames: each task of a sub-agent has a span with its name, below that of the call, with the
// spans of its own calls below, and limits of its own.
func TestSpansOfTasksHaveTheirNames(t *testing.T) {
	scope, spans := newScope(t, toolscope.Options{})
	registry := new(toolkit.Registry)
	handle := scope.WrapRegistry(registry)
	model := agent.Model(func(ctx context.Context, r agent.Request) (agent.Reply, error) {
		name := agent.TaskName(ctx)
		if len(r.Messages) > 1 && name != "endless" {
			return agent.Reply{Text: "done"}, nil
		}
		look := toolkit.Call{ID: "1", Name: "look", Arguments: json.RawMessage(`{"at":"` + name + `"}`)}
		return agent.Reply{Calls: []toolkit.Call{look}}, nil
	})
	delegate, err := agent.New(model, agent.Options{Handler: handle, Tools: registry,
		Start: func(ctx context.Context, name string) (context.Context, agent.Run) {
			return scope.StartAgent(ctx, tracing.Agent{Name: name, Description: agent.TaskName(ctx)})
		}})
	if err != nil {
		t.Fatal(err)
	}
	look := toolkit.NewTool(toolkit.Definition{Name: "look"}, func(context.Context, struct{ At string }) (string, error) {
		return "seen", nil
	})
	if err := registry.Register(look, delegate); err != nil {
		t.Fatal(err)
	}
	if _, err := handle(t.Context(), toolkit.Call{Name: "agent_delegate", Arguments: json.RawMessage(`{"tasks":[
		{"name":"tests","instruction":"a"}, {"name":"endless","instruction":"b"}, {"name":"barred","instruction":"c","tools":[]}
	]}`)}); err != nil {
		t.Fatal(err)
	}
	var call sdktrace.ReadOnlySpan
	tasks := map[trace.SpanID]string{}
	runs := map[string]string{} // by the task's name: its error.type
	for _, s := range spans.Ended() {
		switch s.Name() {
		case "execute_tool agent_delegate":
			call = s
		case "invoke_agent sub-agent":
			name := attributeOf(s, "gen_ai.agent.description")
			tasks[s.SpanContext().SpanID()] = name
			runs[name] = attributeOf(s, "error.type")
		}
	}
	want := map[string]string{"tests": "", "endless": "budget_exceeded", "barred": ""}
	if !maps.Equal(runs, want) {
		t.Errorf("tasks and their error.type: got %v, want %v", runs, want)
	}
	looks := map[string]int{} // spans of the tool by the task that they are below
	for _, s := range spans.Ended() {
		if tasks[s.SpanContext().SpanID()] != "" && s.Parent().SpanID() != call.SpanContext().SpanID() {
			t.Errorf("%s: is not below the call", s.Name())
		}
		if s.Name() == "execute_tool look" {
			looks[tasks[s.Parent().SpanID()]]++
		}
	}
	// Three turns at most, of which the last may not call tools; a task that may use no tool has no call that ran.
	if looks["tests"] != 1 || looks["endless"] != 2 || looks["barred"] != 0 || looks[""] != 0 {
		t.Errorf("calls by task: got %v", looks)
	}
}

// attributeOf is an attribute of a span as a text; "" if it has none.
func attributeOf(s sdktrace.ReadOnlySpan, key string) string {
	for _, a := range s.Attributes() {
		if string(a.Key) == key {
			return a.Value.String()
		}
	}
	return ""
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// exported is what arrives at an exporter, by the spans' names, of a successful and a failed call in an agent's run.
func exported(t *testing.T, o Options) map[string]sdktrace.ReadOnlySpan {
	t.Helper()
	memory := tracetest.NewInMemoryExporter()
	o.Exporters = []sdktrace.SpanExporter{memory}
	o.RingSpans = -1
	p, err := Setup(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{TracerProvider: p.TracerProvider, Content: tracing.ContentOn})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	for name, handle := range map[string]func(context.Context, toolkit.Call) (toolkit.Result, error){
		"echo": func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: `{"said":"hello"}`}, nil
		},
		"fail": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "password=hunter2hunter2", Fault: errors.New("disk is full")}, nil
		},
	} {
		tool := toolkit.ToolFunc(toolkit.Definition{Name: name, Description: "says it"}, handle)
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	call := scope.WrapRegistry(registry)
	ctx, run := scope.StartAgent(t.Context(), tracing.Agent{Name: "planner", Session: "s-1", Prompt: "say hello"})
	for _, name := range []string{"echo", "fail"} {
		arguments := json.RawMessage(`{"text":"hello","password":"hunter2hunter2"}`)
		_, _ = call(ctx, toolkit.Call{ID: "call-" + name, Name: name, Arguments: arguments})
	}
	_, other := p.TracerProvider.Tracer("other").Start(ctx, "other")
	other.SetAttributes(attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "x"))
	other.End()
	run.End(nil)
	var stubs tracetest.SpanStubs
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	stubs = memory.GetSpans()
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := make(map[string]sdktrace.ReadOnlySpan)
	for _, s := range stubs.Snapshots() {
		spans[s.Name()] = s
	}
	return spans
}

func value(s sdktrace.ReadOnlySpan, key string) (string, int) {
	got, n := "", 0
	for _, a := range s.Attributes() {
		if string(a.Key) == key {
			got, n = a.Value.String(), n+1
		}
	}
	return got, n
}

// TestDialects: what is sent has the attributes of each dialect, redacted, and those of the conventions.
func TestDialects(t *testing.T) {
	const arguments = `{"text":"hello","password":"[REDACTED:passwd]"}`
	const prompt = `[{"role":"user","parts":[{"type":"text","content":"say hello"}]}]`
	for name, want := range map[string]map[string]map[string]string{
		"openinference": {
			"execute_tool echo": {"openinference.span.kind": "TOOL", "tool.name": "echo", "tool.description": "says it",
				"tool_call.id": "call-echo", "tool.parameters": arguments, "input.value": arguments,
				"input.mime_type": "application/json", "output.value": `{"said":"hello"}`,
				"output.mime_type": "application/json", "agent.name": "planner", "session.id": "s-1"},
			"execute_tool fail": {"openinference.span.kind": "TOOL", "output.value": "password=[REDACTED:passwd]",
				"output.mime_type": "text/plain"},
			"invoke_agent planner": {"openinference.span.kind": "AGENT", "agent.name": "planner", "input.value": prompt},
		},
		"langfuse": {
			"execute_tool echo": {"langfuse.observation.type": "tool", "langfuse.observation.input": arguments,
				"langfuse.observation.output": `{"said":"hello"}`, "langfuse.session.id": "s-1"},
			"execute_tool fail":    {"langfuse.observation.output": "password=[REDACTED:passwd]"},
			"invoke_agent planner": {"langfuse.observation.type": "agent", "langfuse.observation.input": prompt},
		},
		"langsmith": {
			"execute_tool echo": {"langsmith.span.kind": "tool", "gen_ai.prompt": arguments,
				"gen_ai.completion": `{"said":"hello"}`, "langsmith.metadata.session_id": "s-1"},
			"execute_tool fail":    {"gen_ai.completion": "password=[REDACTED:passwd]"},
			"invoke_agent planner": {"langsmith.span.kind": "chain"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spans := exported(t, Options{Dialects: []string{name}})
			plain := exported(t, Options{})
			for span, attributes := range want {
				for key, want := range attributes {
					if got, n := value(spans[span], key); got != want || n != 1 {
						t.Errorf("%s, %s: got %q %d times, want %q once", span, key, got, n, want)
					}
				}
				for _, a := range plain[span].Attributes() {
					if _, n := value(spans[span], string(a.Key)); n != 1 {
						t.Errorf("%s, %s: got it %d times, want it once as without a dialect", span, a.Key, n)
					}
				}
				for _, a := range spans[span].Attributes() {
					if strings.Contains(a.Value.String(), "hunter2") {
						t.Errorf("%s: %s has the secret: %q", span, a.Key, a.Value.String())
					}
				}
			}
			if n := len(spans["other"].Attributes()); n != 2 {
				t.Errorf("another library's span: got %d attributes, want its own 2", n)
			}
		})
	}
}

// TestDialectsOfTheEnvironment: the variable wins, several dialects are added together, and unknown names are errors.
func TestDialectsOfTheEnvironment(t *testing.T) {
	t.Setenv(dialectsVariable, "langfuse, openinference")
	s := exported(t, Options{Dialects: []string{"langsmith"}})["execute_tool echo"]
	for key, want := range map[string]string{
		"langfuse.observation.type": "tool", "openinference.span.kind": "TOOL", "langsmith.span.kind": "",
	} {
		if got, _ := value(s, key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	t.Setenv(dialectsVariable, "phoenix")
	for from, o := range map[string]Options{dialectsVariable: {}, "Options.Dialects": {Dialects: []string{"phoenix"}}} {
		if from != dialectsVariable {
			t.Setenv(dialectsVariable, "")
		} else {
			t.Setenv(dialectsVariable, "phoenix")
		}
		_, err := Setup(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), from+`: got "phoenix", want a list of openinference, langfuse, langsmith`) {
			t.Errorf("%s: got %v", from, err)
		}
	}
}

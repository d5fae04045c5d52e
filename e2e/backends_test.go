// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

// backendCalls are the ids of the calls of [backendSpans], each of which a model asked for once.
var backendCalls = []string{"attempts", "duplicate", "failed", "hit", "leader", "stored"}

// backendSpans makes the calls that a backend could count wrongly: one of three attempts, two of which one is
// coalesced with the other, two of which one is answered from the cache, and one that fails with a result. It
// returns what arrives at an exporter: the attributes of each span as text.
func backendSpans(t *testing.T, service string, o exporters.Options) []map[string]string {
	t.Helper()
	memory := tracetest.NewInMemoryExporter()
	o.ServiceName, o.Exporters = service, []sdktrace.SpanExporter{memory}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	providers, err := exporters.Setup(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	file, err := config.OpenText("policies.yaml", []byte(
		"policies:\n  dedupe: {}\n  cache: {}\n  retry: {on: [overloaded], attempts: 3, base_delay: 1ms}\n"))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(file.Options(toolscope.Options{
		TracerProvider: providers.TracerProvider, NoMetrics: true, Content: tracing.ContentOn,
	}))
	if err != nil {
		t.Fatal(err)
	}
	makeBackendCalls(ctx, t, scope)
	if err := errors.Join(scope.Shutdown(ctx), providers.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, s := range memory.GetSpans() {
		attributes := map[string]string{"": s.Name}
		for _, a := range s.Attributes {
			attributes[string(a.Key)] = a.Value.String()
		}
		all = append(all, attributes)
	}
	if err := providers.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	return all
}

func makeBackendCalls(ctx context.Context, t *testing.T, scope *toolscope.Scope) {
	t.Helper()
	registry := new(toolkit.Registry)
	overloaded := tooltest.Step{Err: &toolkit.Error{Kind: toolkit.ErrOverloaded, Message: "try again"}}
	running, release := make(chan struct{}), make(chan struct{})
	slow := toolkit.ToolFunc(toolkit.Definition{Name: "slow", ReadOnly: toolkit.Yes, CacheTTL: -1},
		func(context.Context, toolkit.Call) (toolkit.Result, error) {
			close(running)
			<-release
			return toolkit.Result{Output: "done"}, nil
		})
	fail := toolkit.ToolFunc(toolkit.Definition{Name: "fail"}, func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "password=hunter2hunter2", Fault: errors.New("disk is full")}, nil
	})
	err := registry.Register(tooltest.Echo(toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes}), slow, fail,
		tooltest.Scripted(toolkit.Definition{Name: "flaky", Idempotent: toolkit.Yes}, overloaded, overloaded, tooltest.Text("ok")))
	if err != nil {
		t.Fatal(err)
	}
	handle := scope.WrapRegistry(registry)
	ctx, run := scope.StartAgent(ctx, tracing.Agent{Name: "planner", Session: "s-1", Prompt: "do it"})
	defer run.End(nil)
	call := func(id, tool string) {
		_, _ = handle(ctx, toolkit.Call{ID: id, Name: tool, Arguments: json.RawMessage(`{"path":"a"}`)})
	}
	call("attempts", "flaky")
	call("stored", "read")
	call("hit", "read")
	call("failed", "fail")
	var both sync.WaitGroup
	both.Go(func() { call("leader", "slow") })
	<-running
	both.Go(func() { call("duplicate", "slow") })
	time.Sleep(50 * time.Millisecond) // nothing tells that a duplicate waits; one that comes late runs the tool again
	close(release)
	both.Wait()
}

// checkToolCalls checks which spans a backend takes for tool calls, by the model's ids of the calls.
func checkToolCalls(t *testing.T, spans []map[string]string, isTool func(map[string]string) bool) {
	t.Helper()
	var calls []string
	outcomes := make(map[string]string)
	for _, s := range spans {
		if isTool(s) {
			calls = append(calls, s["gen_ai.tool.call.id"])
			outcomes[s["gen_ai.tool.call.id"]] = s["toolscope.outcome"] + s["toolscope.attempts"]
		}
	}
	if slices.Sort(calls); !slices.Equal(calls, backendCalls) {
		t.Errorf("got the tool calls %q, want each call once: %q", calls, backendCalls)
	}
	for id, want := range map[string]string{"attempts": "executed3", "duplicate": "coalesced", "hit": "cache_hit"} {
		if outcomes[id] != want {
			t.Errorf("%s: got %q, want %q", id, outcomes[id], want)
		}
	}
}

// byCall is the span of a call.
func byCall(spans []map[string]string, id string) map[string]string {
	for _, s := range spans {
		if s["gen_ai.tool.call.id"] == id {
			return s
		}
	}
	return nil
}

func checkValues(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s: %s: got %q, want %q", what, key, got[key], value)
		}
	}
}

// TestPhoenixConverter: Phoenix's own converter takes each call for one tool call, with and without the dialect, and
// shows the redacted result of a failed call with it.
func TestPhoenixConverter(t *testing.T) {
	modules := npmPackages(t)
	for _, c := range []struct {
		name     string
		dialects []string
		failed   map[string]string
	}{
		{"conventions only", nil, map[string]string{"output.value": ""}},
		{"dialect", []string{"openinference"},
			map[string]string{"output.value": "password=[REDACTED:passwd]", "output.mime_type": "text/plain"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans := convertForPhoenix(t, modules, backendSpans(t, "phoenix", exporters.Options{Dialects: c.dialects}))
			checkToolCalls(t, spans, func(s map[string]string) bool { return s["openinference.span.kind"] == "TOOL" })
			checkValues(t, "stored", byCall(spans, "stored"), map[string]string{
				"tool.name": "read", "tool.parameters": `{"path":"a"}`, "input.value": `{"path":"a"}`,
				"input.mime_type": "application/json", "output.value": `{"path":"a"}`, "tool_call.id": "stored",
				"agent.name": "planner", "session.id": "s-1",
			})
			checkValues(t, "failed", byCall(spans, "failed"), c.failed)
			for _, s := range spans {
				if strings.HasPrefix(s[""], "invoke_agent") && s["openinference.span.kind"] != "AGENT" {
					t.Errorf("%s: got the kind %q, want AGENT", s[""], s["openinference.span.kind"])
				}
			}
		})
	}
}

func convertForPhoenix(t *testing.T, modules string, spans []map[string]string) (converted []map[string]string) {
	t.Helper()
	var lines bytes.Buffer
	for _, s := range spans {
		if err := json.NewEncoder(&lines).Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/phoenix.cjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program(t, "node"), script)
	cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), "NODE_PATH="+modules), &lines, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var members map[string]any
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatal(err)
		}
		s := make(map[string]string)
		for key, v := range members {
			if text, ok := v.(string); ok {
				s[key] = text
			}
		}
		converted = append(converted, s)
	}
	return converted
}

// langfuse is what Langfuse makes of a span, by the rules of its packages/shared/src/server/otel at 19b3e2f, read on
// 2026-11-22 (ObservationTypeMapper.ts and OtelIngestionProcessor.ts), as far as toolscope's spans meet them.
func langfuse(s map[string]string) (kind, input, output, session string) {
	first := func(keys ...string) string {
		for _, key := range keys {
			if s[key] != "" {
				return s[key]
			}
		}
		return ""
	}
	kinds := map[string]string{
		"tool": "TOOL", "agent": "AGENT", "TOOL": "TOOL", "AGENT": "AGENT", "execute_tool": "TOOL", "invoke_agent": "AGENT",
	}
	switch {
	case kinds[first("langfuse.observation.type", "openinference.span.kind", "gen_ai.operation.name")] != "":
		kind = kinds[first("langfuse.observation.type", "openinference.span.kind", "gen_ai.operation.name")]
	case first("gen_ai.tool.name", "gen_ai.tool.call.id") != "":
		kind = "TOOL"
	case first("gen_ai.request.model") != "":
		kind = "GENERATION"
	default:
		kind = "SPAN"
	}
	return kind, first("langfuse.observation.input", "gen_ai.input.messages", "gen_ai.tool.call.arguments"),
		first("langfuse.observation.output", "gen_ai.tool.call.result"),
		first("langfuse.session.id", "session.id", "gen_ai.conversation.id")
}

// TestLangfuseRules: by Langfuse's rules each call is one tool observation of the session.
func TestLangfuseRules(t *testing.T) {
	for name, c := range map[string]struct {
		dialects []string
		failed   string
	}{"conventions only": {}, "dialect": {[]string{"langfuse"}, "password=[REDACTED:passwd]"}} {
		t.Run(name, func(t *testing.T) {
			spans := backendSpans(t, "langfuse", exporters.Options{Dialects: c.dialects})
			checkToolCalls(t, spans, func(s map[string]string) bool { kind, _, _, _ := langfuse(s); return kind == "TOOL" })
			kinds := make(map[string]int)
			for _, s := range spans {
				kind, _, _, session := langfuse(s)
				kinds[kind]++
				if session != "s-1" && kind != "SPAN" {
					t.Errorf("%s: got the session %q, want s-1", s[""], session)
				}
			}
			if want := map[string]int{"TOOL": 6, "AGENT": 1, "SPAN": 3}; !maps.Equal(kinds, want) {
				t.Errorf("got observations %v, want %v: the attempts are plain spans", kinds, want)
			}
			if _, input, output, _ := langfuse(byCall(spans, "stored")); input != `{"path":"a"}` || output != `{"path":"a"}` {
				t.Errorf("got input %q and output %q", input, output)
			}
			if _, _, output, _ := langfuse(byCall(spans, "failed")); output != c.failed {
				t.Errorf("failed: got the output %q, want %q", output, c.failed)
			}
		})
	}
}

// TestCallsInJaeger: Jaeger's search for tool calls finds each call once.
func TestCallsInJaeger(t *testing.T) {
	server := startJaeger(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.OTLP)
	sent := backendSpans(t, "calls", exporters.Options{Dialects: []string{"openinference", "langfuse", "langsmith"}})
	traces, _, err := server.Spans(t.Context(), "calls", len(sent))
	if err != nil {
		t.Fatal(err)
	}
	var spans []map[string]string
	for _, trace := range traces {
		for _, s := range trace.Spans {
			tags := map[string]string{"": s.OperationName}
			for _, tag := range s.Tags {
				tags[tag.Key], _ = s.Tag(tag.Key)
			}
			spans = append(spans, tags)
		}
	}
	checkToolCalls(t, spans, func(s map[string]string) bool { return s["gen_ai.operation.name"] == "execute_tool" })
	checkValues(t, "failed", byCall(spans, "failed"), map[string]string{
		"error": "true", "otel.status_description": "disk is full", "session.id": "s-1",
		"toolscope.error.result": "password=[REDACTED:passwd]", "langfuse.observation.output": "password=[REDACTED:passwd]",
		"langsmith.span.kind": "tool", "openinference.span.kind": "TOOL",
	})
	found, err := server.TracesWith(t.Context(), "calls", map[string]string{"session.id": "s-1", "toolscope.outcome": "coalesced"})
	if err != nil || len(found) != 1 {
		t.Errorf("got %d traces by tags (%v), want 1", len(found), err)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

func notSampled() trace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
}

func TestAgents(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	execute := toolkit.Observe(r.Lookup, h)(r.Handle)
	ctx, planner := h.StartAgent(context.Background(),
		tracing.Agent{Name: "planner", Conversation: "c1", Session: "s1", Model: "m-1"})
	_, _ = execute(ctx, toolkit.Call{Name: "echo"})
	inner, researcher := h.StartAgent(ctx, tracing.Agent{Name: "researcher"})
	for range 3 {
		_, _ = execute(inner, toolkit.Call{Name: "fails"})
	}
	researcher.InferenceCall()
	researcher.End(errors.New("gave up"))
	researcher.End(nil)
	planner.End(nil)

	spans := map[string]sdktrace.ReadOnlySpan{}
	for _, s := range h.spans.Ended() {
		spans[s.Name()] = s
	}
	if len(h.spans.Ended()) != 6 {
		t.Fatalf("got %d spans, want 6", len(h.spans.Ended()))
	}
	root, sub, call := spans["invoke_agent planner"], spans["invoke_agent researcher"], spans["execute_tool fails"]
	if root.Parent().IsValid() || sub.Parent().SpanID() != root.SpanContext().SpanID() ||
		call.Parent().SpanID() != sub.SpanContext().SpanID() {
		t.Error("the spans are not nested: want planner, researcher, call")
	}
	if got := attributes(call.Attributes()); got["gen_ai.agent.name"] != "researcher" ||
		got["gen_ai.conversation.id"] != "c1" || got["session.id"] != "s1" {
		t.Errorf("got %v, want the sub-agent's name in the parent's conversation and session", got)
	}
	if got := attributes(root.Attributes()); got["gen_ai.operation.name"] != "invoke_agent" ||
		got["gen_ai.request.model"] != "m-1" || got["error.type"] != "" {
		t.Errorf("got %v", got)
	}
	if got := attributes(sub.Attributes()); got["error.type"] != "_OTHER" || sub.Status().Description != "gave up" {
		t.Errorf("got error.type %q, %q", got["error.type"], sub.Status().Description)
	}
	calls := map[string]int64{}
	for _, p := range h.counts(t, "gen_ai.invoke_agent.tool_calls") {
		calls[attributes(p.Attributes.ToSlice())["gen_ai.agent.name"]] = p.Sum
	}
	if calls["planner"] != 1 || calls["researcher"] != 3 {
		t.Errorf("got calls %v, want each agent's own: 1 and 3", calls)
	}
	if d := h.points(t, "gen_ai.invoke_agent.duration"); len(d) != 2 || d[0].Count != 1 {
		t.Errorf("got durations %v, want one each, though one was ended twice", d)
	}
	if n := h.counts(t, "gen_ai.invoke_agent.inference_calls"); len(n) != 1 || n[0].Sum != 1 {
		t.Errorf("got inference calls %v, want the one counted", n)
	}
	var none *tracing.AgentRun
	none.InferenceCall()
	none.End(nil)
}

// nilError is an error whose methods panic if it is nil, as many do.
type nilError struct{ cause error }

func (e *nilError) Error() string { return e.cause.Error() }
func (e *nilError) Unwrap() error { return e.cause }

func TestAnAgentThatFailedWithATypedNilEnds(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	_, run := h.StartAgent(t.Context(), tracing.Agent{})
	run.End((*nilError)(nil))
	if all := h.spans.Ended(); len(all) != 1 || attributes(all[0].Attributes())["error.type"] != "_OTHER" {
		t.Errorf("got %v, want one span with an unknown error", all)
	}
}

func TestPropagation(t *testing.T) {
	h := newHarness(t, tracing.Options{Propagators: propagation.TraceContext{}})
	ctx, run := h.StartAgent(context.Background(), tracing.Agent{Name: "a"})
	defer run.End(nil)
	carrier := propagation.MapCarrier{}
	h.Inject(ctx, carrier)
	remote := trace.SpanContextFromContext(h.Extract(context.Background(), carrier))
	if want := trace.SpanContextFromContext(ctx); !remote.IsRemote() || remote.SpanID() != want.SpanID() ||
		remote.TraceID() != want.TraceID() {
		t.Errorf("got %v out of %v, want %v", remote, carrier, want)
	}
}

// TestAnAgentIsToldApart: its span has the turn, the prompt within the content settings, the session and the
// tokens that the application counted.
func TestAnAgentIsToldApart(t *testing.T) {
	secret := canary.Secrets(5)[0]
	h := newHarness(t, tracing.Options{})
	ctx, run := h.StartAgent(t.Context(), tracing.Agent{Name: "a", Session: "s", Turn: 7, Prompt: "Refund \"4711\", " + secret.Text})
	if got := toolkit.SessionFrom(ctx); got.Turn != 7 {
		t.Errorf("got the turn %d for calls, want 7", got.Turn)
	}
	run.AddUsage(1000, 20)
	run.AddUsage(500, -1)
	run.End(nil)
	got := attributes(h.one(t).Attributes())
	for key, want := range map[string]string{
		"session.id": "s", "toolscope.turn": "7", "gen_ai.usage.input_tokens": "1500", "gen_ai.usage.output_tokens": "20",
	} {
		if got[key] != want {
			t.Errorf("%s: got %q, want %q", key, got[key], want)
		}
	}
	prompt := got["gen_ai.input.messages"]
	const begin = `[{"role":"user","parts":[{"type":"text","content":"Refund \"4711\", `
	if !strings.HasPrefix(prompt, begin) || !json.Valid([]byte(prompt)) || canary.Find(prompt, []canary.Secret{secret}) != nil {
		t.Errorf("got the prompt %s, want %s… without %v", prompt, begin, secret)
	}
	var none *tracing.AgentRun
	none.AddUsage(1, 1)
}

// TestAnAgentSaysNoMoreThanItKnows: without turn, prompt and tokens the span has none; a parent's turn stays.
func TestAnAgentSaysNoMoreThanItKnows(t *testing.T) {
	for name, c := range map[string]struct {
		agent   tracing.Agent
		session toolkit.Session
		options tracing.Options
		want    map[string]string
	}{
		"nothing": {want: map[string]string{"gen_ai.operation.name": "invoke_agent"}},
		"parent's turn": {session: toolkit.Session{Turn: 3},
			want: map[string]string{"gen_ai.operation.name": "invoke_agent", "toolscope.turn": "3"}},
		"content off": {agent: tracing.Agent{Prompt: "hello"}, options: tracing.Options{Content: tracing.ContentOff},
			want: map[string]string{"gen_ai.operation.name": "invoke_agent"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, c.options)
			_, run := h.StartAgent(toolkit.WithSession(t.Context(), c.session), c.agent)
			run.End(nil)
			compare(t, attributes(h.one(t).Attributes()), c.want)
		})
	}
	h := newHarness(t, tracing.Options{})
	_, run := h.StartAgent(t.Context(), tracing.Agent{Prompt: strings.Repeat("<a long prompt> ", 1000)})
	run.End(nil)
	if got := attributes(h.one(t).Attributes())["gen_ai.input.messages"]; len(got) > 4096 || len(got) < 1000 ||
		!json.Valid([]byte(got)) {
		t.Errorf("got %d bytes of a long prompt, want at most 4096 of valid JSON: %.200s", len(got), got)
	}
}

// TestAnAgentAsATool: a tool that runs an agent is one execute_tool span of the caller, with the agent's own run below
// it, and counts as one call of the caller.
func TestAnAgentAsATool(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	def := &toolkit.Definition{Name: "ask_researcher"}
	inner := &toolkit.Definition{Name: "search"}
	search := toolkit.Observe(func(string) *toolkit.Definition { return inner }, h)(
		func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	ask := toolkit.Observe(func(string) *toolkit.Definition { return def }, h)(
		func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			ctx, run := h.StartAgent(ctx, tracing.Agent{Name: "researcher"})
			defer run.End(nil)
			for range 2 {
				_, _ = search(ctx, toolkit.Call{Name: "search"})
			}
			return toolkit.Result{Output: "found"}, nil
		})
	ctx, planner := h.StartAgent(context.Background(), tracing.Agent{Name: "planner"})
	if _, err := ask(ctx, toolkit.Call{Name: "ask_researcher"}); err != nil {
		t.Fatal(err)
	}
	planner.End(nil)
	spans := map[string]sdktrace.ReadOnlySpan{}
	for _, s := range h.spans.Ended() {
		spans[s.Name()] = s
	}
	for _, c := range []struct{ name, parent, agent string }{
		{"execute_tool ask_researcher", "invoke_agent planner", "planner"},
		{"invoke_agent researcher", "execute_tool ask_researcher", "researcher"},
		{"execute_tool search", "invoke_agent researcher", "researcher"},
	} {
		s := spans[c.name]
		if s == nil || s.Parent().SpanID() != spans[c.parent].SpanContext().SpanID() ||
			attributes(s.Attributes())["gen_ai.agent.name"] != c.agent {
			t.Errorf("%s: got %v, want it below %s with the agent %s", c.name, s, c.parent, c.agent)
		}
	}
	calls := map[string]int64{}
	for _, p := range h.counts(t, "gen_ai.invoke_agent.tool_calls") {
		calls[attributes(p.Attributes.ToSlice())["gen_ai.agent.name"]] = p.Sum
	}
	if calls["planner"] != 1 || calls["researcher"] != 2 {
		t.Errorf("got calls %v, want each agent's own: 1 and 2", calls)
	}
}

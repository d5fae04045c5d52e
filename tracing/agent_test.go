// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"errors"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

func notSampled() trace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
}

func TestAgents(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	execute := toolkit.Observe(r.Lookup, h)(r.Handle)
	ctx, planner := h.StartAgent(context.Background(), tracing.Agent{Name: "planner", Conversation: "c1", Session: "s1", Model: "m-1"})
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
	if root.Parent().IsValid() || sub.Parent().SpanID() != root.SpanContext().SpanID() || call.Parent().SpanID() != sub.SpanContext().SpanID() {
		t.Error("the spans are not nested: want planner, researcher, call")
	}
	if got := attributes(call.Attributes()); got["gen_ai.agent.name"] != "researcher" || got["gen_ai.conversation.id"] != "c1" || got["toolscope.session.id"] != "s1" {
		t.Errorf("got %v, want the sub-agent's name in the parent's conversation and session", got)
	}
	if got := attributes(root.Attributes()); got["gen_ai.operation.name"] != "invoke_agent" || got["gen_ai.request.model"] != "m-1" || got["error.type"] != "" {
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
		t.Errorf("got %v, want one span with an error that nobody knows", all)
	}
}

func TestPropagation(t *testing.T) {
	h := newHarness(t, tracing.Options{Propagators: propagation.TraceContext{}})
	ctx, run := h.StartAgent(context.Background(), tracing.Agent{Name: "a"})
	defer run.End(nil)
	carrier := propagation.MapCarrier{}
	h.Inject(ctx, carrier)
	remote := trace.SpanContextFromContext(h.Extract(context.Background(), carrier))
	if want := trace.SpanContextFromContext(ctx); !remote.IsRemote() || remote.SpanID() != want.SpanID() || remote.TraceID() != want.TraceID() {
		t.Errorf("got %v out of %v, want %v", remote, carrier, want)
	}
}

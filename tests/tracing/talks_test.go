// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestToolsInConversationsAreTheirOwn: however many tools and agents work in however many
// conversations at once, each span starts with its own's attributes, the conversation's id redacted.
func TestToolsInConversationsAreTheirOwn(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	tools := map[string]*toolkit.Definition{}
	for i := range 7 {
		name := fmt.Sprint("tool", i)
		tools[name] = &toolkit.Definition{Name: name}
	}
	execute := toolkit.Observe(func(name string) *toolkit.Definition { return tools[name] },
		h.Observer)(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, nil
	})
	secret := "ghp" + "_" + strings.Repeat("aB3dE6", 6)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 1000 {
				agent := fmt.Sprint("agent", i%3)
				session := toolkit.Session{Agent: agent, Conversation: fmt.Sprintf("talk %d %s", i%90, secret)}
				call := toolkit.Call{ID: fmt.Sprintf("tool%d %s talk %d", (i+g)%7, agent, i%90), Name: fmt.Sprint("tool", (i+g)%7)}
				_, _ = execute(toolkit.WithSession(context.Background(), session), call)
			}
		})
	}
	all.Wait()
	for _, s := range h.spans.Ended() {
		list := attributes(s.Attributes())
		want := list["gen_ai.tool.name"] + " " + list["gen_ai.agent.name"] + " " +
			strings.TrimSuffix(list["gen_ai.conversation.id"], " [REDACTED:github-token]")
		if list["gen_ai.tool.call.id"] != want || s.Name() != "execute_tool "+list["gen_ai.tool.name"] ||
			s.SpanKind() != trace.SpanKindInternal || list["gen_ai.operation.name"] != "execute_tool" {
			t.Fatalf("%s of kind %v: got %v", s.Name(), s.SpanKind(), list)
		}
	}
}

// TestSpecInAConversation: a call with a spec says its conversation as well, and keeps its kind.
func TestSpecInAConversation(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	execute := toolkit.Observe(registry(t).Lookup, h)(registry(t).Handle)
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{Conversation: "talk"})
	ctx = spans.With(ctx, &spans.Spec{Operation: "tools/call", Kind: trace.SpanKindServer,
		Attributes: []attribute.KeyValue{attribute.String("a", "b")}})
	for range 2 { // the second is a usual one
		if _, err := execute(ctx, toolkit.Call{Name: "echo"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []trace.SpanKind{trace.SpanKindServer, trace.SpanKindInternal} {
		s := h.spans.Ended()[i]
		if list := attributes(s.Attributes()); s.SpanKind() != want || list["gen_ai.conversation.id"] != "talk" ||
			(list["a"] == "b") != (i == 0) {
			t.Errorf("%s: got kind %v and %v, want %v", s.Name(), s.SpanKind(), list, want)
		}
	}
}

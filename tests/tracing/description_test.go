// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestADescriptionIsOnTheSpan: it is the one of the definition that the call was made with, redacted, truncated,
// and only if content goes onto spans.
func TestADescriptionIsOnTheSpan(t *testing.T) {
	secret := canary.Secrets(5)[0]
	tool := &toolkit.Definition{Name: "t"}
	describe := func(text string, o tracing.Options) string {
		h := newHarness(t, o)
		execute := toolkit.Observe(func(string) *toolkit.Definition { return tool }, h.Observer)(succeed)
		var got string
		for range 2 { // the second time from memory
			tool = &toolkit.Definition{Name: "t", Description: text}
			_, _ = execute(t.Context(), toolkit.Call{Name: "t"})
			ended := h.spans.Ended()
			got = attributes(ended[len(ended)-1].Attributes())["gen_ai.tool.description"]
			tool = &toolkit.Definition{Name: "t", Description: "another tool of this name"}
			_, _ = execute(t.Context(), toolkit.Call{Name: "t"})
		}
		return got
	}
	if got := describe("Echoes its input.", tracing.Options{}); got != "Echoes its input." {
		t.Errorf("got %q, want the description", got)
	}
	if got := describe("", tracing.Options{}); got != "" {
		t.Errorf("got %q, want none", got)
	}
	if got := describe("at "+secret.Text, tracing.Options{}); !strings.HasPrefix(got, "at ") ||
		canary.Find(got, []canary.Secret{secret}) != nil {
		t.Errorf("got %q, want it without %v", got, secret)
	}
	if got := describe(strings.Repeat("a description ", 1000), tracing.Options{}); len(got) > 1024 || len(got) < 900 {
		t.Errorf("got %d bytes, want about 1024", len(got))
	}
	if got := describe("Echoes its input.", tracing.Options{Content: tracing.ContentOff}); got != "" {
		t.Errorf("content off: got %q, want none", got)
	}
}

// TestDescriptionsAreTheirOwn: each span has its own tool's, however many calls there are at once.
func TestDescriptionsAreTheirOwn(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	execute := toolkit.Observe(func(name string) *toolkit.Definition {
		return &toolkit.Definition{Name: "same", Description: "Does " + name + "."}
	}, h.Observer)(succeed)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		all.Go(func() {
			for range 200 {
				_, _ = execute(t.Context(), toolkit.Call{ID: name, Name: name})
			}
		})
	}
	all.Wait()
	for _, s := range h.spans.Ended() {
		got := attributes(s.Attributes())
		if want := "Does " + got["gen_ai.tool.call.id"] + "."; got["gen_ai.tool.description"] != want {
			t.Fatalf("got %q, want %q", got["gen_ai.tool.description"], want)
		}
	}
}

func succeed(context.Context, toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: "ok"}, nil
}

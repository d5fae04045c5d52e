// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package handoff_test

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope/middleware/internal/handoff"
)

// TestAQuestionIsOfOneCall: a tool sees none, whatever stands between the policies and around the call.
func TestAQuestionIsOfOneCall(t *testing.T) {
	type key struct{}
	asked := func(ctx context.Context, rule string) context.Context {
		return handoff.WithQuestion(ctx, handoff.Question{Rule: rule})
	}
	between := func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, "between") }
	plain := context.WithValue(t.Context(), key{}, "plain")
	for name, ctx := range map[string]context.Context{
		"none":                          plain,
		"one":                           asked(plain, "a"),
		"one, and a middleware between": between(asked(plain, "a")),
		"one in another":                asked(asked(plain, "outer"), "a"),
		"one in another's tool":         asked(handoff.WithoutQuestion(asked(plain, "outer")), "a"),
	} {
		if q, ok := handoff.QuestionOf(ctx); ok != (name != "none") || ok && q.Rule != "a" {
			t.Errorf("%s: got %q, %v, want the innermost", name, q.Rule, ok)
		}
		inner := handoff.WithoutQuestion(ctx)
		if q, ok := handoff.QuestionOf(inner); ok {
			t.Errorf("%s: got the question of %q in the tool, want none", name, q.Rule)
		}
		if inner.Value(key{}) == nil {
			t.Errorf("%s: the context has lost its values", name)
		}
	}
	if ctx := handoff.WithoutQuestion(asked(plain, "a")); ctx != plain {
		t.Error("a question alone: got another context, want the one before it")
	}
}

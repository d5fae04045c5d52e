// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestRulesOfATool: a redactor's rules for one tool hold for that tool's spans.
func TestRulesOfATool(t *testing.T) {
	redactor, err := redact.New(redact.WithRule(redact.Rule{Tool: "echo", Path: "$.sql", Action: redact.Mask}))
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"echo": `{"sql":"[REDACTED:rule]"}`, "other": `{"sql":"select 1"}`} {
		h, r := newHarness(t, tracing.WithRedactor(redactor)), registry(t)
		_, _ = toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h))(context.Background(), toolkit.Call{Name: tool, Arguments: []byte(`{"sql":"select 1"}`)})
		if got := attributes(h.one(t).Attributes())["gen_ai.tool.call.arguments"]; got != want {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}

// TestFindingsSayWhere: each removed value's kind and place are on the span, as far as
// there are not too many, and never the value.
func TestFindingsSayWhere(t *testing.T) {
	secret := canary.Secrets(12)[0]
	for _, c := range []struct {
		name, arguments string
		want            []string
		count           int
	}{
		{"few", `{"user":"admin","password":"` + secret.Value + `"}`, []string{"passwd@arguments/password", "passwd@result/password"}, 2},
		{"many", "[" + strings.TrimSuffix(strings.Repeat(`{"password":"`+secret.Value+`"},`, 20), ",") + "]", []string{"passwd@arguments/0/password", "passwd@arguments/15/password"}, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, r := newHarness(t), registry(t)
			call := toolkit.Call{Name: "echo", Arguments: []byte(c.arguments)}
			if _, err := toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h))(context.Background(), call); err != nil {
				t.Fatal(err)
			}
			got := attributes(h.one(t).Attributes())["toolscope.redacted.paths"]
			for _, place := range c.want {
				if !strings.Contains(got, `"`+place+`"`) {
					t.Errorf("got %s, want %s", got, place)
				}
			}
			if n := strings.Count(got, "@"); n != c.count {
				t.Errorf("got %d places, want %d: %s", n, c.count, got)
			}
			if canary.Find(got, []canary.Secret{secret}) != nil {
				t.Errorf("the places show %v", secret)
			}
		})
	}
}

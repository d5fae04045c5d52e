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
	redactor, err := redact.New(redact.Options{Rules: []redact.Rule{{Tool: "echo", Path: "$.sql", Action: redact.Mask}}})
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"echo": `{"sql":"[REDACTED:rule]"}`, "other": `{"sql":"select 1"}`} {
		h, r := newHarness(t, tracing.Options{Redactor: redactor}), registry(t)
		_, _ = toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h))(context.Background(),
			toolkit.Call{Name: tool, Arguments: []byte(`{"sql":"select 1"}`)})
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
		{"few", `{"user":"admin","password":"` + secret.Value + `"}`,
			[]string{"passwd@arguments/password", "passwd@result/password"}, 2},
		{"many", "[" + strings.TrimSuffix(strings.Repeat(`{"password":"`+secret.Value+`"},`, 20), ",") + "]",
			[]string{"passwd@arguments/0/password", "passwd@arguments/15/password"}, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, r := newHarness(t, tracing.Options{}), registry(t)
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

// TestPartsAreTold: parts are shown by kind and size, never their data, and structured content
// that repeats the text, as MCP asks of servers, is shown once.
func TestPartsAreTold(t *testing.T) {
	structured := func(json string) toolkit.Part { return toolkit.Part{Kind: toolkit.PartStructured, JSON: []byte(json)} }
	for name, c := range map[string]struct {
		result toolkit.Result
		want   string
	}{
		"text and the same": {
			toolkit.Result{Output: `{"n":1}`, Parts: []toolkit.Part{structured(`{"n":1}`)}},
			`{"n":1}`,
		},
		"text and other structured content": {
			toolkit.Result{Output: "one", Parts: []toolkit.Part{structured(`{"n":1}`)}},
			`{"output":"one","parts":[{"type":"structured","structuredContent":{"n":1}}]}`,
		},
		"the same, and an image": {
			toolkit.Result{Output: `{"n":1}`, Parts: []toolkit.Part{structured(`{"n":1}`),
				{Kind: toolkit.PartImage, MIMEType: "image/png", Data: []byte("abc")}}},
			`{"output":"{\"n\":1}","parts":[{"type":"structured","structuredContent":{"n":1}},{"type":"image",` +
				`"mimeType":"image/png","bytes":3}]}`,
		},
		"structured content that is no JSON": {
			toolkit.Result{Parts: []toolkit.Part{structured(`{"n":`)}},
			`{"parts":[{"type":"structured"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, r := newHarness(t, tracing.Options{}), registry(t)
			answer := func(toolkit.Handler) toolkit.Handler {
				return func(context.Context, toolkit.Call) (toolkit.Result, error) { return c.result, nil }
			}
			if _, err := toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h), answer)(context.Background(),
				toolkit.Call{Name: "echo"}); err != nil {
				t.Fatal(err)
			}
			if got := attributes(h.one(t).Attributes())["gen_ai.tool.call.result"]; got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

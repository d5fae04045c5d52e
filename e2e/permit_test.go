// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

// TestPermissionInJaeger sends calls through the gate and tells the decisions apart by
// the attributes of the spans alone.
func TestPermissionInJaeger(t *testing.T) {
	server := startJaeger(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.OTLP)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "permission"})
	if err != nil {
		t.Fatal(err)
	}
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	observer, err := tracing.New(tracing.Options{TracerProvider: providers.TracerProvider, Redactor: redactor})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := permit.Parse(
		"permit.yaml",
		[]byte("rules:\n  - {name: git-read, effect: allow, shell: {prefix: [git status]}}\n"),
	)
	if err != nil {
		t.Fatal(err)
	}
	shadow, err := permit.Compile(permit.Spec{Shadow: true})
	if err != nil {
		t.Fatal(err)
	}
	gate, err := permit.New(permit.Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	bash := tooltest.Echo(toolkit.Definition{Name: "bash"})
	registry := new(toolkit.Registry)
	if err := registry.Register(bash); err != nil {
		t.Fatal(err)
	}
	handle := toolkit.Observe(registry.Lookup, observer)(middleware.Wrap(registry.Handle, gate))
	want := map[string]string{} // by call id: outcome, error.type, decision, door, rule, shadow
	call := func(id, command, told string, refused bool) {
		want[id] = told
		arguments, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := handle(ctx, toolkit.Call{ID: id, Name: "bash", Arguments: arguments}); errors.Is(
			err,
			toolkit.ErrPermissionDenied,
		) != refused {
			t.Errorf("%s: error %v, want a refusal: %t", id, err, refused)
		}
	}
	call("default", "ls", "executed||allow|default||", false)
	call("rule", "git status", "executed||allow|rules|git-read|", false)
	call("partly", "git status; id", "refused|permission_denied|ask|rules|not_covered|", true)
	call("ask", "rm f", "refused|permission_denied|ask|rules|ask-rm|", true)
	call("deny", "sudo ls", "refused|permission_denied|deny|deny_list|deny-root|", true)
	if err := gate.Set(shadow); err != nil {
		t.Fatal(err)
	}
	call("shadow", "sudo ls", "executed||deny|deny_list|deny-root|true", false)
	if err := providers.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}

	traces, _, err := server.Spans(ctx, "permission", len(want))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, trace := range traces {
		for i := range trace.Spans {
			s := &trace.Spans[i]
			id, _ := s.Tag("gen_ai.tool.call.id")
			got[id] = decided(s)
		}
	}
	for id, told := range want {
		if got[id] != told {
			t.Errorf("%s: the span tells %q, want %q", id, got[id], told)
		}
	}
}

// decided is what a span's attributes say of the gate's decision.
func decided(s *jaeger.Span) string {
	told := ""
	for i, key := range []string{
		"toolscope.outcome", "error.type", "toolscope.permission.decision", "toolscope.permission.door",
		"toolscope.permission.rule", "toolscope.permission.shadow",
	} {
		if i > 0 {
			told += "|"
		}
		value, _ := s.Tag(key)
		told += value
	}
	return told
}

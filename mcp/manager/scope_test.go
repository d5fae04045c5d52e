// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
)

// One call is one span, which tells the protocol's attributes and which server answered, be
// the tool renamed or not.
func TestTheSpanTellsWhichServerAnswered(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ran")
	bad := child("first one", "a", "RAN", file)
	bad.Priority = 1
	for _, shared := range []bool{false, true} {
		m := open(t, manager.Options{Scope: scope, SharedNames: shared,
			Servers: []manager.Server{bad, child("second", "b", "RAN", file, "SURVIVES", "1")}})
		handle := scope.WrapRegistry(m)
		for _, d := range m.Definitions() {
			if !shared && !strings.HasPrefix(d.Name, "first_one__echo_") || shared && d.Name != "die_safely" {
				continue
			}
			spans.Reset()
			res, err := handle(context.Background(), toolkit.Call{Name: d.Name, Arguments: []byte(`{"text":"x"}`)})
			if err != nil || res.Fault != nil {
				t.Fatal(err, res.Fault)
			}
			var got map[string]string
			for _, s := range spans.Ended() {
				if !strings.Contains(s.Name(), "tool") || strings.HasPrefix(s.Name(), "tools/list") {
					continue
				}
				if got != nil || s.Name() != "execute_tool "+d.Name {
					t.Errorf("got the span %q, want one of the call", s.Name())
				}
				got = map[string]string{}
				for _, kv := range s.Attributes() {
					got[string(kv.Key)] = kv.Value.String()
				}
			}
			want := map[string]string{"mcp.method.name": "tools/call", "network.transport": "pipe",
				"toolscope.mcp.target": "first one"}
			if shared {
				want["toolscope.mcp.target"], want["toolscope.mcp.failover"] = "second", "first one"
			}
			for key, value := range want {
				if got[key] != value {
					t.Errorf("%s: %s: got %q, want %q", d.Name, key, got[key], value)
				}
			}
			if scope.Stats() == nil {
				t.Error("got no statistics")
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Policies apply to a manager's tools as to any registry's.
func TestPoliciesApply(t *testing.T) {
	policy, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.TypeOther}, Attempts: 2})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{policy}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ran")
	m := open(t, manager.Options{Scope: scope, Servers: []manager.Server{child("a", "a", "RAN", file)}})
	handle := scope.WrapRegistry(m)
	for tool, want := range map[string]int{"a__die": 1, "a__die_safely": 2} {
		before := strings.Count(runs(t, file), "a")
		if _, err := handle(context.Background(), toolkit.Call{Name: tool}); err == nil {
			t.Errorf("%s: got an answer", tool)
		}
		if n := strings.Count(runs(t, file), "a") - before; n != want {
			t.Errorf("%s: ran %d times, want %d", tool, n, want)
		}
	}
}

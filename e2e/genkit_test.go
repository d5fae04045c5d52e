// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/internal/canary"
)

// TestGenkitInJaeger runs an agent of genkit whose arguments, results, errors and own spans hold secrets. In
// Jaeger each call has one span, and no span of the provider holds a secret.
func TestGenkitInJaeger(t *testing.T) {
	server := startJaeger(t)
	binary := filepath.Join(t.TempDir(), "genkit")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("tools", "genkit")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the agent: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seed := uint64(time.Now().UnixNano())
	secrets := canary.Secrets(seed)
	agent := exec.CommandContext(ctx, binary, "-seed", strconv.FormatUint(seed, 10))
	agent.Env = append(agent.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+server.OTLP)
	if out, err := agent.CombinedOutput(); err != nil {
		t.Fatalf("the agent: %v\n%s", err, out)
	}

	// A call that succeeds has two spans, one that fails has one. The loop adds the run and two turns
	// of the model.
	traces, raw, err := server.Spans(ctx, "genkit-agent", 3*len(secrets)+3)
	if err != nil {
		t.Fatal(err)
	}
	calls, natives := map[string]int{}, 0
	for _, trace := range traces {
		for _, s := range trace.Spans {
			scope, _ := s.Tag("otel.scope.name")
			if operation, _ := s.Tag("gen_ai.operation.name"); operation == "execute_tool" {
				calls[s.OperationName]++
				checkNativeSpan(t, &s, scope)
			}
			if scope == "genkit-tracer" {
				natives++
			}
		}
	}
	if calls["echo"] != len(secrets) || len(calls) != len(secrets)+1 {
		t.Errorf("got spans of calls %v, want %d of echo and one of each that fails", calls, len(secrets))
	}
	if natives < 2*len(secrets) {
		t.Errorf("got %d spans of genkit", natives)
	}
	if found := canary.Find(string(raw), secrets); found != nil {
		t.Errorf("Jaeger shows %v", found)
	}
	if n := bytes.Count(raw, []byte("[REDACTED")); n < 5*len(secrets) {
		t.Errorf("got %d marks of what was removed: the secrets were not planted", n)
	}
}

// checkNativeSpan checks that the span of a call is genkit's, with toolscope's attributes.
func checkNativeSpan(t *testing.T, s *jaeger.Span, scope string) {
	t.Helper()
	input, _ := s.Tag("genkit:input")
	outcome, _ := s.Tag("toolscope.outcome")
	if scope != "genkit-tracer" || !strings.Contains(input, "[REDACTED") || outcome != "executed" {
		t.Errorf("%s: got scope %q, input %s, outcome %q", s.OperationName, scope, input, outcome)
	}
}

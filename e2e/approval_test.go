// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

const approvalConfig = `
policies:
  validate: {}
  permit: {rules: rules.yaml}
  approve: {remote: true, expiry: 5s}
audit: {file: audit.jsonl, all: true}
`

const approvalRules = `
rules:
  - {name: reads, effect: allow, tools: ["file_*"]}
  - {name: money, effect: ask, tools: [pay], for_person: money moves}
  - {name: never, effect: deny, tools: [wipe], for_model: disks are not yours}
`

// answered is what a span's attributes say of a decision.
func answered(tag func(string) string) string {
	switch approval := tag("toolscope.approval"); {
	case tag("toolscope.validation") == "invalid":
		return "invalid"
	case tag("toolscope.permission.decision") == "deny":
		return "denied"
	case approval != "":
		return approval
	default:
		return tag("toolscope.permission.decision") + "ed"
	}
}

// TestApprovalInJaeger runs calls that a rule allows, asks about and denies, a person
// approves, rejects and does not answer; one trace and the audit log tell the same.
func TestApprovalInJaeger(t *testing.T) {
	server := startJaeger(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.OTLP)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	for name, text := range map[string]string{"toolscope.yaml": approvalConfig, "rules.yaml": approvalRules} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "approval"})
	if err != nil {
		t.Fatal(err)
	}
	file, err := config.Open(filepath.Join(dir, "toolscope.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(file.Options(toolscope.Options{
		ApprovalsToken: "a-token-for-tests",
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	}))
	if err != nil {
		t.Fatal(err)
	}
	amount := json.RawMessage(`{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}`)
	registry := new(toolkit.Registry)
	err = registry.Register(
		tooltest.Echo(toolkit.Definition{Name: "file_read"}),
		tooltest.Echo(toolkit.Definition{Name: "wipe"}),
		tooltest.Echo(toolkit.Definition{Name: "pay", InputSchema: amount}),
	)
	if err != nil {
		t.Fatal(err)
	}
	handle := scope.WrapRegistry(registry)
	turn, run := scope.StartAgent(ctx, tracing.Agent{Name: "planner", Session: "s1"})
	want := map[string]string{
		"read":  "allowed",
		"wipe":  "denied",
		"wrong": "invalid",
		"yes":   "approved",
		"no":    "rejected",
		"late":  "expired",
	}
	for _, c := range []struct{ id, tool, arguments string }{
		{"read", "file_read", `{}`}, {"wipe", "wipe", `{}`}, {"wrong", "pay", `{"amount":"all"}`},
		{"yes", "pay", `{"amount":1}`}, {"no", "pay", `{"amount":2}`}, {"late", "pay", `{"amount":3}`},
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = handle(turn, toolkit.Call{ID: c.id, Name: c.tool, Arguments: json.RawMessage(c.arguments)})
		}()
		if c.id == "yes" || c.id == "no" {
			time.Sleep(150 * time.Millisecond) // the person thinks
			answer(t, scope, c.id == "yes")
		}
		<-done
	}
	run.End(nil)
	if err := errors.Join(providers.Shutdown(ctx), scope.Shutdown(ctx), file.Close()); err != nil {
		t.Fatal(err)
	}

	traces, _, err := server.Spans(ctx, "approval", len(want)+1)
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 1 {
		t.Fatalf("got %d traces, want 1", len(traces))
	}
	for i := range traces[0].Spans {
		s := &traces[0].Spans[i]
		if id, ok := s.Tag("gen_ai.tool.call.id"); ok {
			checkDecision(t, s, id, want[id])
		}
	}
	checkAudit(t, filepath.Join(dir, "audit.jsonl"), want)
}

// answer answers the one open request.
func answer(t *testing.T, scope *toolscope.Scope, approved bool) {
	t.Helper()
	for _, p := range scope.Settings().Policies {
		policy, ok := p.(*approve.Policy)
		if !ok {
			continue
		}
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if open := policy.Pending(); len(open) == 1 {
				if err := policy.Decide(open[0].ID, open[0].Digest, approve.Answer{Approved: approved, By: "ada"}); err != nil {
					t.Error(err)
				}
				return
			}
		}
	}
	t.Error("no request was opened")
}

func checkDecision(t *testing.T, s *jaeger.Span, id, want string) {
	t.Helper()
	tag := func(key string) string { v, _ := s.Tag(key); return v }
	if got := answered(tag); got != want {
		t.Errorf("%s: the span tells %q, want %q: %v", id, got, want, s.Tags)
	}
	waited, _ := strconv.ParseFloat(tag("toolscope.approval.duration"), 64)
	ran, _ := strconv.ParseFloat(tag("toolscope.run.duration"), 64)
	switch want {
	case "approved":
		if waited < 0.1 || ran > waited {
			t.Errorf("%s: waited %v s and ran %v s, want the wait apart from the running time", id, waited, ran)
		}
	case "expired":
		if waited < 5 {
			t.Errorf("%s: waited %v s, want the 5 s it had", id, waited)
		}
	}
	if outcome := tag("toolscope.outcome"); (outcome == "executed") != (want == "allowed" || want == "approved") {
		t.Errorf("%s: got outcome %q", id, outcome)
	}
}

// checkAudit compares the log of decisions.
func checkAudit(t *testing.T, path string, want map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, states := map[string]string{}, map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e audit.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if e.Kind == "call" {
			got[e.CallID] = answered(func(key string) string { return e.Tags[key[len("toolscope."):]] })
		} else {
			states[e.State]++
		}
	}
	for id, class := range want {
		if got[id] != class {
			t.Errorf("%s: the audit log tells %q, want %q", id, got[id], class)
		}
	}
	for state, n := range map[string]int{"pending": 3, "approved": 1, "rejected": 1, "expired": 1} {
		if states[state] != n {
			t.Errorf("the audit log has %d requests %s, want %d: %v", states[state], state, n, states)
		}
	}
}

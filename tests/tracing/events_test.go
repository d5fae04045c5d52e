// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/toolkit"
)

const eventRules = `
default: allow
rules:
  - {name: no-deploys, effect: deny, tools: [deploy]}
  - {name: ask-first, effect: ask, tools: ["mail_*"]}
`

// governed is a registry behind real permission rules and approvals given beforehand.
func governed(t *testing.T, p trace.TracerProvider) toolkit.Handler {
	t.Helper()
	rules, err := permit.Parse("rules.yaml", []byte(eventRules))
	if err != nil {
		t.Fatal(err)
	}
	gate, err := permit.New(permit.Options{Rules: rules, Approver: true})
	if err != nil {
		t.Fatal(err)
	}
	person, err := approve.New(approve.Options{
		Askers:   []approve.Asker{approve.External()},
		Patterns: []approve.Pattern{{Tool: "mail_team", Approver: "ann"}}, MaxPending: 1, Expiry: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: p, NoMetrics: true, Policies: []middleware.Policy{gate, person},
	})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	for name, err := range map[string]error{
		"read": nil, "deploy": nil, "mail_team": nil, "mail_all": nil, "fail": errors.New("login with password=hunter2hunter2 failed"),
	} {
		handle := func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "done"}, err
		}
		if err := registry.Register(toolkit.ToolFunc(toolkit.Definition{Name: name}, handle)); err != nil {
			t.Fatal(err)
		}
	}
	crash := toolkit.ToolFunc(toolkit.Definition{Name: "crash"}, func(context.Context, toolkit.Call) (toolkit.Result, error) {
		panic("boom")
	})
	if err := registry.Register(crash); err != nil {
		t.Fatal(err)
	}
	return scope.WrapRegistry(registry)
}

// A recordSink keeps log records.
type recordSink struct {
	mu      sync.Mutex
	records []sdklog.Record
}

func (s *recordSink) OnEmit(_ context.Context, r *sdklog.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r.Clone())
	return nil
}

func (*recordSink) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }
func (*recordSink) Shutdown(context.Context) error                         { return nil }
func (*recordSink) ForceFlush(context.Context) error                       { return nil }

func attributesOf(r *sdklog.Record) map[string]string {
	all := make(map[string]string)
	r.WalkAttributes(func(a attribute.KeyValue) bool {
		all[string(a.Key)] = a.Value.AsString()
		return true
	})
	return all
}

// TestEvents: failed calls and decisions are log records of the call's span, as the options say.
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name                  string
		events                exporters.Events
		exceptions, decisions int
	}{
		{"none", exporters.Events{}, 0, 0},
		{"exceptions", exporters.Events{Exceptions: true}, 4, 0},
		{"both", exporters.Events{Exceptions: true, ExperimentalDecisions: true}, 4, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			sink, ended := new(recordSink), tracetest.NewSpanRecorder()
			emit := c.events.Processor(sdklog.NewLoggerProvider(sdklog.WithProcessor(sink)))
			call := governed(t, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ended), sdktrace.WithSpanProcessor(emit)))
			for _, tool := range []string{"read", "deploy", "mail_team", "mail_all", "fail", "crash"} {
				func() {
					defer func() { _ = recover() }()
					_, _ = call(t.Context(), toolkit.Call{ID: "call-" + tool, Name: tool, Arguments: []byte(`{}`)})
				}()
			}
			spans := make(map[trace.SpanID]string)
			for _, s := range ended.Ended() {
				spans[s.SpanContext().SpanID()] = strings.TrimPrefix(s.Name(), "execute_tool ")
			}
			exceptions, decisions := sorted(t, sink.records, spans)
			outcomes := strings.Fields(strings.Join(slices.Collect(maps.Values(decisions)), " "))
			if len(exceptions) != c.exceptions || len(outcomes) != c.decisions {
				t.Fatalf("got exceptions %v and decisions %v, want %d and %d", exceptions, decisions, c.exceptions, c.decisions)
			}
			if c.exceptions > 0 {
				checkExceptions(t, exceptions)
			}
			if want := map[string]string{
				"read": "allow", "deploy": "deny", "fail": "allow", "crash": "allow",
				"mail_team": "require_approval allow", "mail_all": "require_approval deny",
			}; c.decisions > 0 && !maps.Equal(decisions, want) {
				t.Errorf("decisions: got %v, want %v", decisions, want)
			}
		})
	}
}

// sorted are the exceptions and the outcomes of decisions, by tool.
func sorted(t *testing.T, records []sdklog.Record, spans map[trace.SpanID]string) (
	exceptions map[string]map[string]string, decisions map[string]string,
) {
	exceptions, decisions = make(map[string]map[string]string), make(map[string]string)
	for _, r := range records {
		tool, a := spans[r.SpanID()], attributesOf(&r)
		switch r.EventName() {
		case "gen_ai.execute_tool.exception":
			exceptions[tool] = a
			if r.Severity() != log.SeverityWarn {
				t.Errorf("%s: got severity %v, want WARN", tool, r.Severity())
			}
		case "gen_ai.tool.call.decision":
			decisions[tool] = strings.TrimSpace(decisions[tool] + " " + a["gen_ai.tool.call.decision.outcome"])
			if a["gen_ai.tool.name"] != tool || a["gen_ai.tool.call.id"] != "call-"+tool || len(a) != 3 {
				t.Errorf("%s: got %v", tool, a)
			}
		default:
			t.Errorf("got the event %q", r.EventName())
		}
	}
	return exceptions, decisions
}

func checkExceptions(t *testing.T, exceptions map[string]map[string]string) {
	for tool, want := range map[string]struct{ kind, message string }{
		"deploy":   {"permission_denied", "deploy"},
		"mail_all": {"approval_expired", "did not answer"},
		"fail":     {"tool_error", "login with password=[REDACTED:passwd] failed"},
		"crash":    {"panic", "panic: boom"},
	} {
		got := exceptions[tool]
		if got["exception.type"] != want.kind || !strings.Contains(got["exception.message"], want.message) {
			t.Errorf("%s: got %v, want %v", tool, got, want)
		}
		if stack := got["exception.stacktrace"]; (stack != "") != (tool == "crash") {
			t.Errorf("%s: got the stack %q", tool, stack)
		}
		for key := range got {
			if !slices.Contains([]string{"exception.type", "exception.message", "exception.stacktrace"}, key) {
				t.Errorf("%s: got %s, want exception.* only", tool, key)
			}
		}
	}
}

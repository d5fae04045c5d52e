// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

var errDisk = errors.New("disk full on sda1")

func TestASuccessfulCall(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{
		ID: "s1", Tenant: "acme", Conversation: "conv-1", Agent: "planner", Batch: "b1", Turn: 3,
	})
	tool := &toolkit.Definition{Name: "echo", Description: "Echoes its input.", Cost: 0.25}
	execute := toolkit.Observe(func(string) *toolkit.Definition { return tool }, h)(r.Handle)
	call := toolkit.Call{ID: "call_1", Name: "echo", Arguments: []byte(`{"a":[1,2]}`), Intent: "to hear it"}
	if _, err := execute(ctx, call); err != nil {
		t.Fatal(err)
	}
	span := h.one(t)
	if span.Name() != "execute_tool echo" || span.SpanKind() != trace.SpanKindInternal {
		t.Errorf("got span %q of kind %v, want execute_tool echo, internal", span.Name(), span.SpanKind())
	}
	if span.Status().Code != codes.Unset || span.Status().Description != "" {
		t.Errorf("got status %v, want unset", span.Status())
	}
	if got := span.InstrumentationScope().Name; got != tracing.ScopeName {
		t.Errorf("got scope %q", got)
	}
	want := map[string]string{
		"gen_ai.operation.name":      "execute_tool",
		"gen_ai.tool.name":           "echo",
		"gen_ai.tool.type":           "function",
		"gen_ai.tool.call.id":        "call_1",
		"gen_ai.tool.description":    "Echoes its input.",
		"gen_ai.tool.call.arguments": `{"a":[1,2]}`,
		"gen_ai.tool.call.result":    `{"a":[1,2]}`,
		"gen_ai.agent.name":          "planner",
		"gen_ai.conversation.id":     "conv-1",
		"toolscope.outcome":          "executed",
		"toolscope.arguments.bytes":  "11",
		"toolscope.result.bytes":     "11",
		"session.id":                 "s1",
		"toolscope.tenant":           "acme",
		"toolscope.batch":            "b1",
		"toolscope.turn":             "3",
		"toolscope.cost":             "0.25",
		"toolscope.intent":           "to hear it",
	}
	compare(t, attributes(span.Attributes()), want)

	points := h.points(t, "gen_ai.execute_tool.duration")
	if len(points) != 1 || points[0].Count != 1 {
		t.Fatalf("got points %v, want one of one call", points)
	}
	compare(t, attributes(points[0].Attributes.ToSlice()), map[string]string{
		"gen_ai.tool.name": "echo", "gen_ai.tool.type": "function", "gen_ai.agent.name": "planner", "toolscope.outcome": "executed",
		"toolscope.side": "agent",
	})
	if got, want := points[0].Sum, span.EndTime().Sub(span.StartTime()).Seconds(); got != want {
		t.Errorf("the metric says %v s, the span %v s: want the same", got, want)
	}
	if got := points[0].Bounds; len(got) != 14 || got[0] != 0.01 || got[13] != 81.92 {
		t.Errorf("got bounds %v, want the conventions' 14", got)
	}
	if run := h.points(t, "toolscope.tool.run.duration"); len(run) != 1 || run[0].Sum != points[0].Sum {
		t.Errorf("got run %v, want the call's own duration for a call without waits", run)
	}
}

func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: got %q, want %q", k, got[k], v)
		}
	}
	for k, v := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: got %q, want no such attribute", k, v)
		}
	}
}

func TestEndings(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	refuse := func(toolkit.Handler) toolkit.Handler {
		return func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			c.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
			return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: c.Name, Message: "rule 7"}
		}
	}
	tests := []struct {
		name, tool                   string
		ctx                          context.Context
		middleware                   toolkit.Middleware
		errorType, outcome, describe string
	}{
		{"failed", "fails", context.Background(), nil, "tool_error", "executed", "disk full on sda1"},
		{"panicked", "panics", context.Background(), nil, "panic", "executed", "panic: disk full on sda1"},
		{"timed out", "waits", nil, nil, "timeout", "executed", "context deadline exceeded"},
		{"cancelled before it ran", "waits", canceled, nil, "canceled", "refused", "context canceled"},
		{"unknown", "no_such_tool", context.Background(), nil, "unknown_tool", "refused",
			`tool "no_such_tool": unknown tool: use one of the tools listed`},
		{"refused", "echo", context.Background(), refuse, "permission_denied", "refused", `tool "echo": permission denied: rule 7`},
	}
	for _, tt := range tests {
		inBubble(t, tt.name, func(t *testing.T) {
			if tt.ctx == nil {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				tt.ctx = ctx
			}
			h, r := newHarness(t, tracing.Options{}), registry(t)
			execute := toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h), tt.middleware)
			func() {
				defer func() {
					if v := recover(); (v != nil) != (tt.tool == "panics") || v != nil && v != any(errDisk) {
						t.Errorf("got panic %v", v)
					}
				}()
				_, _ = execute(tt.ctx, toolkit.Call{Name: tt.tool})
			}()
			span := h.one(t)
			got := attributes(span.Attributes())
			if got["error.type"] != tt.errorType || got["toolscope.outcome"] != tt.outcome {
				t.Errorf("got error.type %q, outcome %q, want %q, %q", got["error.type"], got["toolscope.outcome"], tt.errorType, tt.outcome)
			}
			if s := span.Status(); s.Code != codes.Error || s.Description != tt.describe {
				t.Errorf("got status %v %q, want Error %q", s.Code, s.Description, tt.describe)
			}
			if _, there := got["gen_ai.tool.call.result"]; there {
				t.Error("a failed call carries a result")
			}
			points := h.points(t, "gen_ai.execute_tool.duration")
			if len(points) != 1 {
				t.Fatalf("got %d points, want 1", len(points))
			}
			if labels := attributes(points[0].Attributes.ToSlice()); labels["error.type"] != tt.errorType {
				t.Errorf("the metric's error.type is %q, the span's %q", labels["error.type"], tt.errorType)
			}
		})
	}
}

// inBubble runs a subtest in virtual time.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func TestAnUnknownNameIsNowhere(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	evil := "evil\x1b[31m_" + strings.Repeat("x", 1<<20)
	_, _ = toolkit.Observe(r.Lookup, h)(r.Handle)(context.Background(), toolkit.Call{Name: evil, ID: evil})
	span := h.one(t)
	got := attributes(span.Attributes())
	if span.Name() != "execute_tool "+tracing.UnknownTool || got["gen_ai.tool.name"] != tracing.UnknownTool {
		t.Errorf("got span %.60q of tool %.60q", span.Name(), got["gen_ai.tool.name"])
	}
	for k, v := range got {
		if len(v) > 1024 {
			t.Errorf("%s: got %d bytes, want it cut", k, len(v))
		}
	}
	if labels := attributes(h.points(t, "gen_ai.execute_tool.duration")[0].Attributes.ToSlice()); labels["gen_ai.tool.name"] != tracing.UnknownTool {
		t.Errorf("got label %.60q", labels["gen_ai.tool.name"])
	}
}

func TestWhatThePoliciesToldIsOnTheSpan(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	leader := toolkit.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Sampled: true}
	policy := func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
			c.Record.Note(func(s *toolkit.Disposition) {
				s.Outcome, s.Attempts, s.Repeat, s.Origin = toolkit.OutcomeCoalesced, 2, 3, leader
				s.Age, s.Queue, s.Approval, s.Backoff = 4*time.Second, 5*time.Second, 6*time.Second, 7*time.Second
			})
			return toolkit.Result{Suspended: true}, nil
		}
	}
	_, _ = toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h), policy)(context.Background(), toolkit.Call{Name: "echo"})
	span := h.one(t)
	compare(t, attributes(span.Attributes()), map[string]string{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "echo", "gen_ai.tool.type": "function",
		"toolscope.outcome": "coalesced", "toolscope.attempts": "2", "toolscope.repeat": "3", "toolscope.suspended": "true",
		"toolscope.age.duration": "4", "toolscope.queue.duration": "5", "toolscope.approval.duration": "6",
		"toolscope.backoff.duration": "7",
		"toolscope.arguments.bytes":  "0", "toolscope.result.bytes": "0",
	})
	if links := span.Links(); len(links) != 1 || links[0].SpanContext.SpanID() != trace.SpanID(leader.SpanID) ||
		links[0].SpanContext.TraceID() != trace.TraceID(leader.TraceID) {
		t.Errorf("got links %v, want one to the leader", links)
	}
	if run := h.points(t, "toolscope.tool.run.duration"); len(run) != 0 {
		t.Errorf("a coalesced call was recorded as running: %v", run)
	}
}

func TestContentIsRedactedCutAndValid(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	secrets := canary.Secrets(11)
	var text strings.Builder
	for _, s := range secrets {
		text.WriteString(s.Text + "\n")
	}
	leaky := func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: strings.Repeat("a line of a log\n", 1<<16) + text.String()}, nil
		}
	}
	for _, m := range []toolkit.Middleware{nil, leaky} {
		_, _ = toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h), m)(context.Background(),
			toolkit.Call{Name: "echo", ID: secrets[3].Text, Arguments: []byte(secrets[0].Text)})
	}
	_, _ = toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h), func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{}, errors.New("\xff\xfe " + text.String())
		}
	})(context.Background(), toolkit.Call{Name: "echo"})
	for _, span := range h.spans.Ended() {
		shown := span.Name() + span.Status().Description
		for k, v := range attributes(span.Attributes()) {
			shown += "\n" + k + "=" + v
			if len(v) > 4096 {
				t.Errorf("%s: got %d bytes, want at most 4096", k, len(v))
			}
		}
		if found := canary.Find(shown, secrets); found != nil {
			t.Errorf("the span %q shows %v", span.Name(), found)
		}
		if strings.ToValidUTF8(shown, "") != shown {
			t.Errorf("the span %q holds invalid UTF-8", span.Name())
		}
	}
	if got := attributes(h.spans.Ended()[1].Attributes()); got["toolscope.result.truncated"] != "true" ||
		got["toolscope.result.bytes"] == "" {
		t.Errorf("a result of 1 MiB is not marked as truncated: %v", got["toolscope.result.truncated"])
	}
	if got := attributes(h.spans.Ended()[0].Attributes()); got["toolscope.redacted.count"] == "" ||
		got["toolscope.redacted.kinds"] == "" {
		t.Error("what was redacted is not told")
	}
}

func TestContentIsBuiltOnlyWhenSomebodyLooks(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options tracing.Options
	}{
		{"content off", tracing.Options{Content: tracing.ContentOff}},
		{"not recording", tracing.Options{TracerProvider: notSampled()}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t, tt.options)
			viewed := false
			adapter := toolkit.ToolAdapter(toolkit.Definition{Name: "t"})
			adapter.Content = func(string, *toolkit.Result) { viewed = true }
			run, err := toolkit.ObserveFunc(func(context.Context, json.RawMessage) (string, error) { return "x", nil }, adapter, h)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run(context.Background(), nil); err != nil || viewed {
				t.Errorf("err %v, viewed %v: want neither", err, viewed)
			}
			for _, s := range h.spans.Ended() {
				for k := range attributes(s.Attributes()) {
					if strings.HasPrefix(k, "gen_ai.tool.call.") && k != "gen_ai.tool.call.id" {
						t.Errorf("the span carries %s", k)
					}
				}
			}
		})
	}
}

func TestBadOptionsAreNamed(t *testing.T) {
	for want, options := range map[string]tracing.Options{
		"tracing: Options.MaxTools: got -1, want": {MaxTools: -1},
		"tracing: Options.Content: got 9, want":   {Content: 9},
	} {
		if _, err := tracing.New(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	t.Setenv(tracing.ContentEnv, "PERHAPS")
	if _, err := tracing.New(tracing.Options{}); err == nil || !strings.Contains(err.Error(), tracing.ContentEnv) {
		t.Errorf("got %v, want an error that names the variable", err)
	}
}

func TestToolsAreBounded(t *testing.T) {
	h := newHarness(t, tracing.Options{MaxTools: 3})
	for i := range 10 {
		def := &toolkit.Definition{Name: string(rune('a' + i))}
		execute := toolkit.Observe(func(string) *toolkit.Definition { return def },
			h)(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{}, nil
		})
		_, _ = execute(context.Background(), toolkit.Call{Name: def.Name})
	}
	names := map[string]bool{}
	for _, p := range h.points(t, "gen_ai.execute_tool.duration") {
		names[attributes(p.Attributes.ToSlice())["gen_ai.tool.name"]] = true
	}
	if len(names) != 4 || !names["_OTHER"] {
		t.Errorf("got labels %v, want three tools and _OTHER", names)
	}
}

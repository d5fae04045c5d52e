// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

var failing = &toolkit.Definition{Name: "backup", ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes}

func lookupFailing(name string) *toolkit.Definition {
	if name == failing.Name {
		return failing
	}
	return nil
}

// asIs is an adapter for functions that use the types of toolkit.
func asIs() toolkit.Adapter[toolkit.Call, toolkit.Result] {
	return toolkit.Adapter[toolkit.Call, toolkit.Result]{
		Tools:  toolkit.Lookup(lookupFailing),
		Call:   func(c toolkit.Call) toolkit.Call { return c },
		Result: func(r toolkit.Result, _ error) toolkit.Result { return r },
		Answer: func(_ toolkit.Call, r toolkit.Result, _ error) toolkit.Result { return r },
		Copy:   func(r toolkit.Result, _ toolkit.Call) toolkit.Result { return r.Clone() },
		With: func(c toolkit.Call, args json.RawMessage) toolkit.Call {
			c.Arguments = bytes.Clone(args)
			return c
		},
	}
}

// wrapFunc is WrapFunc that must succeed.
func wrapFunc[F toolkit.Func[C, R], C, R any](t *testing.T, s *toolscope.Scope, f F, a toolkit.Adapter[C, R],
	options ...toolscope.FuncOption) F {
	wrapped, err := toolscope.WrapFunc(s, f, a, options...)
	if err != nil {
		t.Fatal(err)
	}
	return wrapped
}

// wrappings are the ways in which a scope observes a tool that returns a result.
var wrappings = map[string]func(*testing.T, *toolscope.Scope, toolkit.Handler) toolkit.Handler{
	"Wrap": func(_ *testing.T, s *toolscope.Scope, h toolkit.Handler) toolkit.Handler {
		return s.Wrap(h, toolkit.Lookup(lookupFailing))
	},
	"ObserveOnly": func(t *testing.T, s *toolscope.Scope, h toolkit.Handler) toolkit.Handler {
		return wrapFunc(t, s, h, asIs(), toolscope.ObserveOnly())
	},
	"ObserveOnly, without an error": func(t *testing.T, s *toolscope.Scope, h toolkit.Handler) toolkit.Handler {
		f := wrapFunc(t, s, func(ctx context.Context, c toolkit.Call) toolkit.Result {
			res, _ := h(ctx, c)
			return res
		}, asIs(), toolscope.ObserveOnly())
		return func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) { return f(ctx, c), nil }
	},
	"WrapFunc": func(t *testing.T, s *toolscope.Scope, h toolkit.Handler) toolkit.Handler {
		return wrapFunc(t, s, h, asIs())
	},
	"Callbacks": func(t *testing.T, s *toolscope.Scope, h toolkit.Handler) toolkit.Handler {
		callbacks, err := s.Callbacks(toolkit.Lookup(lookupFailing), toolscope.ObserveOnly())
		if err != nil {
			t.Fatal(err)
		}
		return func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
			ctx, running := callbacks.Begin(ctx, c)
			res, err := h(ctx, c)
			running.End(res, err)
			return res, err
		}
	},
}

// TestAFailureKeepsItsReason: where the fault of a result says no more than its kind, the text of the result is
// the text of the error: in the span's status and in the groups of errors, on each way into a scope.
func TestAFailureKeepsItsReason(t *testing.T) {
	secret := canary.Secrets(3)[0]
	part := func(p ...toolkit.Part) []toolkit.Part { return p }
	for name, c := range map[string]struct {
		result toolkit.Result
		want   string // the status of the span
		kind   string
	}{
		"output": {toolkit.Result{Output: "disk full on sda1\n", Fault: toolkit.ErrTool}, "disk full on sda1", "tool_error"},
		"another kind": {
			toolkit.Result{Output: "no answer in 5s", Fault: toolkit.ErrTimeout}, "no answer in 5s", "timeout"},
		"an *Error without a text": {
			toolkit.Result{Output: "disk full", Fault: &toolkit.Error{Kind: "disk", Tool: "backup"}}, "disk full", "disk"},
		"an *Error whose cause has none": {
			toolkit.Result{Output: "disk full", Fault: &toolkit.Error{Cause: toolkit.ErrTool}}, "disk full", "tool_error"},
		"SoftError without a text": {
			toolkit.Result{Output: "disk full", Fault: toolkit.SoftError(true, "")}, "disk full", "tool_error"},
		"an error that names its kind only": {
			toolkit.Result{Output: "disk full", Fault: errors.New("tool error")}, "disk full", "tool_error"},
		"parts only": {toolkit.Result{Parts: part(toolkit.Part{Kind: toolkit.PartImage, Data: []byte("x")},
			toolkit.Part{Kind: toolkit.PartText, Text: "disk full"}), Fault: toolkit.ErrTool}, "disk full", "tool_error"},
		"structured content only": {toolkit.Result{Parts: part(toolkit.Part{Kind: toolkit.PartStructured,
			JSON: []byte(`{"reason":"disk full"}`)}), Fault: toolkit.ErrTool}, `{"reason":"disk full"}`, "tool_error"},
		"nothing at all":    {toolkit.Result{Output: "  \n", Fault: toolkit.ErrTool}, "tool error", "tool_error"},
		"a text of its own": {toolkit.Result{Output: "try later", Fault: errors.New("disk full")}, "disk full", "tool_error"},
		"a text of its own, wrapped": {toolkit.Result{Output: "try later", Fault: &toolkit.Error{Message: "disk full"}},
			"tool error: disk full", "tool_error"},
		"a secret": {toolkit.Result{Output: "at " + secret.Text, Fault: toolkit.ErrTool}, "", "tool_error"},
	} {
		for way, wrap := range wrappings {
			t.Run(name+"/"+way, func(t *testing.T) {
				scope, spans := newScope(t, toolscope.Options{})
				execute := wrap(t, scope, func(context.Context, toolkit.Call) (toolkit.Result, error) { return c.result, nil })
				res, err := execute(t.Context(), toolkit.Call{Name: "backup"})
				if err != nil || res.Output != c.result.Output || !errors.Is(res.Fault, c.result.Fault) {
					t.Errorf("got %q, %v, %v, want the tool's own result", res.Output, res.Fault, err)
				}
				span := spans.Ended()[0]
				status, group := span.Status().Description, onlyGroup(t, scope)
				if c.want != "" && (status != c.want || group.Example != c.want || span.Status().Code != codes.Error) {
					t.Errorf("got status %q and error group %q, want %q", status, group.Example, c.want)
				}
				if kind := valueOf(span, "error.type"); kind != c.kind || group.Type != c.kind {
					t.Errorf("got error.type %q on the span and %q of the group, want %q", kind, group.Type, c.kind)
				}
				if found := canary.Find(status+group.Example+group.Message, []canary.Secret{secret}); found != nil {
					t.Errorf("%q and %q show %v", status, group.Example, found)
				}
			})
		}
	}
}

// TestFailuresAreGroupedByTheirReason: each cause has its group, and what differs between calls is normalised.
func TestFailuresAreGroupedByTheirReason(t *testing.T) {
	for way, wrap := range wrappings {
		scope, _ := newScope(t, toolscope.Options{})
		execute := wrap(t, scope, func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: c.ID, Fault: toolkit.ErrTool}, nil
		})
		for _, text := range []string{"disk full at 10 %", "disk full at 20 %", "connection refused"} {
			_, _ = execute(t.Context(), toolkit.Call{ID: text, Name: "backup"})
		}
		counts := map[string]uint64{}
		for _, g := range groups(scope) {
			counts[g.Message] = g.Count
		}
		if len(counts) != 2 || counts["connection refused"] != 1 || counts["disk full at <num> %"] != 2 {
			t.Errorf("%s: got groups %v, want one of a full disk, twice, and one of a refused connection", way, counts)
		}
	}
}

// TestTheResultOfAFailedCall: the conventions give it no attribute, so it has one of toolscope's, redacted and
// truncated, if content goes onto spans. The status is the text of an error: it has its own switch.
func TestTheResultOfAFailedCall(t *testing.T) {
	const own, conventions = "toolscope.error.result", "gen_ai.tool.call.result"
	secret := canary.Secrets(3)[0]
	long := strings.Repeat("disk full ", 10_000)
	span := func(result toolkit.Result, o toolscope.Options) sdktrace.ReadOnlySpan {
		scope, spans := newScope(t, o)
		execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return result, nil },
			toolkit.Lookup(lookupFailing))
		_, _ = execute(t.Context(), toolkit.Call{Name: "backup"})
		return spans.Ended()[0]
	}
	s := span(toolkit.Result{Output: `{"reason":"disk full","free":0}`, Fault: errors.New("backup failed")}, toolscope.Options{})
	if got := valueOf(s, own); got != `{"reason":"disk full","free":0}` || valueOf(s, conventions) != "" {
		t.Errorf("got %q, and %q as the conventions' result, want the result and none", got, valueOf(s, conventions))
	}
	if s = span(toolkit.Result{Output: "fine"}, toolscope.Options{}); valueOf(s, own) != "" || valueOf(s, conventions) != "fine" {
		t.Errorf("a success: got %v, want the conventions' result only", s.Attributes())
	}
	s = span(toolkit.Result{Output: "at " + secret.Text, Fault: toolkit.ErrTool}, toolscope.Options{})
	if got := valueOf(s, own); canary.Find(got, []canary.Secret{secret}) != nil || !strings.HasPrefix(got, "at ") {
		t.Errorf("got %q, want the result without %v", got, secret)
	}
	if valueOf(s, "toolscope.redacted.count") == "" {
		t.Errorf("got %v, want the number of redacted values", s.Attributes())
	}
	s = span(toolkit.Result{Output: long, Fault: toolkit.ErrTool}, toolscope.Options{})
	got, status := valueOf(s, own), s.Status().Description
	if len(got) > 4096 || len(got) < 3000 || valueOf(s, "toolscope.result.truncated") != "true" {
		t.Errorf("got a result of %d bytes, truncated %s, want about 4096", len(got), valueOf(s, "toolscope.result.truncated"))
	}
	if len(status) > 1024 || len(status) < 900 || !strings.HasPrefix(status, "disk full") {
		t.Errorf("got a status of %d bytes, want about 1024", len(status))
	}
	s = span(toolkit.Result{Output: "disk full", Fault: toolkit.ErrTool}, toolscope.Options{Content: tracing.ContentOff})
	if valueOf(s, own) != "" || s.Status().Description != "disk full" {
		t.Errorf("content off: got %q and status %q, want the status only", valueOf(s, own), s.Status().Description)
	}
}

// TestAFailureFollowsTheRulesOfItsTool: a redaction rule for a tool's result also holds for its text as an error.
func TestAFailureFollowsTheRulesOfItsTool(t *testing.T) {
	redactor, err := redact.New(redact.Options{Rules: []redact.Rule{{Tool: "backup", Path: "$.host", Action: redact.Mask}}})
	if err != nil {
		t.Fatal(err)
	}
	scope, spans := newScope(t, toolscope.Options{Redactor: redactor})
	execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: `{"host":"sda1.internal"}`, Fault: toolkit.ErrTool}, nil
	}, toolkit.Lookup(lookupFailing))
	_, _ = execute(t.Context(), toolkit.Call{Name: "backup"})
	span := spans.Ended()[0]
	const want = `{"host":"[REDACTED:rule]"}`
	for place, got := range map[string]string{
		"status": span.Status().Description, "attribute": valueOf(span, "toolscope.error.result"),
		"statistics": onlyGroup(t, scope).Example,
	} {
		if got != want {
			t.Errorf("%s: got %s, want %s", place, got, want)
		}
	}
}

// TestTheTextOfAFailureIsReadSafely: an error whose methods panic counts as one with a text of its own.
func TestTheTextOfAFailureIsReadSafely(t *testing.T) {
	for way, wrap := range wrappings {
		scope, spans := newScope(t, toolscope.Options{})
		execute := wrap(t, scope, func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "disk full", Fault: panicking{}}, nil
		})
		_, _ = execute(t.Context(), toolkit.Call{Name: "backup"})
		if len(spans.Ended()) != 1 || spans.Ended()[0].Status().Code != codes.Error || len(groups(scope)) != 1 {
			t.Errorf("%s: got %d spans and %d groups, want one failed call", way, len(spans.Ended()), len(groups(scope)))
		}
	}
}

type panicking struct{}

func (panicking) Error() string { panic("no text") }

func groups(scope *toolscope.Scope) []stats.ErrorGroup {
	return scope.Stats().Snapshot(stats.Window{}).Errors
}

func onlyGroup(t *testing.T, scope *toolscope.Scope) stats.ErrorGroup {
	t.Helper()
	all := groups(scope)
	if len(all) != 1 {
		t.Fatalf("got %d groups of errors, want 1", len(all))
	}
	return all[0]
}

func valueOf(s sdktrace.ReadOnlySpan, key string) string {
	for _, kv := range s.Attributes() {
		if string(kv.Key) == key {
			return kv.Value.String()
		}
	}
	return ""
}

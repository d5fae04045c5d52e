// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

func TestWrongOptionsAreNamed(t *testing.T) {
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	for want, o := range map[string]toolscope.Options{
		"toolscope: Options.Content: got 9, want": {Content: 9, NoTracing: true, NoMetrics: true},
		"toolscope: Options.Policies[1]: got a nil policy, want": {
			Policies: []middleware.Policy{pass, nil}},
		"toolscope: Options.Settings.Policies[0]: got a nil policy, want": {
			Settings: toolscope.Settings{Policies: []middleware.Policy{nil}}},
		"tracing: Options.MaxTools: got -1, want": {Tracing: tracing.Options{MaxTools: -1}},
	} {
		if _, err := toolscope.New(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want an error that begins with %q", err, want)
		}
	}
}

// TestTracingOptions checks that Options.Tracing replaces the scope's values field by field, and that its zero
// fields keep them. NoTracing applies to both.
func TestTracingOptions(t *testing.T) {
	off, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		t.Fatal(err)
	}
	scopes, own := tracetest.NewSpanRecorder(), tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(scopes))
	replaced := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(own))
	for _, c := range []struct {
		name        string
		options     toolscope.Options
		scopes, own int
		content     bool
		redactor    *redact.Redactor
	}{
		{"zero", toolscope.Options{Redactor: off}, 1, 0, true, off},
		{"provider", toolscope.Options{
			Tracing: tracing.Options{TracerProvider: replaced}}, 0, 1, true, redact.Default()},
		{"content", toolscope.Options{
			Tracing: tracing.Options{Content: tracing.ContentOff}}, 1, 0, false, redact.Default()},
		{"redactor", toolscope.Options{Tracing: tracing.Options{Redactor: off}}, 1, 0, true, off},
		{"no tracing", toolscope.Options{NoTracing: true, Tracing: tracing.Options{TracerProvider: replaced}},
			0, 0, true, redact.Default()},
	} {
		scopes.Reset()
		own.Reset()
		c.options.TracerProvider = provider
		scope, err := toolscope.New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = scope.WrapRegistry(echo(t))(t.Context(), toolkit.Call{Name: "echo", Arguments: []byte(`{}`)})
		if got := len(scopes.Ended()); got != c.scopes {
			t.Errorf("%s: the scope's provider got %d spans, want %d", c.name, got, c.scopes)
		}
		if got := len(own.Ended()); got != c.own {
			t.Errorf("%s: the provider of Options.Tracing got %d spans, want %d", c.name, got, c.own)
		}
		if got := scope.Tracing().Content(); got != c.content {
			t.Errorf("%s: got content %v, want %v", c.name, got, c.content)
		}
		if got := scope.Tracing().Protocol().Redactor(); got != c.redactor {
			t.Errorf("%s: got another redactor", c.name)
		}
	}
}

// TestOptionsAreCopied changes the slices after New, which must have copied them, and checks that New did not append to
// them.
func TestOptionsAreCopied(t *testing.T) {
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	first, second, third := &pointerPolicy{pass}, &pointerPolicy{pass}, &pointerPolicy{pass}
	recorder := new(tooltest.Recorder)
	policies := append(make([]middleware.Policy, 0, 4), first)
	o := toolscope.Options{
		Policies:  policies,
		Settings:  toolscope.Settings{Policies: []middleware.Policy{second}},
		Observers: []toolkit.Observer{nil, recorder},
		NoTracing: true, NoMetrics: true,
	}
	scope, err := toolscope.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if spare := policies[:2][1]; spare != nil {
		t.Errorf("New wrote %v behind the caller's slice", spare)
	}
	o.Policies[0], o.Settings.Policies[0], o.Observers[1] = third, third, nil
	got := scope.Settings().Policies
	if len(got) != 2 || got[0] != first || got[1] != second {
		t.Errorf("got policies %v, want those given to New, Policies before Settings.Policies", got)
	}
	if _, err := scope.WrapRegistry(echo(t))(t.Context(), toolkit.Call{Name: "echo"}); err != nil {
		t.Fatal(err)
	}
	if got := recorder.Len(); got != 1 {
		t.Errorf("the observer saw %d calls, want 1", got)
	}
}

// pointerPolicy is a policy that the test can identify.
type pointerPolicy struct{ middleware.Policy }

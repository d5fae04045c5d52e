// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package systems_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/files"
)

// TestApprovedCallsStayInTheSandbox: a person's yes does not open what the tool itself refuses.
func TestApprovedCallsStayInTheSandbox(t *testing.T) {
	dir := t.TempDir()
	desk, outside := filepath.Join(dir, "desk"), filepath.Join(dir, "secret.txt")
	if err := os.Mkdir(desk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(outside, []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := files.New(files.Options{Roots: []files.Root{{Name: "desk", Path: desk}}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	r := new(toolkit.Registry)
	if err := r.Register(set.Tools()...); err != nil {
		t.Fatal(err)
	}
	asked := 0
	approver, err := approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(
		func(context.Context, approve.Request) (approve.Answer, error) {
			asked++
			return approve.Answer{Approved: true, By: "ada"}, nil
		})}})
	if err != nil {
		t.Fatal(err)
	}
	h := middleware.Wrap(r.Handle, approver)
	for _, path := range []string{outside, "../secret.txt"} { // the word "secret" asks
		res, err := h(t.Context(), toolkit.Call{Name: "file_read", Arguments: []byte(`{"path":"` + filepath.ToSlash(path) + `"}`)})
		if err == nil && res.Fault == nil || strings.Contains(res.Output, "hidden") {
			t.Errorf("%s: got %q, want it refused", path, res.Output)
		}
	}
	if asked != 2 {
		t.Errorf("got %d questions, want 2", asked)
	}
}

// TestUnusualCallsAreRecorded: what the configured baseline notices is on the span, in the statistics and in the audit log,
// and what it learned survives the program.
func TestUnusualCallsAreRecorded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "toolscope.yaml")
	text := "policies:\n  baseline: {warmup: 10, file: learned.json}\naudit: {file: audit.jsonl}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	use := func(tool string, times int) (*tracetest.SpanRecorder, []stats.PolicyCount) {
		t.Helper()
		file, err := config.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		spans := tracetest.NewSpanRecorder()
		scope, err := toolscope.New(file.Options(toolscope.Options{
			TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)), MeterProvider: sdkmetric.NewMeterProvider(),
		}))
		if err != nil {
			t.Fatal(err)
		}
		r := new(toolkit.Registry)
		for _, name := range []string{"read", "send"} {
			tool := toolkit.ToolFunc(toolkit.Definition{Name: name}, func(context.Context, toolkit.Call) (toolkit.Result, error) {
				return toolkit.Result{Output: "done"}, nil
			})
			if err := r.Register(tool); err != nil {
				t.Fatal(err)
			}
		}
		h := scope.WrapRegistry(r)
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Agent: "a"})
		for range times {
			if _, err := h(ctx, toolkit.Call{Name: tool}); err != nil {
				t.Fatal(err)
			}
		}
		counted := scope.Stats().Summary(stats.Window{}).Overall.Policies
		if err := scope.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		return spans, counted
	}
	if _, counted := use("read", 10); len(counted) > 0 {
		t.Errorf("in the warm-up: got %v", counted)
	}
	spans, counted := use("send", 1)
	var attributes []string
	for _, a := range spans.Ended()[0].Attributes() {
		attributes = append(attributes, string(a.Key)+"="+a.Value.String())
	}
	if !slices.Contains(attributes, "toolscope.baseline.first_use=true") {
		t.Errorf("span: got %q", attributes)
	}
	want := stats.PolicyCount{PolicyTag: stats.PolicyTag{Key: "baseline.first_use", Value: "true"}, Count: 1}
	if !slices.Contains(counted, want) {
		t.Errorf("statistics: got %v, want %v", counted, want)
	}
	log, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	if err != nil || strings.Count(string(log), "\n") != 1 || !strings.Contains(string(log), `"baseline.first_use":"true"`) {
		t.Errorf("audit log: got %s, %v, want one call", log, err)
	}
}

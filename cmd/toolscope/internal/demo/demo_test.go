// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/demo"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/stats"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// session runs the demo in a small directory and gives its traces.
func session(t *testing.T) (demo.Summary, []exporters.Trace, *stats.Recorder) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"README.md": "# Test\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ring := exporters.NewRing(4096)
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ring))
	scope, err := toolscope.New(toolscope.Options{TracerProvider: provider})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := demo.Run(t.Context(), scope, demo.Options{Dir: dir, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := scope.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	return summary, ring.Traces(), scope.Stats()
}

// turnWith is the trace that has a call of the tool.
func turnWith(t *testing.T, traces []exporters.Trace, tool string) exporters.Trace {
	t.Helper()
	for _, trace := range traces {
		for _, s := range trace.Spans {
			if s.Name() == "execute_tool "+tool {
				return trace
			}
		}
	}
	t.Fatalf("got no trace with a call of %s", tool)
	return exporters.Trace{}
}

// changing are what differs between two runs.
var changing = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`after \d+(\.\d+)?m?s`), "after TIME"},
	{regexp.MustCompile(`"duration_ms":[0-9.]+`), `"duration_ms":TIME`},
	{regexp.MustCompile(`(execute_tool date_now\n.*\n.*← ).*`), "${1}NOW"},
}

// TestTreeOfOneTurn compares the trace of the turn that uses one tool after the other
// with a file that a person can read.
func TestTreeOfOneTurn(t *testing.T) {
	summary, traces, _ := session(t)
	if len(summary.Notes) > 0 {
		if os.Getenv("TOOLSCOPE_E2E") == "1" {
			t.Fatalf("this machine lacks something: %q", summary.Notes)
		}
		t.Skipf("this machine lacks something: %q", summary.Notes)
	}
	var tree bytes.Buffer
	if err := exporters.WriteTree(
		&tree, turnWith(t, traces, "weather"), exporters.TreeOptions{NoTimes: true, MaxValue: 110},
	); err != nil {
		t.Fatal(err)
	}
	got := tree.String()
	for _, c := range changing {
		got = c.pattern.ReplaceAllString(got, c.with)
	}
	const golden = "testdata/turn.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.ReplaceAll(string(want), "\r\n", "\n"); got != text {
		t.Errorf("got\n%s\nwant\n%s\nrun the test with -update if that is right", got, text)
	}
}

// TestSession checks that the session uses every tool of the catalog, ends in each of
// the ways, and lets no secret out.
func TestSession(t *testing.T) {
	summary, traces, recorder := session(t)
	types := make(map[string]bool)
	secrets := canary.Secrets(7)
	for _, trace := range traces {
		for _, s := range trace.Spans {
			text := s.Name() + s.Status().Description
			errorType := ""
			for _, a := range s.Attributes() {
				text += "\n" + a.Value.String()
				if a.Key == "error.type" {
					errorType = a.Value.AsString()
				}
			}
			types[errorType] = true
			if found := canary.Find(text, secrets); found != nil {
				t.Errorf("%s shows %v", s.Name(), found)
			}
		}
	}
	if unused := recorder.Health(stats.Window{}).Unused; len(unused) > 0 && len(summary.Notes) == 0 {
		t.Errorf("got no call of %v", unused)
	}
	for _, kind := range []string{
		"", "tool_error", "timeout", "panic", "unknown_tool", "invalid_arguments", "permission_denied",
	} {
		if !types[kind] {
			t.Errorf("got no call with error.type %q", kind)
		}
	}
	if summary.Calls < demo.MinCalls {
		t.Errorf("got %d calls", summary.Calls)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/exporters"
)

// forget runs the command.
func forget(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"forget"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestForgetCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	calls := write(
		"calls.jsonl",
		"{\"tool\":\"x\",\"duration_us\":1,\"session\":\"s-1\"}\n{\"tool\":\"x\",\"duration_us\":1,\"session\":\"s-2\"}\n",
	)
	audit := write(
		"audit.jsonl",
		`{"time":"2026-11-21T09:00:00Z","event":"call","tool":"x","session":"s-1","arguments":"{\"q\":\"a question `+
			`that was asked\"}"}`+"\n",
	)
	write(
		"traces/spans-1.jsonl",
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","attributes":[{"key":"toolscope.session.id",`+
			`"value":{"stringValue":"s-1"}}]}]}]}]}`+"\n",
	)
	traces := filepath.Join(dir, "traces")
	stages := []string{"--log", calls, "--audit", audit, "--traces", traces}

	code, out, errs := forget(t, append(stages, "--session", "s-1", "--dry-run")...)
	if code != exitOK || errs != "" || strings.Count(out, "1 ") < 3 || strings.Count(out, "would be removed") != 3 {
		t.Errorf("dry run: got %d, %q, %q", code, out, errs)
	}
	if text, _ := os.ReadFile(calls); !bytes.Contains(text, []byte("s-1")) {
		t.Error("dry run: the session is gone")
	}
	code, out, errs = forget(t, append(stages, "--session", "s-1", "--json")...)
	var told struct {
		Session string
		Removed int
		Places  []struct{ Removed int }
	}
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != exitOK || errs != "" || told.Removed != 3 ||
		len(told.Places) != 3 {
		t.Errorf("got %d, %s, %q, %v", code, out, errs, err)
	}
	for _, path := range []string{calls, audit, filepath.Join(traces, "spans-1.jsonl")} {
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte("s-1")) {
			t.Errorf("%s: got %s, %v, want the session gone", path, text, err)
		}
	}
	if text, _ := os.ReadFile(calls); !bytes.Contains(text, []byte("s-2")) {
		t.Error("another session is gone as well")
	}
	if text, _ := os.ReadFile(audit); !bytes.Contains(
		text,
		[]byte(`{"time":"2026-11-21T09:00:00Z","event":"forgotten","forgotten":"`),
	) {
		t.Errorf("got %s, want an entry that says so", text)
	}
	if code, out, _ := forget(t, append(stages, "--session", "s-1")...); code != exitOK ||
		strings.Contains(out, "1 lines") {
		t.Errorf("a second time: got %d, %q", code, out)
	}
	// One place that fails does not keep the others from being looked at.
	code, out, errs = forget(t, "--session", "s-2", "--audit", filepath.Join(dir, "none"), "--log", calls)
	if code != exitError || !strings.Contains(errs, "no such file") && filepath.Separator == '/' ||
		!strings.Contains(out, calls+": 1 lines") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
}

func TestForgetWords(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--session: got none"},
		{[]string{"--session", "s"}, "got no place to look"},
		{[]string{"--session", "s", "--log", "x", "more"}, `got "more"`},
		{[]string{"--sessions", "s"}, "--help"},
	} {
		if code, _, errs := forget(t, c.args...); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%q: got %d, %q, want %q", c.args, code, errs, c.want)
		}
	}
	if code, out, _ := forget(t, "--help"); code != exitOK || !strings.Contains(out, "--dry-run") {
		t.Errorf("--help: got %d, %q", code, out)
	}
}

// What a program that was killed left in its spool goes as well.
func TestForgetSpool(t *testing.T) {
	dir := t.TempDir()
	provider, err := exporters.Setup(t.Context(), exporters.Options{
		RingSpans: -1, Exporters: []sdktrace.SpanExporter{deadExporter{}},
		SpoolDir: dir, Spool: exporters.SpoolOptions{WriteAhead: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range []string{"s-1", "s-2", "s-1"} {
		_, span := provider.TracerProvider.Tracer("test").Start(t.Context(), "call")
		span.SetAttributes(attribute.String("toolscope.session.id", session))
		span.End()
	}
	for end := time.Now().Add(30 * time.Second); provider.Ledger()[0].OnDisk != 3; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %v, want all spans on disk", provider.Ledger())
		}
	}
	_ = provider.Shutdown(t.Context()) // no collector takes the spans

	if code, out, errs := forget(t, "--session", "s-1", "--spool", dir, "--dry-run"); code != exitOK ||
		!strings.Contains(out, "2 spans would be removed") || errs != "" {
		t.Errorf("dry run: got %d, %q, %q, want 2 spans", code, out, errs)
	}
	if code, out, errs := forget(t, "--session", "s-1", "--spool", dir); code != exitOK ||
		!strings.Contains(out, "2 spans removed") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if code, out, _ := forget(t, "--session", "s-1", "--spool", dir); code != exitOK ||
		!strings.Contains(out, "0 spans removed") {
		t.Errorf("a second time: got %d, %q", code, out)
	}
	if code, _, errs := forget(t, "--session", "s-1", "--spool", filepath.Join(dir, "none")); code != exitError ||
		errs == "" {
		t.Errorf("no directory: got %d, %q", code, errs)
	}
}

// deadExporter takes nothing.
type deadExporter struct{}

func (deadExporter) Shutdown(context.Context) error { return nil }
func (deadExporter) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	return errors.New("connection refused")
}

// An id that redaction changes is not in the logs as it is.
func TestForgetTellsOfRedaction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id := "gh" + "p_" + strings.Repeat("aB3d", 9)
	code, _, errs := forget(t, "--session", id, "--log", path)
	if code != exitOK || !strings.Contains(errs, "have this id as [REDACTED:") || strings.Contains(errs, id) {
		t.Errorf("got %d, %q", code, errs)
	}
}

// A call without a session is removed by its id in the log, with its steps.
func TestForgetOneCall(t *testing.T) {
	t.Setenv(recordings.Variable, t.TempDir())
	file := filepath.Join(os.Getenv(recordings.Variable), "20261122T100000Z-web-aaaaaa.jsonl")
	kept := `{"v":1,"record":"end","time":"2026-11-22T10:00:00Z","tool":"x","outcome":"executed","duration_us":1}` + "\n"
	text := kept
	for _, ids := range [][2]string{{"A-1", ""}, {"A-2", "A-1"}, {"A-3", "A-2"}, {"A-4", ""}, {"A-11", ""}} {
		text += `{"v":1,"record":"end","call":"` + ids[0] + `","parent_call":"` + ids[1] +
			`","time":"2026-11-22T10:00:00Z","tool":"x","outcome":"executed","duration_us":1}` + "\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := invoke("sessions", "", "show", "--ids", file); code != exitOK || !strings.Contains(out, "A-3  ") {
		t.Errorf("show --ids: got %d, %s, %s", code, out, errs)
	}
	if code, out, errs := forget(t, "--call", "A-1", "--recordings"); code != exitOK || !strings.Contains(out, "3 lines removed") {
		t.Errorf("got %d, %s, %s", code, out, errs)
	}
	if code, _, errs := forget(t, "--call", "run/step", "--recordings"); code != exitOK ||
		!strings.Contains(errs, `nothing has the id "run/step": 'toolscope sessions show --ids FILE' prints the ids of calls`) {
		t.Errorf("an id of another kind: got %d, %s", code, errs)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	code, _, errs := forget(t, "--call", "A-1", "--recordings="+missing)
	if code != exitError || !strings.Contains(errs, missing) {
		t.Errorf("a directory that is not there: got %d, %s, want an error", code, errs)
	}
	left, err := os.ReadFile(file)
	for call, want := range map[string]bool{`"A-1"`: false, `"A-2"`: false, `"A-3"`: false, `"A-4"`: true, `"A-11"`: true, kept: true} {
		if err != nil || bytes.Contains(left, []byte(call)) != want {
			t.Errorf("%s: got it %v (%v), want %v", call, !want, err, want)
		}
	}
	for want, args := range map[string][]string{
		"got --session and --call":         {"--call", "A-1", "--session", "s", "--recordings"},
		"--call: got it with --audit":      {"--call", "A-1", "--audit", file},
		"--tenant: got it with --call":     {"--call", "A-1", "--tenant", "t", "--recordings"},
		"--session: got none, want the id": {"--recordings"},
	} {
		if code, _, errs := forget(t, args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: got %d, %s, want %s", args, code, errs, want)
		}
	}
}

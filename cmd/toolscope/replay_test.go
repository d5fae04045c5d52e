// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recordedSession = `{"session":"s","turn":1,"id":"1","name":"file_read","arguments":{"path":"a.txt"},"answer":{"output":"recorded \u001b[2J"}}
{"session":"s","turn":1,"id":"2","name":"file_read","arguments":{"paht":"a.txt"}}
{"session":"s","turn":2,"id":"3","name":"no_such_tool","answer":{"output":"from another registry"}}
`

func replayed(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("from the disk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = run(append([]string{"replay", "--dir", dir}, args...), strings.NewReader(recordedSession), &out, &errs)
	return code, out.String(), errs.String()
}

func TestReplayRunsTheTools(t *testing.T) {
	code, out, errs := replayed(t, "-")
	if code != exitError { // the answers are not the recorded ones
		t.Fatalf("got %d, %s", code, errs)
	}
	for _, want := range []string{
		"session s, turn 1", "session s, turn 2", "from the disk", "refused invalid_arguments",
		"refused unknown_tool", "TOOL", "POLICY",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q in it", out, want)
		}
	}
}

func TestReplayGivesRecordedAnswers(t *testing.T) {
	code, out, errs := replayed(t, "--answers", "--json", "-")
	if code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 {
		t.Fatalf("got %d lines, want a call each and the statistics:\n%s", len(lines), out)
	}
	var calls [3]struct {
		ID, Tool, Outcome, Output string
		Error                     string `json:"error_type"`
		Turn                      int
	}
	for i := range calls {
		if err := json.Unmarshal([]byte(lines[i]), &calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	if c := calls[0]; c.Output != "recorded \x1b[2J" || c.Outcome != "executed" || c.ID != "1" || c.Turn != 1 {
		t.Errorf("got %+v", c)
	}
	if c := calls[1]; c.Error != "invalid_arguments" || c.Outcome != "refused" {
		t.Errorf("got %+v", c)
	}
	if c := calls[2]; c.Output != "from another registry" || c.Outcome != "executed" {
		t.Errorf("got %+v", c)
	}
	if !strings.HasPrefix(lines[3], `{"stats":{`) || strings.Contains(out, "from the disk") {
		t.Errorf("got %s", lines[3])
	}
}

func TestReplayDryRunDecidesOnly(t *testing.T) {
	code, out, _ := replayed(t, "--dry-run", "-")
	if code != exitOK || !strings.Contains(out, "dry run") || strings.Contains(out, "from the disk") ||
		!strings.Contains(out, "refused unknown_tool") {
		t.Errorf("got %d\n%s", code, out)
	}
}

func TestReplayWithAConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "toolscope.yaml")
	if err := os.WriteFile(file, []byte("tools: {file_read: {enabled: false}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := replayed(t, "--config", file, "-"); code != exitError ||
		strings.Count(out, "refused permission_denied") != 2 {
		t.Errorf("got %d\n%s", code, out)
	}
}

func TestReplayNamesWhatIsWrong(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "got 0 files"},
		{[]string{"--answers", "--dry-run", "-"}, exitUsage, "want one of them"},
		{[]string{"--answers", "--write", "-"}, exitUsage, "--write"},
		{[]string{"no-such-file"}, exitError, "no-such-file"},
		{[]string{bad}, exitError, bad + `: transcript: line 1: got no "name"`},
		{[]string{"--config", "no-such-file", "-"}, exitError, "no-such-file"},
	} {
		if code, _, errs := replayed(t, c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: got %d, %s", c.args, code, errs)
		}
	}
}

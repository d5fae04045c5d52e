// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A running time that is not known is not shown as one.
func TestUnknownTimesAreNotShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "untimed.jsonl")
	text := `{"session":"s","id":"1","name":"read","arguments":{"n":1},"answer":{"output":"x"}}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args       []string
		want, says string
	}{
		{[]string{"report", file}, " <100 ns", "1 call without a running time"},
		{[]string{"sessions", "show", file}, "  –  {", ""},
		{[]string{"replay", "--answers", file}, "  –  x", ""},
		{[]string{"top", "--once", "--log", file}, " <100 ns", ""},
	} {
		code, out, errs := invoke(c.args[0], "", c.args[1:]...)
		if code != exitOK || !strings.Contains(out, c.want) || !strings.Contains(errs, c.says) ||
			strings.Contains(out, "63 ns") || strings.Contains(out, " 0 ns") {
			t.Errorf("%v: got %d, %s, %s, want %q and %q", c.args, code, out, errs, c.want, c.says)
		}
	}
}

// Where no tool runs, the time of a call is the recorded one.
func TestReplayedAnswersHaveTheRecordedTimes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "timed.jsonl")
	if err := os.WriteFile(file, []byte(checkedSession), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := invoke("replay", "", "--answers", file)
	if code != exitOK || !strings.Contains(out, "1.50 ms  text") || !strings.Contains(out, "9.00 ms  done") ||
		!strings.Contains(out, "No tool ran: the times in this table are those of the policies.") {
		t.Errorf("got %d, %s, %s, want the recorded times", code, out, errs)
	}
	code, out, errs = invoke("replay", "", "--answers", "--json", file)
	if code != exitOK || !strings.Contains(out, `"duration_ms":1.5,`) {
		t.Errorf("--json: got %d, %s, %s, want the recorded times", code, out, errs)
	}
}

// Waits for a person or a slot are no running time, whichever file has the call.
func TestWaitsAreNoRunningTime(t *testing.T) {
	dir := t.TempDir()
	began := map[string]time.Time{
		"audit.jsonl": time.Date(2026, 11, 22, 9, 59, 59, 980e6, time.UTC), "spans.jsonl": time.Unix(1, 0),
	}
	for name, line := range map[string]string{
		"audit.jsonl": `{"time":"2026-11-22T10:01:00Z","event":"call","tool":"read","outcome":"executed",` +
			`"approval_ms":60000,"duration_ms":60020}`,
		"spans.jsonl": `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + strings.Repeat("ab", 16) + `","spanId":"` +
			strings.Repeat("cd", 8) + `","startTimeUnixNano":"1000000000","endTimeUnixNano":"61020000000","attributes":[` +
			`{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},` +
			`{"key":"gen_ai.tool.name","value":{"stringValue":"read"}},` +
			`{"key":"toolscope.outcome","value":{"stringValue":"executed"}},` +
			`{"key":"toolscope.approval.duration","value":{"doubleValue":60}},` +
			`{"key":"toolscope.run.duration","value":{"doubleValue":0.02}}]}]}]}]}`,
	} {
		file, expectations := filepath.Join(dir, name), filepath.Join(dir, "e.yaml")
		for path, text := range map[string]string{file: line + "\n", expectations: "p95: 50ms\n"} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, out, errs := invoke("check", "", "--expect", expectations, file)
		if code != exitOK {
			t.Errorf("%s: check: got %d, %s, %s", name, code, out, errs)
		}
		code, out, errs = invoke("sessions", "", "show", file)
		if code != exitOK || !strings.Contains(out, " 20.0 ms  waited for a person 1.00 min") ||
			!strings.Contains(out, began[name].Local().Format("15:04:05.000")) {
			t.Errorf("%s: show: got %d, %s, %s", name, code, out, errs)
		}
		code, out, errs = invoke("report", "", file)
		if code != exitOK || !strings.Contains(out, " 20.0 ms ") {
			t.Errorf("%s: report: got %d, %s, %s", name, code, out, errs)
		}
	}
}

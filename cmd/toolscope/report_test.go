// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
)

// A log with good lines, bad ones, an empty one and no line end at its end.
const mixedLog = `{"tool":"read","duration_us":1000,"session":"s1","time":"2026-11-21T09:00:00Z"}
{"tool":"read","duration_us":3000,"session":"s1","time":"2026-11-21T09:00:10Z","error_type":"timeout","error":"late by 5s"}

not json
{"tool":"write","outcome":"cache_hit","extra":{"deep":[1,2]}}
{"tool":"write"}
{"tool":"rm\u001b[2J\u202e","duration_us":5}`

func TestReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(file, []byte(mixedLog), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"file": {file}, "standard input": {"-"}} {
		code, out, errs := invoke("report", mixedLog, args...)
		if code != exitOK {
			t.Errorf("%s: got %d", name, code)
		}
		harmless(t, out+errs)
		for _, want := range []string{"read", "write", `rm\x1b[2J\u202e`, "3.00 ms", "late by <duration>", "s1", "12.0/min"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: got no %q in\n%s", name, want, out)
			}
		}
		if !strings.Contains(errs, "2 of 6 lines") || !strings.Contains(errs, "line 4: got no JSON object") ||
			!strings.Contains(errs, "line 6: duration_us") {
			t.Errorf("%s: got %q", name, errs)
		}
	}
}

func TestReportJSON(t *testing.T) {
	code, out, _ := invoke("report", mixedLog, "--json", "--sort", "name", "-")
	var v summary.JSON
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != exitOK {
		t.Fatalf("got %d %s (%v)", code, out, err)
	}
	if v.Log == nil || v.Log.Lines != 6 || v.Log.Calls != 4 || v.Log.Bad != 2 || len(v.Log.First) != 2 ||
		v.Overall.Calls != 4 ||
		len(v.Tools) != 3 ||
		v.Tools[0].Tool != "read" {
		t.Errorf("got %s", out)
	}
	_, out, _ = invoke("report", mixedLog, "--json", "--tool", "read", "-")
	var one summary.JSON
	if err := json.Unmarshal([]byte(out), &one); err != nil || len(one.Tools) != 1 || one.Overall.Calls != 2 ||
		one.Sessions != nil {
		t.Errorf("--tool: got %s (%v)", out, err)
	}
}

func TestReportWithoutTimes(t *testing.T) {
	_, out, _ := invoke("report", `{"tool":"a","duration_us":1}`, "-")
	if strings.Contains(out, "RATE") || strings.Contains(out, "1970") {
		t.Errorf("got rates of a log without times:\n%s", out)
	}
	_, out, _ = invoke("report", `{"tool":"a","duration_us":1,"time":1767225600}`, "-")
	if strings.Contains(out, "RATE") || !strings.Contains(out, "2026-01-01") && !strings.Contains(out, "2025-12-31") {
		t.Errorf("got a rate of a single call:\n%s", out)
	}
}

// What happened within less than a second has no rate, in no form. Placeholders of error
// groups were printed as \u003cpath\u003e.
func TestReportJSONOfAMoment(t *testing.T) {
	const two = `{"tool":"a","duration_us":1,"time":1767225600.001,"error":"/etc/app/x.conf: no such ` +
		`file"}` + "\n" + `{"tool":"a","duration_us":1,"time":1767225600.002}`
	_, out, _ := invoke("report", two, "--json", "-")
	if strings.Contains(out, "calls_per_second") || !strings.Contains(out, `"seconds":0.001,`) {
		t.Errorf("got %s, want no rate", out)
	}
	if !strings.Contains(out, `<path>`) {
		t.Errorf("got %s, want <path>", out)
	}
	_, out, _ = invoke("report", two, "-")
	if strings.Contains(out, "RATE") || strings.Contains(out, "/s") {
		t.Errorf("got a rate:\n%s", out)
	}
}

func TestReportFailures(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		stdin string
		code  int
		want  string
	}{
		"no file":        {nil, "", exitUsage, "got 0 files"},
		"two files":      {[]string{"a", "b"}, "", exitUsage, "got 2 files"},
		"wrong order":    {[]string{"--sort", "x", "-"}, "", exitUsage, "--sort"},
		"missing file":   {[]string{"/nonexistent/\x1b[2J"}, "", exitError, "no such file"},
		"a directory":    {[]string{"."}, "", exitError, "directory"},
		"only bad lines": {[]string{"-"}, "x\ny\n", exitError, "2 of 2 lines"},
		"empty":          {[]string{"-"}, "", exitOK, ""},
	} {
		code, _, errs := invoke("report", c.stdin, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: got %d %q, want %d and %q", name, code, errs, c.code, c.want)
		}
		harmless(t, errs)
	}
	if code, out, _ := invoke("report", "", "--help"); code != exitOK || !strings.Contains(out, "duration_us") {
		t.Errorf("--help: got %d %q", code, out)
	}
}

// However a log comes in pieces, the same is read.

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const checkedSession = `{"v":1,"record":"tools","time":"2026-11-22T10:00:00Z","tools":[{"name":"read","digest":"a"},{"name":"write","digest":"b"}]}
{"v":1,"record":"begin","call":"A-1","time":"2026-11-22T10:00:00Z","tool":"read","id":"7","arguments":{"n":1}}
{"v":1,"record":"end","call":"A-1","time":"2026-11-22T10:00:01Z","tool":"read","id":"7","outcome":"executed","duration_us":1500,"arguments":{"n":1},"result":"text"}
{"v":1,"record":"end","call":"A-2","time":"2026-11-22T10:00:02Z","tool":"write","outcome":"executed","duration_us":9000,"arguments":{"n":2},"result":"done"}
`

const passing = `calls: {min: 2, max: 2}
tools:
  read: {min: 1, max: 1, error_rate: 0, p95: 2ms}
only: [read, write]
never: [delete]
order: [read, write]
error_rate: 0
p95: 10ms
finished: true
secrets: none
definitions: unchanged
baseline: {calls: same, outcomes: same, results: same, order: same}
`

// Each kind of change fails the check it is for, and the output names the call.
func TestCheckFailsForEachChange(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before, expectations := write("before.jsonl", checkedSession), write("expect.yaml", passing)
	code, out, errs := invoke("check", "", "--expect", expectations, "--baseline", before, before)
	if code != exitOK || errs != "" || !strings.Contains(out, "15 of 15 checks passed") {
		t.Fatalf("got %d, %q, %s", code, errs, out)
	}
	replaced := func(old, by string) string { return strings.ReplaceAll(checkedSession, old, by) }
	more := `{"v":1,"record":"end","call":"A-3","time":"2026-11-22T10:00:02Z","tool":"delete","outcome":"executed","duration_us":1}` + "\n"
	lines := strings.SplitAfter(checkedSession, "\n")
	for name, c := range map[string]struct{ session, rule, text string }{
		"a call more":        {checkedSession + more, "baseline.calls", "call 3, delete: got a call that the baseline does not have"},
		"one of those never": {checkedSession + more, "never", "call 3, delete"},
		"another tool":       {checkedSession + more, "only", "call 3, delete"},
		"too many":           {checkedSession + more, "calls", "got 3 calls, want at most 2"},
		"a call less":        {lines[0] + lines[3], "tools.read", "got 0 calls, want at least 1"},
		"gone":               {lines[0] + lines[3], "baseline.calls", "call 1, read (id 7) of the baseline: got no such call"},
		"other arguments":    {replaced(`"n":1`, `"n":3`), "baseline.calls", `call 1, read (id 7): got the arguments {"n":3}, want {"n":1}`},
		"order":              {lines[0] + lines[3] + lines[1] + lines[2], "order", "call 1, write: got it before call 2, read (id 7)"},
		"order of baseline":  {lines[0] + lines[3] + lines[1] + lines[2], "baseline.order", "call 2, read (id 7)"},
		"an error": {
			replaced(`"result":"text"`, `"error_type":"timeout","error":"late"`), "error_rate", "call 1, read (id 7): timeout late",
		},
		"another outcome": {
			replaced(`"result":"text"`, `"error_type":"timeout","error":"late"`), "baseline.outcomes", "got executed timeout, want executed",
		},
		"another result": {replaced(`"text"`, `"other"`), "baseline.results", "call 1, read (id 7): got the result \"other\""},
		"slow":           {replaced(`:9000`, `:90000`), "p95", "call 2, write: the p95 of calls is 90ms, want at most 10ms"},
		"slow tool":      {replaced(`:1500`, `:2500`), "tools.read", "the p95 of read is 2.5ms"},
		"no end":         {strings.Join(lines[:2], "") + lines[3], "finished", "call 1, read (id 7): got no end"},
		"a secret":       {replaced(`"text"`, `"`+aSecret()+`"`), "secrets", "call 1, read (id 7): result : got github"},
		"redacted":       {replaced(`"text"`, `"[REDACTED:email]"`), "secrets", "something was redacted"},
		"definition":     {replaced(`"digest":"a"`, `"digest":"c"`), "definitions", "read: got another definition than the baseline"},
		"two definitions": {
			checkedSession + replaced(`"digest":"a"`, `"digest":"c"`)[:strings.Index(checkedSession, "\n")+1], "definitions", "read: got 2 definitions",
		},
		"an unreadable line": {lines[0] + "nonsense\n" + lines[1] + lines[2] + lines[3], "file", "line 2: "},
	} {
		session := write("now.jsonl", c.session)
		junit, sarif := filepath.Join(dir, "junit.xml"), filepath.Join(dir, "check.sarif")
		code, out, errs := invoke(
			"check", "", "--expect", expectations, "--baseline", before, "--junit", junit, "--sarif", sarif, session)
		want := "FAIL  " + c.rule + ": "
		found := false
		for line := range strings.Lines(out) {
			found = found || strings.HasPrefix(line, want) && strings.Contains(line, c.text)
		}
		if code != exitError || errs != "" || !found {
			t.Errorf("%s: got %d, %q,\n%s\nwant %s%s", name, code, errs, out, want, c.text)
		}
		checkOutputs(t, name, junit, sarif, c.rule)
	}
}

// A mistyped name among those that may not be called is named: no call would ever fail the check.
func TestCheckNamesMistypedTools(t *testing.T) {
	file := filepath.Join(t.TempDir(), "expect.yaml")
	for never, want := range map[string]string{
		"writ":    `toolscope check: never: the server has no tool "writ" (did you mean write?)` + "\n",
		"destroy": "",
	} {
		if err := os.WriteFile(file, []byte("never: ["+never+"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := invoke("check", checkedSession, "--expect", file, "-"); code != exitOK || errs != want {
			t.Errorf("%s: got %d and %q, want %q", never, code, errs, want)
		}
	}
}

// The text of an error is a result, too.
func TestCheckComparesErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	failed := func(text string) string {
		return strings.ReplaceAll(checkedSession, `"result":"text"`, `"error_type":"tool_error","error":"`+text+`"`)
	}
	before, now := write("before.jsonl", failed("no such city")), write("now.jsonl", failed("no such street"))
	for results, want := range map[string]int{"any": exitOK, "same": exitError} {
		expectations := write("expect.yaml", "baseline: {results: "+results+"}\n")
		code, out, _ := invoke("check", "", "--expect", expectations, "--baseline", before, now)
		named := strings.Contains(out, `call 1, read (id 7): got the error "no such street", want "no such city"`)
		if code != want || named != (want == exitError) {
			t.Errorf("results: %s: got code %d and %s, want code %d", results, code, out, want)
		}
	}
}

// checkOutputs checks the files for CI systems.
func checkOutputs(t *testing.T, name, junit, sarif, rule string) {
	t.Helper()
	var suite struct {
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
		} `xml:"testcase"`
	}
	text, err := os.ReadFile(junit)
	if err != nil || xml.Unmarshal(text, &suite) != nil || suite.Failures == 0 {
		t.Errorf("%s: got JUnit %s (%v)", name, text, err)
	}
	failed := false
	for _, c := range suite.Cases {
		failed = failed || c.Name == rule && c.Failure != nil
	}
	var log struct {
		Version string
		Runs    []struct {
			Results []struct{ RuleID string }
		}
	}
	text, err = os.ReadFile(sarif)
	if err != nil || json.Unmarshal(text, &log) != nil || log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("%s: got SARIF %s (%v)", name, text, err)
	}
	reported := false
	for _, r := range log.Runs[0].Results {
		reported = reported || r.RuleID == rule
	}
	if !failed || !reported {
		t.Errorf("%s: got no failure of %s in JUnit (%v) or SARIF (%v)", name, rule, failed, reported)
	}
}

// The errors of wrong expectations have line and field.
func TestWrongExpectations(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"p95: fast\n":                            `:1: p95: got "fast", want a time with its unit`,
		"calls:\n  min: 3\n  max: 2\n":           `:3: calls.max: got 2, less than min, want 3 or more`,
		"error_rate: 2\n":                        `:1: error_rate: got 2, want a part from 0 to 1`,
		"secret: none\n":                         `:1: secret: got an unknown field (did you mean "secrets"?)`,
		"tools:\n  x: {max: -1}\n":               `:2: tools.x.max: got -1, want 0 or more`,
		"secrets: all\n":                         `:1: secrets: got "all", want redacted or none`,
		"":                                       "got an empty file",
		"baseline: {results: other}\norder: a\n": `:1: baseline.results: got "other"`,
	} {
		path := filepath.Join(dir, "e.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := invoke("check", checkedSession, "--expect", path, "-")
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: got %d, %s, want %s", text, code, errs, want)
		}
	}
	if code, _, errs := invoke("check", checkedSession, "-"); code != exitUsage || !strings.Contains(errs, "want --expect or --baseline") {
		t.Errorf("got %d, %s", code, errs)
	}
}

// A check that compares nothing fails, and says what is missing.
func TestChecksOfNothingFail(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, none := write("whole.jsonl", checkedSession), write("none.jsonl", "")
	hit := write("hit.jsonl", strings.ReplaceAll(checkedSession, "executed", "cache_hit"))
	for _, c := range []struct {
		expectations, file, baseline, want string
		code                               int
	}{
		{"error_rate: 0\n", none, "", "FAIL  file: got no calls, so nothing to check", exitError},
		{"calls: {max: 5}\n", none, "", "FAIL  file: got no calls, so nothing to check", exitError},
		{"calls: {min: 0, max: 5}\n", none, "", "2 of 2 checks passed", exitOK},
		{"calls: {max: 0}\n", none, "", "2 of 2 checks passed", exitOK},
		{"error_rate: 0\n", whole, none, "--baseline: " + none + ": got no calls, so nothing to compare with", exitError},
		{"error_rate: 0\n", whole, write("bad.jsonl", "{\n"+checkedSession), "bad.jsonl: line 1: got no JSON object", exitError},
		{"baseline: {results: same}\n", whole, "", "want --baseline FILE", exitUsage},
		{"baseline: {calls: any, outcomes: any}\n", whole, whole, ":1: baseline: got any for all of it", exitUsage},
		{"tools:\n  raed: {max: 3, p95: 1s}\n", whole, "", "raed: got no call, so error_rate and p95 compare nothing", exitError},
		{"tools:\n  raed: {min: 0, p95: 1s}\n", whole, "", "2 of 2 checks passed", exitOK},
		{"tools:\n  raed: {max: 0}\n", whole, "", "2 of 2 checks passed", exitOK},
		{"{}\n", whole, "", "e.yaml: got no expectation, want one", exitUsage},
		{"steps: true\n", whole, "", "e.yaml: got no expectation, want one", exitUsage},
		{"steps: true\n", whole, whole, "3 of 3 checks passed", exitOK},
		{"p95: 1s\n", hit, "", "FAIL  p95: calls: got no call with a running time", exitError},
		{"tools:\n  read: {p95: 1s}\n", hit, "", "FAIL  tools.read: read: got no call with a running time", exitError},
		{"definitions: unchanged\n", whole, write("log.jsonl", checkedSession[strings.Index(checkedSession, "\n")+1:]),
			"FAIL  definitions: got no definitions in the baseline", exitError},
	} {
		args := []string{"--expect", write("e.yaml", c.expectations), c.file}
		if c.baseline != "" {
			args = append([]string{"--baseline", c.baseline}, args...)
		}
		code, out, errs := invoke("check", "", args...)
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%q: got %d, %s%s, want %d, %s", c.expectations, code, out, errs, c.code, c.want)
		}
	}
	code, _, errs := invoke("check", checkedSession, "--baseline", "-", "-")
	if code != exitUsage || !strings.Contains(errs, "got standard input as the file and as the baseline") {
		t.Errorf("standard input twice: got %d, %s", code, errs)
	}
}

// Redacted arguments are compared by fingerprint where both files were made with one key, else by what is left of them.
func TestBaselineOfAnotherKey(t *testing.T) {
	dir := t.TempDir()
	write := func(name, first, second string) string {
		path := filepath.Join(dir, name)
		text := ""
		for i, print := range []string{first, second} {
			text += `{"v":1,"record":"end","time":"2026-11-22T10:00:00Z","tool":"send","outcome":"executed","duration_us":1,"arguments":` +
				[]string{`{"n":1}`, `{"to":"[REDACTED:email]"}`}[i] + []string{"", `,"arguments_redacted":true`}[i] +
				`,"arguments_fp":"` + strings.Repeat(print, 32) + `"}` + "\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	baseline := write("before.jsonl", "a", "b")
	for _, c := range []struct {
		first, second string
		code          int
	}{{"a", "b", exitOK}, {"a", "c", exitError}, {"d", "e", exitOK}} {
		code, out, errs := invoke("check", "", "--baseline", baseline, write("now.jsonl", c.first, c.second))
		if code != c.code {
			t.Errorf("%s, %s: got %d, %s, %s, want %d", c.first, c.second, code, out, errs, c.code)
		}
	}
}

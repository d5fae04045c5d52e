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

	"github.com/toolscope/toolscope/internal/canary"
)

func askPermit(t *testing.T, in string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"permit"}, args...), strings.NewReader(in), &out, &errs)
	return out.String(), errs.String(), code
}

func rulesFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "permit.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const gitRules = `
rules:
  - name: git-read
    effect: allow
    shell: {prefix: [git status]}
`

func TestPermitExplains(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{
			[]string{"--command", "git status; sudo ls"},
			[]string{
				"deny  by the deny list, rule deny-root\n",
				"reason: runs a command as another user (it runs sudo ls)\n", "to the model: not permitted: ",
				"programs: git sudo ls\n",
			},
		},
		{[]string{"--command", "ls"}, []string{"allow  no rule applies\nprograms: ls\n"}},
		{[]string{"bash", `{"command":"rm x"}`}, []string{"ask  by the rules, rule ask-rm\n"}},
		{[]string{"file_write", `{"path":"/etc/passwd"}`}, []string{"ask  by the rules, rule ask-outside-file\n"}},
		{[]string{"anything"}, []string{"allow  no rule applies\n"}},
		{
			[]string{"--rules", rulesFile(t, gitRules), "--command", "git status"},
			[]string{"allow  by the rules, rule git-read\n"},
		},
		{
			[]string{"--rules", rulesFile(t, gitRules), "--command", "git status | id"},
			[]string{"ask  by the rules, rule not_covered\n", "reason: the rule git-read does not cover id\n"},
		},
		{[]string{"--rules", rulesFile(t, "enforce: false"), "--command", "sudo ls"}, []string{"deny  by", "shadow: "}},
		{
			[]string{"--json", "--command", "$X"},
			[]string{`{"id":null,"decision":"ask","rule":"not_understood","reason":"the name of a command is ` +
				`computed: ","programs":[]}` + "\n"},
		},
	} {
		out, errs, code := askPermit(t, "", c.args...)
		if code != exitOK || errs != "" {
			t.Errorf("%q: code %d, %q", c.args, code, errs)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("%q: got %q, want %q", c.args, out, w)
			}
		}
	}
}

func TestPermitLines(t *testing.T) {
	in := `{"id":1,"command":"git status"}
{"id":"two","command":"git status && /usr/bin/id"}

{"id":3,"name":"bash","arguments":{"command":"sudo ls"}}
{"id":4,"name":"bash","arguments":"{\"command\":\"sudo ls\"}"}
not JSON
{"id":5}
{"name":"echo"}
`
	want := `{"id":1,"decision":"allow","rule":"git-read","reason":"the line has nothing but what is allowed by git-read","programs":["git"]}
{"id":"two","decision":"ask","rule":"not_covered","reason":"the rule git-read does not cover /usr/bin/id","programs":["git","/usr/bin/id"]}
{"id":3,"decision":"deny","rule":"deny-root","reason":"runs a command as another user (it runs sudo ls)","programs":["sudo","ls"]}
{"id":4,"decision":"deny","rule":"deny-root","reason":"runs a command as another user (it runs sudo ls)","programs":["sudo","ls"]}
{"id":null,"decision":"allow","rule":"","reason":"","programs":[]}
`
	out, errs, code := askPermit(t, in, "--rules", rulesFile(t, gitRules), "--jsonl")
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if code != exitError || !strings.Contains(errs, "line 6 is left out") ||
		!strings.Contains(errs, `line 7 is left out: got neither "command" nor "name"`) ||
		!strings.Contains(errs, "2 lines could not be read") {
		t.Errorf("code %d, %q", code, errs)
	}
}

func TestPermitCheck(t *testing.T) {
	good := rulesFile(t, "rules:\n  - {name: a, effect: allow, tools: [x]}\n  - {name: b, effect: deny, tools: [x]}\n")
	out, errs, code := askPermit(t, "", "--check", good)
	if code != exitOK || errs != "" || !strings.Contains(out, "warning: rules a and b contradict each other") ||
		!strings.Contains(out, good+": OK, version ") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	bad := rulesFile(t, "default: perhaps\nrules:\n  - {name: a, effect: no}\n")
	out, errs, code = askPermit(t, "", "--check", bad)
	if code != exitError || out != "" || !strings.Contains(errs, bad+`:1: default: got "perhaps"`) ||
		!strings.Contains(errs, bad+`:3: rules[0].effect: got "no"`) {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
}

func TestPermitWords(t *testing.T) {
	for _, args := range [][]string{{}, {"--jsonl", "--command", "x"}, {"a", "{}", "c"}, {"--check", "f", "--json"}, {"--nope"}} {
		if _, errs, code := askPermit(t, "", args...); code != exitUsage || errs == "" {
			t.Errorf("%q: code %d, %q", args, code, errs)
		}
	}
	for _, args := range [][]string{
		{"--rules", "no such file", "x"}, {"--tool", "echo", "--command", "ls"},
		{"--rules", rulesFile(t, "shells: {}"), "--command", "ls"},
	} {
		if _, errs, code := askPermit(t, "", args...); code != exitError || errs == "" {
			t.Errorf("%q: code %d, %q", args, code, errs)
		}
	}
	if out, _, code := askPermit(t, "", "--help"); code != exitOK || !strings.Contains(out, "--command LINE") {
		t.Errorf("--help: code %d, %q", code, out)
	}
}

// What is quoted from a call is redacted.
func TestPermitRedacts(t *testing.T) {
	for _, s := range canary.Secrets(4) {
		line, err := json.Marshal(map[string]string{"command": "rm '" + s.Text + "'"})
		if err != nil {
			t.Fatal(err)
		}
		out, errs, _ := askPermit(t, string(line)+"\n", "--jsonl")
		if found := canary.Find(out+errs, []canary.Secret{s}); found != nil {
			t.Errorf("%v left in %q", found, out)
		}
	}
}

// TestPermitExitCode: a script learns the decision from the exit code if it asks for it.
func TestPermitExitCode(t *testing.T) {
	for line, want := range map[string]int{"ls": 0, "rm x": 3, "sudo ls": 4} {
		if _, _, code := askPermit(t, "", "--exit-code", "--command", line); code != want {
			t.Errorf("%s: exit code %d, want %d", line, code, want)
		}
		if _, _, code := askPermit(t, "", "--command", line); code != 0 {
			t.Errorf("%s, without --exit-code: exit code %d, want 0", line, code)
		}
	}
	in := "{\"id\":1,\"command\":\"sudo ls\"}\n{\"id\":2,\"command\":\"ls\"}\n"
	if _, _, code := askPermit(t, in, "--exit-code", "--jsonl"); code != 4 {
		t.Errorf("lines: exit code %d, want the strictest decision's", code)
	}
	out, _, _ := askPermit(t, "", "--check", rulesFile(t, "rules:\n  - {name: a, effect: allow, shell: {programs: [git]}}\n"))
	if !strings.Contains(out, "means git: read") {
		t.Errorf("--check: got %q, want what git means", out)
	}
}

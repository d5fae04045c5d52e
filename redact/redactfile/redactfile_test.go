// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/redact"
)

func load(t *testing.T, text string) (*redact.Redactor, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "redact.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(file)
}

func TestLoad(t *testing.T) {
	t.Setenv("REDACTFILE_TEST_TOKEN", "PURPLE-ELEPHANT")
	t.Setenv("REDACTFILE_TEST_KEY", "0123456789abcdef")
	const in = "password=hu3nter2Zq jane@mail.example.org 10.0.0.17 PURPLE-ELEPHANT"
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "password=[REDACTED:passwd] [REDACTED:email] 10.0.0.17 PURPLE-ELEPHANT"},
		{"comments only", "# nothing\n", "password=[REDACTED:passwd] [REDACTED:email] 10.0.0.17 PURPLE-ELEPHANT"},
		{"preset", "preset: secrets-only", "password=[REDACTED:passwd] jane@mail.example.org 10.0.0.17 " +
			"PURPLE-ELEPHANT"},
		{"off", "preset: off", in},
		{
			"kinds", "kinds: {on: [ipv4], off: [email, passwd]}",
			"password=hu3nter2Zq jane@mail.example.org [REDACTED:ipv4] PURPLE-ELEPHANT",
		},
		{
			"kinds before the preset", "kinds: {on: [ipv4]}\npreset: secrets-only",
			"password=[REDACTED:passwd] jane@mail.example.org [REDACTED:ipv4] PURPLE-ELEPHANT",
		},
		{"allow", "allow: [jane@mail.example.org]", "password=[REDACTED:passwd] jane@mail.example.org 10.0.0.17 " +
			"PURPLE-ELEPHANT"},
		{
			"known", "known: {environment: ['REDACTFILE_*_TOKEN']}",
			"password=[REDACTED:passwd] [REDACTED:email] 10.0.0.17 [REDACTED:known-value]",
		},
		{"stand-ins", "mode: stand-in", "password=[REDACTED:passwd] person@example.com 10.0.0.17 PURPLE-ELEPHANT"},
		{"limits", "limits: {nesting: 3, inner: 2}", "password=[REDACTED:passwd] [REDACTED:email] 10.0.0.17 " +
			"PURPLE-ELEPHANT"},
	} {
		r, err := load(t, c.file)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, _ := r.Text(in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	r, err := load(t, "mode: tag\nkey_environment: REDACTFILE_TEST_KEY")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := r.Text("mail jane@mail.example.org"); !strings.HasPrefix(got, "mail [REDACTED:email:") {
		t.Errorf("with tags: got %q", got)
	}
}

// TestDocuments: a second document would be passed over in silence, with whatever it asks for.
func TestDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"preset: secrets-only\n---\npreset: default\n": ":2: got a second document, want one",
		"preset: secrets-only\n---\n[\n":               "redact.yaml",
		"preset: secrets-only\n...\n":                  "",
		"---\npreset: secrets-only\n":                  "",
	} {
		_, err := load(t, text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestRules(t *testing.T) {
	r, err := load(
		t,
		"rules:\n  - tool: db.*\n    path: $.sql\n    action: mask\n  - path: $..note\n    action: drop\n  - "+
			"{path: $.password, action: keep}\n",
	)
	if err != nil {
		t.Fatal(err)
	}
	const in = `{"sql":"select 1","note":"x","password":"hu3nter2Zq"}`
	for tool, want := range map[string]string{
		"db.query": `{"sql":"[REDACTED:rule]","password":"hu3nter2Zq"}`,
		"mail":     `{"sql":"select 1","password":"hu3nter2Zq"}`,
	} {
		if got, _ := r.ForTool(tool).Text(in); got != want {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"presets: strict", `r.yaml:1: presets: got an unknown field (did you mean "preset"?), want one of preset, ` +
			`kinds, rules, patterns, names, allow, known, mode, key_environment, limits`},
		{"\npreset: loud", `r.yaml:2: preset: got "loud", want default, off, secrets-only or strict`},
		{"kinds:\n  on: [email, ipv5]", `r.yaml:2: kinds.on[1]: got "ipv5", want a kind that redact.Kinds lists`},
		{"kinds: [email]", `r.yaml:1: kinds: got a list, want a mapping`},
		{"rules:\n  - path: a.b\n    action: mask", `r.yaml:2: rules[0]: path "a.b": want '$' at the beginning`},
		{"rules:\n  - path: $.a\n  - path: $.b\n    action: hide",
			`r.yaml:4: rules[1].action: got "hide", want drop, keep or mask`},
		{"rules:\n  - path: $.a", `r.yaml:2: rules[0]: got no action, want drop, keep or mask`},
		{"rules:\n  - path: $[?@.a]\n    action: keep", `filters and functions are not supported`},
		{"rules:\n  - tool: '*sql*'\n    kinds: [email]\n    action: mask", `got action mask with kinds, want keep`},
		{"patterns: [{literal: a}]", `got "a", want 3 to 24 bytes of ASCII`},
		{"known: {file: " +
			"none.txt}", `r.yaml:1: known.file: got open none.txt: no such file or directory, want a file with a value on each line`},
		{"allow: ['']", `r.yaml:1: allow[0]: got "", want a value`},
		{"known: {environment: ['[']}", `r.yaml:1: known.environment[0]: got "[", want a pattern of path.Match`},
		{"known: {values: [abc]}", `r.yaml:1: known.values: got an unknown field, want one of environment, file`},
		{"mode: tag", `r.yaml:1: mode: got "tag" and no key_environment`},
		{"mode: tag\nkey_environment: REDACTFILE_NO_SUCH",
			`r.yaml:2: key_environment: got "REDACTFILE_NO_SUCH", which the environment does not have`},
		{"mode: mask\nkey_environment: X", `r.yaml:2: key_environment: got a key that mode "mask" does not use`},
		{"limits:\n  nesting: many", `r.yaml:2: limits.nesting: got "many", want a whole number`},
		{"limits: {inner: 99}", `r.yaml:1: limits: Inner: got 99, want 1 to 16`},
		{"preset: off\npreset: strict", "r.yaml:2: preset: got the field a second time, want it once"},
		{"allow: &a [x]\nknown: *a", `r.yaml:1: allow: got an anchor or alias, want the value itself`},
		{"- a", `r.yaml:1: got a list, want a mapping`},
		{"a: [", "r.yaml:2: not YAML: "},
		{strings.Repeat("#", 1<<20+1), "r.yaml: got 1048577 bytes, want at most 1048576"},
	} {
		_, err := Parse("r.yaml", []byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: got %v, want %s", c.file, err, c.want)
		}
		var one *strictyaml.Error
		if !errors.As(err, &one) || one.File != "r.yaml" {
			t.Errorf("%.60q: got %T, want a *strictyaml.Error of the file", c.file, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that there is no such file", err)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	_, err := Parse("r.yaml", []byte("kinds:\n  on:\n"+strings.Repeat("  - no-such-kind\n", 1000)))
	if n := strings.Count(err.Error(), "\n") + 1; n != 20 {
		t.Errorf("got %d errors, want 20", n)
	}
}

// FuzzParse: no text makes it panic, and what is no error makes a redactor.
func FuzzParse(f *testing.F) {
	f.Add([]byte("preset: strict\nkinds: {on: [ipv4]}\nrules:\n- {path: $.a, action: keep}\n"))
	f.Add([]byte("mode: tag\nkey_environment: X\nlimits: {nesting: 1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		options, err := Parse("f", data)
		if err != nil {
			return
		}
		if _, err := redact.New(options); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
	})
}

// TestControl: everything that a program can set, a file can set: patterns, names, globs of values and tools,
// kinds of one tool and member, known values of another file.
func TestControl(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "redact.yaml")
	for name, text := range map[string]string{
		file: `patterns:
  - {literal: acme-, regexp: "acme-[0-9a-f]{8}"}
  - {literal: tkt, keywords: [ticket]}
names: {on: [customer_code], off: [page_password]}
allow: ["build-*@example.net"]
rules:
  - {tool: "*sql*", path: "$.rows", kinds: [email], action: keep}
known: {file: known.txt}
`,
		filepath.Join(dir, "known.txt"): "PURPLE-ELEPHANT\nshort\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, in, want string }{
		{"", "use acme-0a1b2c3d and tkt99x", "use [REDACTED:custom] and tkt99x"},
		{"", "ticket tkt99x", "ticket [REDACTED:custom]"},
		{"", `{"customer_code":"lemon","page_password":"hu3nter2Zq"}`,
			`{"customer_code":"[REDACTED:secret]","page_password":"hu3nter2Zq"}`},
		{"", "build-17@example.net ann@example.net", "build-17@example.net [REDACTED:email]"},
		{"my_sql_read", `{"rows":[["ann@example.net"]],"by":"ann@example.net"}`,
			`{"rows":[["ann@example.net"]],"by":"[REDACTED:email]"}`},
		{"", "a PURPLE-ELEPHANT, short", "a [REDACTED:known-value], short"},
	} {
		if got, _ := r.ForTool(c.tool).Text(c.in); got != c.want {
			t.Errorf("tool %q: %s became %s, want %s", c.tool, c.in, got, c.want)
		}
	}
}

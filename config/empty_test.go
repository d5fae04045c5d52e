// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// nothing are files that say nothing, by what is wrong with them.
var nothing = map[string]string{
	"":                                    "f.yaml: got an empty file, want ",
	" \n\t\n":                             "f.yaml: got ",
	"\n\n":                                "f.yaml: got an empty file, want ",
	"# comments\n# only\n":                "f.yaml: got an empty file, want ",
	"\ufeff":                              "f.yaml: got an empty file, want ",
	"\ufeff# comments only\n":             "f.yaml: got an empty file, want ",
	"\xff\xfe":                            "f.yaml: got an empty file, want ",
	"---":                                 ": got an empty document, want ",
	"---\n...\n":                          ": got an empty document, want ",
	"\ufeff---\n":                         ": got an empty document, want ",
	"null":                                ": got an empty document, want ",
	"~\n":                                 ": got an empty document, want ",
	"---\n---\nenabled: true\n":           "f.yaml:2: got a second document, want one",
	"tools:":                              "f.yaml:1: tools: got nothing, want a mapping, or {} for none",
	"redact:\n":                           "f.yaml:1: redact: got nothing, want a mapping",
	"policies:\n":                         "f.yaml:1: policies: got nothing, want a mapping",
	"policies: null\n":                    "f.yaml:1: policies: got nothing, want a mapping",
	"policies:\n  permit:\n":              "f.yaml:2: policies.permit: got nothing, want a mapping",
	"audit: ":                             "f.yaml:1: audit: got nothing, want a mapping",
	"tools:\n  wipe:\n":                   "f.yaml:2: tools.wipe: got nothing, want a mapping",
	"policies: {loop: {tools: }}":         "f.yaml:1: policies.loop.tools: got nothing, want a mapping",
	"policies: {budget: {turn: }}":        "f.yaml:1: policies.budget.turn: got nothing, want a mapping",
	"policies: {loop: {}}\n---\n":         "f.yaml:2: got a second document, want one",
	"policies: {loop: {}}\n---\ntools:\n": "f.yaml:2: got a second document, want one",
}

func TestAnEmptyFileIsAnError(t *testing.T) {
	for text, want := range nothing {
		err := config.Check("f.yaml", []byte(text))
		var e *strictyaml.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", text, err, want)
		}
		if f, err := config.OpenText("f.yaml", []byte(text)); err == nil {
			t.Errorf("%q was opened", text)
			f.Close()
		}
	}
}

// protected is a file with everything that a reload must not lose.
const protected = `content: false
tools:
  wipe: {enabled: false}
  send: {enabled: false}
policies:
  cache: {}
  timeout: {max: 10s}
  permit: {rules: rules.yaml}
  approve: {patterns: [{tool: deploy, approver: ada}]}
`

// A protectedScope is a scope whose configuration file can be written and reloaded.
type protectedScope struct {
	dir   string
	file  *config.File
	scope *toolscope.Scope
}

// openProtected opens the file. The approvals are served, since a test has no terminal to ask on.
func openProtected(t *testing.T, text string) *protectedScope {
	t.Helper()
	dir := t.TempDir()
	rules := "rules:\n  - {name: all, effect: allow, tools: [echo]}\n"
	if err := os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	writeSecrets(t, dir)
	file, err := config.Open(write(t, dir, text))
	if err != nil {
		t.Fatal(err)
	}
	options := toolscope.Options{NoTracing: true}
	if strings.Contains(text, "approve:") && !strings.Contains(text, "unattended: true") {
		options.ApprovalsToken = "ada " + rand.Text()
	}
	scope, err := toolscope.New(file.Options(options))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(scope.Shutdown(context.Background()), file.Close()); err != nil {
			t.Error(err)
		}
	})
	return &protectedScope{dir, file, scope}
}

// reload writes the file and reloads it.
func (p *protectedScope) reload(t *testing.T, text string) error {
	t.Helper()
	write(t, p.dir, text)
	_, err := p.file.Reload(p.scope)
	return err
}

// TestAReloadOfAnEmptyFileChangesNothing reloads files that say nothing, as a writer leaves them between
// truncating and writing.
func TestAReloadOfAnEmptyFileChangesNothing(t *testing.T) {
	p := openProtected(t, protected)
	before := p.scope.Settings()
	for text := range nothing {
		if err := p.reload(t, text); err == nil {
			t.Errorf("%q was reloaded", text)
		}
		if got := p.scope.Settings(); !reflect.DeepEqual(got, before) {
			t.Fatalf("%q: got %+v, want %+v", text, got, before)
		}
	}
}

// TestAReloadOfAHalfWrittenFileRemovesNothing reloads every beginning of a file. Whatever parses has all
// switches and policies still, and no file changes what is in use halfway.
func TestAReloadOfAHalfWrittenFileRemovesNothing(t *testing.T) {
	p := openProtected(t, protected)
	calls := p.scope.Wrap(tooltest.Echo(toolkit.Definition{Name: "wipe"}).Handle, nil)
	for i := range protected {
		err := p.reload(t, protected[:i])
		got := p.scope.Settings()
		stages := map[middleware.Stage]bool{}
		for _, policy := range got.Policies {
			stages[policy.Stage()] = true
		}
		if !got.NoContent || len(got.ToolsOff) != 2 || len(stages) != 4 {
			t.Fatalf("the first %d bytes were reloaded (%v): got %+v\n%s", i, err, got, protected[:i])
		}
		if _, err := calls(t.Context(), toolkit.Call{Name: "wipe"}); !errors.Is(err, toolkit.ErrPermissionDenied) {
			t.Fatalf("after the first %d bytes: got %v for a tool that is turned off", i, err)
		}
	}
	if err := p.reload(t, protected); err != nil {
		t.Errorf("the whole file: got %v", err)
	}
}

// TestAReloadRemovesOnlyByName checks each switch and policy: leaving it out is an error that says what
// to write, and writing that removes it.
func TestAReloadRemovesOnlyByName(t *testing.T) {
	p := openProtected(t, protected)
	for _, c := range []struct{ remove, insert, want string }{
		{"content: false\n", "content: true\n",
			`content: got nothing, want "content: false" as before, or "content: true" to capture content again`},
		{
			"  wipe: {enabled: false}\n", "  wipe: {enabled: true}\n",
			`tools.wipe: got nothing, want "enabled: false" as before, or "enabled: true" to turn the tool on again`,
		},
		{
			"tools:\n  wipe: {enabled: true}\n  send: {enabled: false}\n", "tools: {send: {enabled: true}}\n",
			`tools.send: got nothing, want "enabled: false" as before, or "enabled: true" to turn the tool on again`,
		},
		{"{rules: rules.yaml}", `{rules: ""}`,
			`policies.permit.rules: got nothing, want the rules' file as before, or rules: "" to use the built-in rules`},
		{"  permit: {rules: \"\"}\n", "  permit: {enabled: false}\n",
			`policies.permit: got nothing, want the section as before, or "permit: {enabled: false}" to turn the policy off`},
		{
			"  approve: {patterns: [{tool: deploy, approver: ada}]}\n", "  approve: {enabled: false}\n",
			`policies.approve: got nothing, want the section as before, or "approve: {enabled: false}" to turn the policy off`,
		},
		{"  cache: {}\n", "  cache: {enabled: false}\n",
			`policies.cache: got nothing, want the section as before, or "cache: {enabled: false}" to turn the policy off`},
		{
			"  timeout: {max: 10s}\n", "  timeout: {enabled: false}\n",
			`policies.timeout: got nothing, want the section as before, or "timeout: {enabled: false}" to turn the policy off`,
		},
	} {
		text, err := os.ReadFile(filepath.Join(p.dir, "toolscope.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.remove) {
			t.Fatalf("the file has no %q:\n%s", c.remove, text)
		}
		before := p.scope.Settings()
		without := strings.Replace(string(text), c.remove, "", 1)
		if c.remove[0] == '{' {
			without = strings.Replace(string(text), c.remove, "{}", 1)
		}
		if err := p.reload(t, "enabled: true\n"+without); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("without %q: got %v, want %q in it", c.remove, err, c.want)
		}
		if got := p.scope.Settings(); !reflect.DeepEqual(got, before) {
			t.Errorf("without %q: got %+v, want %+v", c.remove, got, before)
		}
		if err := p.reload(t, strings.Replace(string(text), c.remove, c.insert, 1)); err != nil {
			t.Errorf("with %q: %v", c.insert, err)
		}
		if got := p.scope.Settings(); reflect.DeepEqual(got, before) {
			t.Errorf("with %q: got the same settings", c.insert)
		}
	}
	// What the file has turned off by name may be left out from then on.
	if err := p.reload(t, "{}"); err != nil || len(p.scope.Settings().Policies) != 0 {
		t.Errorf("got %v and %+v", err, p.scope.Settings())
	}
}

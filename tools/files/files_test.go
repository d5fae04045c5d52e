// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/files"
)

type object = map[string]any

// house is a directory with two roots, "desk" and the read-only "docs", and
// with things outside of them that must not be seen.
type house struct {
	dir      string
	registry *toolkit.Registry
}

const secret = "not for agents"

func newHouse(t *testing.T) house { return newHouseWith(t, files.Options{}) }

// newHouseWith is newHouse with options; the roots are put in.
func newHouseWith(t *testing.T, o files.Options) house {
	t.Helper()
	h := house{t.TempDir(), new(toolkit.Registry)}
	for name, content := range map[string]string{
		"desk/a.txt": "one\ntwo\nthree\n", "desk/src/main.go": "package main\n",
		"desk/src/deep/er/x.go": "package x // two\n", "desk/.git/HEAD": "two\n",
		"desk/.ssh/key": secret, "desk/.config/gcloud/token": secret, "desk/.netrc": secret, "desk/bin": "a\x00b",
		"desk/crlf.txt": "one\r\ntwo\r\n",
		"docs/guide.md": "# Guide\n", "outside.txt": secret, "desk-evil/x.txt": secret,
	} {
		h.write(t, name, content)
	}
	o.Roots = []files.Root{
		{Name: "desk", Path: filepath.Join(h.dir, "desk")}, {Name: "docs", Path: filepath.Join(h.dir, "docs"), ReadOnly: true},
	}
	tools, err := files.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tools.Close() })
	if err := h.registry.Register(tools.Tools()...); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h house) link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(h.dir, "desk", name)); err != nil {
		t.Skip("no symbolic links on this machine: ", err)
	}
}

func (h house) call(ctx context.Context, tool string, args object) toolkit.Result {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return h.registry.Execute(ctx, toolkit.Call{Name: tool, Arguments: text}).Result
}

// write writes a file below the test's directory.
func (h house) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(h.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (h house) content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// step is a call and what its answer says.
type step struct {
	tool string
	args object
	want string
	kind error
}

func (h house) run(t *testing.T, steps []step) {
	t.Helper()
	for _, s := range steps {
		res := h.call(t.Context(), s.tool, s.args)
		if !strings.Contains(res.Output, s.want) || !errors.Is(res.Fault, s.kind) {
			t.Errorf("%s %.200v: got %.400q, want %q and %v", s.tool, s.args, res.Output, s.want, s.kind)
		}
	}
}

func TestNew(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".ssh", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, roots := range map[string][]files.Root{
		"Options.Roots:":         nil,
		"Options.Roots[1].Name":  {{Name: "a", Path: dir}, {Name: "a", Path: dir}},
		"Options.Roots[0].Name":  {{Name: "a:b", Path: dir}},
		"Options.Roots[0].Path:": {{Name: "a"}},
		"in .ssh":                {{Name: "a", Path: filepath.Join(dir, ".ssh", "x")}},
		"missing":                {{Name: "a", Path: filepath.Join(dir, "missing")}},
		"not a directory":        {{Name: "a", Path: file}},
	} {
		if _, err := files.New(files.Options{Roots: roots}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}
	if _, err := files.New(files.Options{Roots: []files.Root{{Path: dir}},
		Refuse: []string{"*.pem", "[a"}}); err == nil || !strings.Contains(err.Error(), "Options.Refuse[1]") {
		t.Errorf("got %v, want an error that names the glob", err)
	}
	tools, err := files.New(files.Options{Roots: []files.Root{{Path: dir, ReadOnly: true}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools() {
		def := tool.Definition()
		if err := def.Validate(); err != nil || def.ReadOnly != toolkit.Yes || def.Title == "" || def.Timeout <= 0 {
			t.Errorf("%s: got %v, read-only %d, want only tools that read", def.Name, err, def.ReadOnly)
		}
	}
	if err := tools.Close(); err != nil {
		t.Error(err)
	}
	if _, err := tools.Tools()[0].Handle(t.Context(), toolkit.Call{}); err == nil {
		t.Error("a closed toolset works")
	}
}

func TestDefinitions(t *testing.T) {
	tools, err := files.New(files.Options{Roots: []files.Root{{Path: t.TempDir()}}})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	reading := map[string]bool{"file_list": true, "file_read": true, "file_search": true, "file_info": true}
	for _, tool := range tools.Tools() {
		def := tool.Definition()
		if err := def.Validate(); err != nil {
			t.Error(err)
		}
		if def.ReadOnly != toolkit.HintOf(reading[def.Name]) || (def.Risk == toolkit.RiskLow) != reading[def.Name] ||
			(def.CacheTTL < 0) == reading[def.Name] {
			t.Errorf("%s: got read-only %d, risk %s, cache %v", def.Name, def.ReadOnly, def.Risk, def.CacheTTL)
		}
		var schema struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(def.InputSchema, &schema); err != nil {
			t.Errorf("%s: %v", def.Name, err)
		}
		for _, name := range schema.Required {
			if schema.Properties[name] == nil {
				t.Errorf("%s: requires %q, which is no property", def.Name, name)
			}
		}
	}
	if n := len(tools.Tools()); n != 10 {
		t.Errorf("got %d tools, want 10", n)
	}
}

func TestToolsNameTheirResource(t *testing.T) {
	for _, d := range newHouse(t).registry.Definitions() {
		if len(d.Resources) != 1 || d.Resources[0] != "files" {
			t.Errorf("%s: got resources %q, want files", d.Name, d.Resources)
		}
	}
}

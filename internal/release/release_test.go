// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository makes a git repository with two modules, core and mcp, of which mcp requires core.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"modules.txt":  "# comment\nversion v0.1.0\nreleased .\nreleased mcp # with a comment\nunreleased bench\n",
		"go.mod":       "module " + prefix + "\n\ngo 1.26.0\n",
		"mcp/go.mod":   "module " + prefix + "/mcp\n\ngo 1.26.0\n\nrequire " + prefix + " v0.1.0\n",
		"bench/go.mod": "module " + prefix + "/bench\n\ngo 1.26.0\n",
		"go.work": "go 1.26.0\n\nuse (\n\t.\n\t./bench\n\t./mcp\n)\n\nreplace " + prefix + " v0.1.0 => .\n\n" +
			"replace " + prefix + "/mcp v0.1.0 => ./mcp\n\nreplace " + prefix + "/bench v0.1.0 => ./bench\n",
		"LICENSE":         "text\n",
		"CHANGELOG.md":    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- something\n",
		"core.go":         "package toolscope\n",
		"mcp/mcp.go":      "package mcp\n",
		"mcp/sub/file.go": "package sub\n",
	} {
		write(t, filepath.Join(root, name), text)
	}
	if _, err := output(root, "git", "init", "-q"); err != nil {
		t.Fatal(err)
	}
	return root
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, root string) *list {
	t.Helper()
	l, err := readList(root)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestVerify(t *testing.T) {
	if err := open(t, repository(t)).verify(); err != nil {
		t.Errorf("got %v, want a repository without faults", err)
	}
	mod := "module " + prefix + "/mcp\n\ngo 1.26.0\n\n"
	for want, change := range map[string][2]string{
		"modules.txt does not list the module":         {"tools/go.mod", "module " + prefix + "/tools\n\ngo 1.26.0\n"},
		"requires " + prefix + "@v0.0.9, want v0.1.0":  {"mcp/go.mod", mod + "require " + prefix + " v0.0.9\n"},
		"want no replace":                              {"mcp/go.mod", mod + "replace " + prefix + " => ..\n"},
		"requires " + prefix + "/bench, which is not":  {"mcp/go.mod", mod + "require " + prefix + "/bench v0.1.0\n"},
		"requires " + prefix + "/x, which modules.txt": {"mcp/go.mod", mod + "require " + prefix + "/x v0.1.0\n"},
		"got module example.com/m":                     {"mcp/go.mod", "module example.com/m\n\ngo 1.26.0\n"},
		"want the line go 1.26.0":                      {"mcp/go.mod", "module " + prefix + "/mcp\n\ngo 1.26.1\n"},
		"toolchain or exclude":                         {"mcp/go.mod", mod + "exclude example.com/m v1.0.0\n"},
		"replaces more than": {
			"go.work",
			"go 1.26.0\n\nuse .\n\nreplace (\n\t" + prefix + " v0.1.0 => .\n\texample.com/m => ./bench\n)\n",
		},
		"go.work: does not replace " + prefix + " v": {
			"go.work", "go 1.26.0\n\nuse .\n\nreplace " + prefix + " v0.1.0 => ./mcp\n",
		},
		"go.sum holds lines":                         {"mcp/go.sum", prefix + " v0.1.0 h1:x=\n"},
		"its workspace does not use it":              {"go.work", "go 1.26.0\n\nuse .\n\nreplace " + prefix + " v0.1.0 => .\n"},
		"does not replace " + prefix + "/mcp v0.1.0": {"go.work", "go 1.26.0\n\nuse (\n\t.\n\t./bench\n\t./mcp\n)\n"},
	} {
		root := repository(t)
		write(t, filepath.Join(root, change[0]), change[1])
		if err := open(t, root).verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", change[0], err, want)
		}
	}
}

// TestANewerGoIsListed: a module whose dependencies need a newer Go says so in the list.
func TestANewerGoIsListed(t *testing.T) {
	root := repository(t)
	write(t, filepath.Join(root, "modules.txt"), "version v0.1.0\nreleased .\nreleased mcp go1.26.5\nunreleased bench\n")
	if err := open(t, root).verify(); err == nil || !strings.Contains(err.Error(), "want the line go 1.26.5, as in modules.txt") {
		t.Errorf("got %v", err)
	}
	write(t, filepath.Join(root, "mcp/go.mod"), "module "+prefix+"/mcp\n\ngo 1.26.5\n\nrequire "+prefix+" v0.1.0\n")
	if err := open(t, root).verify(); err != nil {
		t.Error(err)
	}
}

func TestListErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"version v0.1.0\nfoo bar\n":            `modules.txt:2: got "foo bar"`,
		"version 1.0\n":                        `modules.txt:1: got "version 1.0"`,
		"released .\n":                         "want a version, and modules",
		"version v0.1.0\n":                     "want a version, and modules",
		"version v0.1.0\nreleased mcp\n":       "want a version, and modules",
		"version v2.0.0\n":                     `modules.txt:1: got "version v2.0.0"`,
		"version v0.1.0\nversion v0.2.0\n":     "modules.txt:2",
		"released .\nunreleased .\n":           "modules.txt:2: got . a second time",
		"version v0.1.0\nreleased . exporters": "modules.txt:2",
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, listFile), text)
		if _, err := readList(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestSetChangesAllVersions(t *testing.T) {
	root := repository(t)
	if err := open(t, root).set("v0.2.0"); err != nil {
		t.Fatal(err)
	}
	l := open(t, root)
	if err := l.verify(); err != nil || l.version != "v0.2.0" {
		t.Errorf("got version %s and %v, want v0.2.0 everywhere", l.version, err)
	}
	for _, version := range []string{"0.3", "v0.3", "v1", "v2.0.0", "v0.3.0+x"} {
		if err := l.set(version); err == nil {
			t.Errorf("got no error for %s, want one", version)
		}
	}
}

func TestAModuleIsPackedWithoutThoseBelowIt(t *testing.T) {
	root := repository(t)
	l := open(t, root)
	files := []string{
		"go.mod",
		"core.go",
		"LICENSE",
		"mcp/go.mod",
		"mcp/mcp.go",
		"mcp/sub/file.go",
		"bench/go.mod",
		"gone.go",
	}
	for i, want := range [][]string{{"LICENSE", "core.go", "go.mod"}, {"LICENSE", "go.mod", "mcp.go", "sub/file.go"}} {
		var got []string
		for _, f := range l.content(l.modules[i], files) {
			got = append(got, f.Path())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", l.modules[i].dir, got, want)
		}
	}
	proxy := t.TempDir()
	if err := l.pack(proxy); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"list", "v0.1.0.info", "v0.1.0.mod", "v0.1.0.zip"} {
		if _, err := os.Stat(filepath.Join(proxy, filepath.FromSlash(prefix), "mcp", "@v", name)); err != nil {
			t.Error(err)
		}
	}
}

func TestChangelogIsDated(t *testing.T) {
	root := repository(t)
	l := open(t, root)
	if err := l.writeChangelog("v0.1.0", time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, changelog))
	if want := "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-11-22\n\n### Added\n\n- something\n"; err != nil ||
		string(text) != want {
		t.Errorf("got %q and %v, want %q", text, err, want)
	}
	if err := l.writeChangelog("v0.2.0", time.Now()); err == nil {
		t.Error("got no error for a changelog with nothing new, want one")
	}
}

func TestTags(t *testing.T) {
	for dir, want := range map[string]string{".": "v0.1.0", "mcp": "mcp/v0.1.0", "cmd/toolscope": "cmd/toolscope/v0.1.0"} {
		if got := (member{dir: dir}).tag("v0.1.0"); got != want {
			t.Errorf("%s: got %s, want %s", dir, got, want)
		}
	}
}

func TestAReleaseThatCannotBeChangesNothing(t *testing.T) {
	for want, change := range map[string][2]string{
		"want a heading":             {"CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n"},
		"does not replace":           {"go.work", "go 1.26.0\n\nuse (\n\t.\n\t./bench\n\t./mcp\n)\n"},
		"want v0.1.0 or a later one": {"README.md", "text\n"},
		"working tree: got changes":  {},
		"tag mcp/v0.2.0 exists":      {"README.md", "text\n"},
	} {
		root := repository(t)
		version := "v0.2.0"
		if change[0] != "" {
			write(t, filepath.Join(root, change[0]), change[1])
			commit(t, root)
		}
		switch want {
		case "want v0.1.0 or a later one":
			version = "v0.0.9"
		case "tag mcp/v0.2.0 exists":
			if _, err := output(root, "git", "tag", "mcp/v0.2.0"); err != nil {
				t.Fatal(err)
			}
		}
		before, err := output(root, "git", "status", "--porcelain")
		if err != nil {
			t.Fatal(err)
		}
		if err := open(t, root).release(version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if after, err := output(root, "git", "status", "--porcelain"); err != nil || after != before {
			t.Errorf("%s: got changes %q and %v, want none", want, after, err)
		}
	}
}

func commit(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{
		{"add", "-A"}, {"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-qm", "test"},
	} {
		if _, err := output(root, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/files"
)

type object = map[string]any

// house is a directory with two roots, "work" and the read-only "docs", and
// with things outside of them that nobody may see.
type house struct {
	dir      string
	registry *toolkit.Registry
}

const secret = "nobody may read this"

func newHouse(t *testing.T) house {
	t.Helper()
	h := house{t.TempDir(), new(toolkit.Registry)}
	for name, content := range map[string]string{
		"work/a.txt": "one\ntwo\nthree\n", "work/src/main.go": "package main\n", "work/src/deep/er/x.go": "package x // two\n", "work/.git/config": "two\n",
		"work/.ssh/key": secret, "work/.config/gcloud/token": secret, "work/.netrc": secret, "work/bin": "a\x00b", "work/crlf.txt": "one\r\ntwo\r\n",
		"docs/guide.md": "# Guide\n", "outside.txt": secret, "work-evil/x.txt": secret,
	} {
		path := filepath.Join(h.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tools, err := files.New(files.Options{Roots: []files.Root{
		{Name: "work", Path: filepath.Join(h.dir, "work")}, {Name: "docs", Path: filepath.Join(h.dir, "docs"), ReadOnly: true},
	}})
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
	if err := os.Symlink(target, filepath.Join(h.dir, "work", name)); err != nil {
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

func (h house) content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTraversal tries every tool on every path that leads where it may not.
func TestTraversal(t *testing.T) {
	h := newHouse(t)
	h.link(t, "../outside.txt", "out")
	h.link(t, filepath.Join(h.dir, "outside.txt"), "absolute")
	h.link(t, "..", "up")
	h.link(t, "src/../../outside.txt", "winding")
	h.link(t, "out", "twice")
	h.link(t, ".ssh", "keys")
	h.link(t, ".ssh/key", "key")
	h.link(t, ".config", "conf")
	h.link(t, "src", "sources")
	paths := []string{
		"..", "../outside.txt", "src/../../outside.txt", "src/../a.txt", "./../outside.txt", "src/..", "/", "/etc/passwd", "//etc/passwd", "/proc/self/environ",
		h.dir + "/outside.txt", h.dir + "/work/a.txt", "work:../outside.txt", "work:/etc/passwd", "docs:../work/a.txt", "docs:../outside.txt", "../work-evil/x.txt",
		"out", "absolute", "up", "up/outside.txt", "up/work-evil/x.txt", "winding", "twice", "up/work/a.txt", "out/x",
		".ssh", ".ssh/key", ".SSH/key", "src/.ssh/key", ".aws", ".aws/credentials", ".kube/config", ".gnupg/x", ".netrc", "src/.netrc", ".config/gcloud", ".config/gcloud/token",
		"keys", "keys/key", "key", "conf/gcloud/token", "sources/../.ssh/key", "docs:.ssh/id", "./.ssh/./key", ".ssh/new",
	}
	before := tree(t, h.dir)
	for _, path := range paths {
		for tool, args := range map[string]object{
			"file_list": {}, "file_read": {}, "file_info": {}, "file_search": {"text": "e"}, "file_write": {"content": "x"}, "file_edit": {"source_text": "e", "target_text": "x"},
		} {
			args["path"] = path
			res := h.call(t.Context(), tool, args)
			if !errors.Is(res.Fault, toolkit.ErrPermissionDenied) || strings.Contains(res.Output, secret) {
				t.Errorf("%s of %q: got %q, want permission denied", tool, path, res.Output)
			}
			if !strings.HasPrefix(path, h.dir) && strings.Contains(res.Output, h.dir) {
				t.Errorf("%s of %q tells the host's directory: %q", tool, path, res.Output)
			}
		}
	}
	if after := tree(t, h.dir); after != before {
		t.Errorf("the files changed: got\n%s\nwant\n%s", after, before)
	}
	if res := h.call(t.Context(), "file_read", object{"path": "sources/main.go"}); res.Fault != nil {
		t.Errorf("a link that stays inside: got %s", res.Output)
	}
	for _, args := range []object{{"text": "nobody"}, {"pattern": "*key*", "text": "n"}} {
		if res := h.call(t.Context(), "file_search", args); !strings.Contains(res.Output, "nothing found") {
			t.Errorf("search %v: got %s", args, res.Output)
		}
	}
	if res := h.call(t.Context(), "file_list", object{}); strings.Contains(res.Output, "token") || !strings.Contains(res.Output, ".ssh/ (not opened)") {
		t.Errorf("list: got %s", res.Output)
	}
}

// tree is all names and contents below a directory.
func tree(t *testing.T, dir string) (s string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, err := os.ReadFile(path)
			s += path + ": " + string(b) + "\n"
			return err
		}
		s += path + "\n"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSwap changes a directory into a symbolic link and back while the tools
// work below it: what lies outside, or in a credential folder, is never reached.
func TestSwap(t *testing.T) {
	for _, target := range []string{"../work-evil", ".ssh"} {
		h := newHouse(t)
		real, aside, link := filepath.Join(h.dir, "work", "d"), filepath.Join(h.dir, "work", "aside"), filepath.Join(h.dir, "work", "link")
		if err := os.Mkdir(real, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x.txt", "key"} {
			if err := os.WriteFile(filepath.Join(real, name), []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		h.link(t, target, "link")
		done := make(chan struct{})
		var swaps sync.WaitGroup
		swaps.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				_ = os.Rename(real, aside)
				_ = os.Rename(link, real)
				_ = os.Rename(real, link)
				if os.Rename(aside, real) != nil {
					_ = os.RemoveAll(aside) // a write made the directory anew
				}
			}
		})
		reached := 0
		for range 300 {
			for _, name := range []string{"d/x.txt", "d/key"} {
				if res := h.call(t.Context(), "file_read", object{"path": name}); strings.Contains(res.Output, secret) {
					t.Fatalf("%s: read %q", target, res.Output)
				} else if res.Fault == nil {
					reached++
				}
			}
			h.call(t.Context(), "file_write", object{"path": "d/key", "content": "mine"})
		}
		close(done)
		swaps.Wait()
		if reached == 0 {
			t.Errorf("%s: no read succeeded, so nothing was tried", target)
		}
		for _, name := range []string{"work-evil/x.txt", "work/.ssh/key"} {
			if got := h.content(t, name); got != secret {
				t.Errorf("%s: %s has %q", target, name, got)
			}
		}
		for _, dir := range []string{"work-evil", "work/.ssh"} {
			entries, err := os.ReadDir(filepath.Join(h.dir, dir))
			if err != nil || len(entries) != 1 {
				t.Errorf("%s: %s has %v (%v), want one file", target, dir, entries, err)
			}
		}
	}
}

func TestRead(t *testing.T) {
	h := newHouse(t)
	long := strings.Repeat("x", 1000) + "\n"
	if err := os.WriteFile(filepath.Join(h.dir, "work", "long"), []byte(strings.Repeat(long, 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(h.dir, "work", "bin"), 11<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "work", "zero"), []byte("a\x00b"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args object
		want string
		kind error
	}{
		{object{"path": "a.txt"}, "a.txt: lines 1 to 3 of 3\n     1\tone\n     2\ttwo\n     3\tthree\n", nil},
		{object{"path": "work:a.txt", "start_line": 2, "end_line": 2}, "work:a.txt: lines 2 to 2 of 3\n     2\ttwo\n", nil},
		{object{"path": "a.txt", "start_line": 3, "end_line": 99}, "lines 3 to 3 of 3", nil},
		{object{"path": "docs:guide.md"}, "# Guide", nil},
		{object{"path": "crlf.txt"}, "lines 1 to 2 of 2, line endings CRLF\n     1\tone\n", nil},
		{object{"path": "long"}, "; cut at 262144 bytes, go on with start_line 26", nil},
		{object{"path": "a.txt", "start_line": 4}, "at most 3", toolkit.ErrInvalidArguments},
		{object{"path": "a.txt", "start_line": 0}, "start_line", toolkit.ErrInvalidArguments},
		{object{"path": "a.txt", "start_line": 2, "end_line": 1}, "end_line", toolkit.ErrInvalidArguments},
		{object{"path": "a\x00"}, "NUL", toolkit.ErrInvalidArguments},
		{object{"path": "zero"}, "is binary, 3 bytes", toolkit.ErrTool},
		{object{"path": "bin"}, "has 11534336 bytes, more than the 10485760", toolkit.ErrTool},
		{object{"path": "missing"}, `path "missing" does not exist`, toolkit.ErrTool},
		{object{"path": "src"}, "is a directory", toolkit.ErrTool},
		{object{}, "is a directory", toolkit.ErrTool},
		{object{"path": "a.txt/b"}, "goes through a file", toolkit.ErrTool},
	}
	for _, test := range tests {
		res := h.call(t.Context(), "file_read", test.args)
		if !strings.Contains(res.Output, test.want) || !errors.Is(res.Fault, test.kind) {
			t.Errorf("%v: got %.300q, want %q and %v", test.args, res.Output, test.want, test.kind)
		}
	}
}

func TestWrite(t *testing.T) {
	h := newHouse(t)
	if err := os.Chmod(filepath.Join(h.dir, "work", "a.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(h.dir, "outside.txt"), filepath.Join(h.dir, "work", "hard")); err != nil {
		t.Skip("no hard links on this machine: ", err)
	}
	tests := []struct {
		args       object
		want, file string
		kind       error
	}{
		{object{"path": "a.txt", "content": "new"}, "overwritten with 3 bytes, before 14", "new", nil},
		{object{"path": "a.txt", "content": "er\n", "mode": "append"}, "3 bytes appended to 3", "newer\n", nil},
		{object{"path": "a.txt", "content": "x", "mode": "create"}, "exists already", "newer\n", toolkit.ErrTool},
		{object{"path": "a.txt", "content": "x", "mode": "truncate"}, "mode", "newer\n", toolkit.ErrInvalidArguments},
		{object{"path": "a.txt"}, "content", "newer\n", toolkit.ErrInvalidArguments},
		{object{"path": "a.txt", "content": strings.Repeat("x", 10<<20), "mode": "append"}, "more than the 10485760", "newer\n", toolkit.ErrTool},
		{object{"path": "new/dir/b.txt", "content": "", "mode": "create"}, "created with 0 bytes", "", nil},
		{object{"path": "new/dir/b.txt", "content": "b", "mode": "append"}, "1 bytes appended to 0", "b", nil},
		{object{"path": "hard", "content": "!", "mode": "append"}, "appended", secret + "!", nil},
		{object{"path": "a.txt/b", "content": "x"}, "goes through a file", "", toolkit.ErrTool},
		{object{"path": "src", "content": "x"}, "is a directory", "", toolkit.ErrTool},
		{object{"path": ".", "content": "x"}, "is a directory", "", toolkit.ErrTool},
		{object{"path": "docs:guide.md", "content": "x"}, "read-only root", "", toolkit.ErrPermissionDenied},
	}
	for _, test := range tests {
		res := h.call(t.Context(), "file_write", test.args)
		if !strings.Contains(res.Output, test.want) || !errors.Is(res.Fault, test.kind) {
			t.Errorf("%.100v: got %.300q, want %q and %v", test.args, res.Output, test.want, test.kind)
		}
		if test.file != "" {
			if got := h.content(t, "work/"+test.args["path"].(string)); got != test.file {
				t.Errorf("%.100v: the file has %.100q, want %q", test.args, got, test.file)
			}
		}
	}
	if got := h.content(t, "outside.txt"); got != secret {
		t.Errorf("written through a hard link: %q", got)
	}
	if info, err := os.Stat(filepath.Join(h.dir, "work", "a.txt")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v (%v), want it kept", info.Mode(), err)
	}
	if strings.Contains(tree(t, h.dir), ".tmp") {
		t.Error("a temporary file is left")
	}
}

func TestEdit(t *testing.T) {
	h := newHouse(t)
	res := h.call(t.Context(), "file_edit", object{"path": "crlf.txt", "source_text": "one\ntwo\n", "target_text": "1\n2\n"})
	if res.Fault != nil || !strings.Contains(res.Output, "-one\n-two\n+1\n+2\n") || h.content(t, "work/crlf.txt") != "1\r\n2\r\n" {
		t.Errorf("got %s and %q", res.Output, h.content(t, "work/crlf.txt"))
	}
	for _, test := range []struct {
		args object
		want string
	}{
		{object{"path": "a.txt", "source_text": "o", "target_text": "x"}, "add lines before or after"},
		{object{"path": "a.txt", "source_text": "four", "target_text": "x"}, "does not stand in the file"},
		{object{"path": "a.txt", "source_text": "", "target_text": "x"}, "source_text"},
		{object{"path": "a.txt", "source_text": "one"}, "target_text"},
		{object{"path": "a.txt", "source_text": "one", "target_text": "one"}, "target_text"},
		{object{"path": "a.txt", "source_text": " one ", "target_text": "one"}, "target_text"},
		{object{"path": "bin", "source_text": "a", "target_text": "x"}, "is binary"},
		{object{"path": "docs:guide.md", "source_text": "Guide", "target_text": "x"}, "read-only root"},
	} {
		if res := h.call(t.Context(), "file_edit", test.args); res.Fault == nil || !strings.Contains(res.Output, test.want) {
			t.Errorf("%v: got %q, want %q", test.args, res.Output, test.want)
		}
	}
	if got := h.content(t, "work/a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("a refused edit changed the file: %q", got)
	}
}

// TestConcurrentEdits checks that no edit is lost: each sees the one before.
func TestConcurrentEdits(t *testing.T) {
	h := newHouse(t)
	var content strings.Builder
	for i := range 20 {
		fmt.Fprintf(&content, "<%d>\n", i)
	}
	h.call(t.Context(), "file_write", object{"path": "n.txt", "content": content.String()})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			res := h.call(t.Context(), "file_edit", object{"path": "n.txt", "source_text": fmt.Sprintf("<%d>", i), "target_text": "done"})
			if res.Fault != nil {
				t.Error(res.Output)
			}
		})
	}
	all.Wait()
	if got := h.content(t, "work/n.txt"); got != strings.Repeat("done\n", 20) {
		t.Errorf("got %q", got)
	}
}

func TestListAndSearch(t *testing.T) {
	h := newHouse(t)
	for i := range 150 {
		if err := os.WriteFile(filepath.Join(h.dir, "docs", fmt.Sprintf("n%03d.md", i)), []byte("needle\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		tool string
		args object
		want string
		kind error
	}{
		{"file_list", object{"path": "src"}, "deep/\n  er/\n    x.go\nmain.go\n", nil},
		{"file_list", object{"path": "src", "depth": 1}, "deep/ (not opened)\nmain.go\n", nil},
		{"file_list", object{"path": "src", "depth": 0}, "depth", toolkit.ErrInvalidArguments},
		{"file_list", object{"path": "a.txt"}, "goes through a file", toolkit.ErrTool},
		{"file_search", object{"text": "two"}, "a.txt:2: two\ncrlf.txt:2: two\nsrc/deep/er/x.go:1: package x // two\n1 files were passed over", nil},
		{"file_search", object{"text": "two", "pattern": "*.go"}, "src/deep/er/x.go:1: package x // two\n", nil},
		{"file_search", object{"text": "two", "path": "a.txt"}, "a.txt:2: two\n", nil},
		{"file_search", object{"pattern": "*.go"}, "src/deep/er/x.go\nsrc/main.go\n", nil},
		{"file_search", object{"pattern": "**/er/*.go"}, "src/deep/er/x.go\n", nil},
		{"file_search", object{"pattern": "src/*.go"}, "src/main.go\n", nil},
		{"file_search", object{"pattern": "*.md", "path": "docs:"}, "docs:guide.md\ndocs:n000.md\n", nil},
		{"file_search", object{"text": "needle", "path": "docs:"}, "docs:n099.md:1: needle\nstopped after 100 results", nil},
		{"file_search", object{"text": "absent"}, "nothing found\n", nil},
		{"file_search", object{}, "neither", toolkit.ErrInvalidArguments},
		{"file_search", object{"pattern": "[a"}, "pattern", toolkit.ErrInvalidArguments},
		{"file_search", object{"text": "x", "path": "missing"}, "does not exist", toolkit.ErrTool},
		{"file_info", object{"path": "docs:guide.md"}, "real path: guide.md\ntype: file\nsize: 8 bytes\n", nil},
		{"file_info", object{"path": "src/"}, "type: directory", nil},
		{"file_info", object{"path": "missing"}, "does not exist", toolkit.ErrTool},
	}
	for _, test := range tests {
		res := h.call(t.Context(), test.tool, test.args)
		if !strings.Contains(res.Output, test.want) || !errors.Is(res.Fault, test.kind) {
			t.Errorf("%s %v: got %q, want %q and %v", test.tool, test.args, res.Output, test.want, test.kind)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res := h.call(ctx, "file_search", object{"text": "x"}); !errors.Is(res.Fault, context.Canceled) {
		t.Errorf("cancelled: got %s", res.Output)
	}
}

func TestNew(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".ssh", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for want, roots := range map[string][]files.Root{
		"Options.Roots:":         nil,
		"Options.Roots[1].Name":  {{Name: "a", Path: dir}, {Name: "a", Path: dir}},
		"Options.Roots[0].Name":  {{Name: "a:b", Path: dir}},
		"Options.Roots[0].Path:": {{Name: "a"}},
		"in .ssh":                {{Name: "a", Path: filepath.Join(dir, ".ssh", "x")}},
		"missing":                {{Name: "a", Path: filepath.Join(dir, "missing")}},
	} {
		if _, err := files.New(files.Options{Roots: roots}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
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

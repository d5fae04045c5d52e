// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/files"
)

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
		"..", "../outside.txt", "src/../../outside.txt", "src/../a.txt", "./../outside.txt", "src/..", "/",
		"/etc/passwd", "//etc/passwd", "/proc/self/environ",
		h.dir + "/outside.txt", h.dir + "/desk-evil/x.txt", h.dir + "/desk/.ssh/key", h.dir + "/desk/../outside.txt",
		h.dir, "desk:../outside.txt", "desk:/etc/passwd", "docs:../desk/a.txt", "docs:../outside.txt", "../desk-evil/x.txt",
		"out", "absolute", "up", "up/outside.txt", "up/desk-evil/x.txt", "winding", "twice", "up/desk/a.txt", "out/x",
		".ssh", ".ssh/key", ".SSH/key", "src/.ssh/key", ".aws", ".aws/credentials", ".kube/config", ".gnupg/x",
		".netrc", "src/.netrc", ".config/gcloud", ".config/gcloud/token",
		"keys", "keys/key", "key", "conf/gcloud/token", "sources/../.ssh/key", "docs:.ssh/id", "./.ssh/./key", ".ssh/new",
	}
	entries := map[string]bool{"out": true, "absolute": true, "up": true, "winding": true, "twice": true,
		"keys": true, "key": true}
	before := tree(t, h.dir)
	for _, path := range paths {
		for tool, args := range map[string]object{
			"file_list": {}, "file_read": {}, "file_info": {}, "file_search": {"text": "e"},
			"file_write": {"content": "x"}, "file_edit": {"source_text": "e", "target_text": "x"},
			"file_mkdir": {}, "file_patch": {"patch": "--- /dev/null\n+++ " + path + "\n@@ -0,0 +1 @@\n+x\n"},
			"file_move": {"from": "a.txt", "to": path},
		} {
			if entries[path] && tool == "file_move" {
				continue // the link itself would be replaced, if it were no entry
			}
			if tool != "file_patch" && tool != "file_move" {
				args["path"] = path
			}
			res := h.call(t.Context(), tool, args)
			if !errors.Is(res.Fault, toolkit.ErrPermissionDenied) || strings.Contains(res.Output, secret) {
				t.Errorf("%s of %q: got %q, want permission denied", tool, path, res.Output)
			}
			if !strings.HasPrefix(path, h.dir) && strings.Contains(res.Output, h.dir) {
				t.Errorf("%s of %q reveals the machine's directory: %q", tool, path, res.Output)
			}
		}
	}
	if after := tree(t, h.dir); after != before {
		t.Errorf("the files changed: got\n%s\nwant\n%s", after, before)
	}
	for _, path := range []string{"sources/main.go", h.dir + "/desk/a.txt", h.dir + "/docs/guide.md",
		"desk:src//main.go", "./src/./main.go"} {
		if res := h.call(t.Context(), "file_read", object{"path": path}); res.Fault != nil {
			t.Errorf("%s stays inside: got %s", path, res.Output)
		}
	}
	for _, args := range []object{{"text": "not for"}, {"pattern": "*key*", "text": "n"}} {
		if res := h.call(t.Context(), "file_search", args); !strings.Contains(res.Output, "nothing found") {
			t.Errorf("search %v: got %s", args, res.Output)
		}
	}
	if res := h.call(t.Context(), "file_list", object{}); strings.Contains(res.Output, "token") ||
		!strings.Contains(res.Output, ".ssh/ (refused)") {
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
	for _, target := range []string{"../desk-evil", ".ssh"} {
		h := newHouse(t)
		real, aside, link := filepath.Join(h.dir, "desk", "d"), filepath.Join(h.dir, "desk", "aside"),
			filepath.Join(h.dir, "desk", "link")
		if err := os.Mkdir(real, 0o755); err != nil {
			t.Fatal(err)
		}
		fill := func() {
			for _, name := range []string{"x.txt", "key"} {
				if err := os.WriteFile(filepath.Join(real, name), []byte("mine"), 0o644); err != nil {
					t.Error(err)
				}
			}
		}
		fill()
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
					fill()
				}
				runtime.Gosched() // or a reader on one core sees one state only
			}
		})
		// At least 300 rounds, and on until a read found the directory itself: how
		// the two take turns is the scheduler's choice.
		reached := 0
		for round := 0; round < 300 || reached == 0 && round < 100_000; round++ {
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
		for _, name := range []string{"desk-evil/x.txt", "desk/.ssh/key"} {
			if got := h.content(t, name); got != secret {
				t.Errorf("%s: %s has %q", target, name, got)
			}
		}
		for _, dir := range []string{"desk-evil", "desk/.ssh"} {
			entries, err := os.ReadDir(filepath.Join(h.dir, dir))
			if err != nil || len(entries) != 1 {
				t.Errorf("%s: %s has %v (%v), want one file", target, dir, entries, err)
			}
		}
	}
}

// TestGeneratedPaths builds some thousand hostile paths of parts and tries each:
// nothing outside is read, nothing is written anywhere.
func TestGeneratedPaths(t *testing.T) {
	h := newHouse(t)
	before := tree(t, h.dir)
	ups := []string{"../", "..\\", "%2e%2e/", "%2e%2e%2f", "..%2f", "%252e%252e%252f", "..%5c", "%uff0e%uff0e/",
		"..%c0%af", "%c0%ae%c0%ae/", "\uff0e\uff0e/", ".\\..\\", "../", ".././", "..//", "%2e./", "..%u2215"}
	starts := []string{"", "/", "//", "./", "src/", "src\\", "desk:", "docs:", "a.txt/", "\\", "%2f",
		strings.Repeat("a", 300) + "/"}
	ends := []string{"outside.txt", "etc/passwd", "desk-evil/x.txt", "outside.txt%00", "outside.txt%00.png", ""}
	tried := 0
	for _, start := range starts {
		for _, up := range ups {
			for n := 1; n <= 8; n += 2 {
				for _, end := range ends {
					path := start + strings.Repeat(up, n) + end
					tried++
					for tool, args := range map[string]object{"file_read": {}, "file_write": {"content": "x", "mode": "create"}} {
						args["path"] = path
						if res := h.call(t.Context(), tool, args); res.Fault == nil || strings.Contains(res.Output, secret) {
							t.Errorf("%s of %q: got %q", tool, path, res.Output)
						}
					}
				}
			}
		}
	}
	if after := tree(t, h.dir); after != before {
		t.Errorf("the files changed: got\n%s\nwant\n%s", after, before)
	}
	if tried < 4000 {
		t.Errorf("tried %d paths, want thousands", tried)
	}
}

func TestHardLinks(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		h := newHouseWith(t, files.Options{HardLinks: allowed})
		if err := os.Link(filepath.Join(h.dir, "outside.txt"), filepath.Join(h.dir, "desk", "hard")); err != nil {
			t.Skip("no hard links on this machine: ", err)
		}
		var refused error
		want := secret
		if !allowed {
			refused, want = toolkit.ErrPermissionDenied, "hard link"
		}
		h.run(t, []step{
			{"file_read", object{"path": "hard"}, want, refused},
			{"file_search", object{"path": "hard", "text": "not for"}, want, refused},
			{"file_edit", object{"path": "hard", "source_text": "not for", "target_text": "all"}, "", refused},
			{"file_write", object{"path": "hard", "content": "!", "mode": "append"}, "", refused},
			{"file_info", object{"path": "hard"}, "type: file", nil},
		})
		h.call(t.Context(), "file_write", object{"path": "hard", "content": "replaced"})
		if got := h.content(t, "outside.txt"); got != secret {
			t.Errorf("written through a hard link: %q", got)
		}
		if got := h.content(t, "desk/hard"); got != "replaced" {
			t.Errorf("got %q, want the name to have a file of its own", got)
		}
	}
}

func TestRefuse(t *testing.T) {
	h := newHouseWith(t, files.Options{Refuse: []string{"*.pem", "src/{deep,low}"}})
	h.write(t, "desk/x/server.PEM", secret)
	denied := toolkit.ErrPermissionDenied
	h.run(t, []step{
		{"file_read", object{"path": "x/server.PEM"}, "is refused by the pattern *.pem", denied},
		{"file_write", object{"path": "new.pem", "content": "x"}, "pattern", denied},
		{"file_read", object{"path": "src/deep/er/x.go"}, "src/{deep,low}", denied},
		{"file_move", object{"from": "src", "to": "other"}, "holds deep", denied},
		{"file_delete", object{"path": "x", "recursive": true}, "holds server.PEM", denied},
		{"file_search", object{"text": "not for"}, "nothing found", nil},
		{"file_list", object{}, "server.PEM (refused)", nil},
		{"file_read", object{"path": "src/main.go"}, "package main", nil},
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/files"
)

func TestMakeAndMove(t *testing.T) {
	h := newHouse(t)
	h.link(t, "src", "link")
	h.link(t, "../outside.txt", "out")
	h.write(t, "desk/conf/x", "")
	denied, failed, invalid := toolkit.ErrPermissionDenied, toolkit.ErrTool, toolkit.ErrInvalidArguments
	h.run(t, []step{
		{"file_mkdir", object{"path": "x/y"}, "directory created", nil},
		{"file_mkdir", object{"path": "x/y"}, "exists already", nil},
		{"file_mkdir", object{"path": "a.txt"}, "is no directory", failed},
		{"file_mkdir", object{"path": "docs:x"}, "read-only root", denied},
		{"file_move", object{"from": "a.txt", "to": "x/y/b.txt"}, "a.txt: moved to x/y/b.txt", nil},
		{"file_read", object{"path": "x/y/b.txt"}, "three", nil},
		{"file_read", object{"path": "a.txt"}, "does not exist", failed},
		{"file_move", object{"from": "x/y/b.txt", "to": "crlf.txt"}, "exists already: set overwrite", failed},
		{"file_move", object{"from": "x/y/b.txt", "to": "crlf.txt", "overwrite": true}, "moved", nil},
		{"file_read", object{"path": "crlf.txt"}, "three", nil},
		{"file_move", object{"from": "src", "to": "new/place"}, "moved", nil},
		{"file_read", object{"path": "new/place/main.go"}, "package main", nil},
		{"file_move", object{"from": "new", "to": "new/place/x"}, "lies in it", invalid},
		{"file_move", object{"from": "new", "to": "new"}, "is from itself", invalid},
		{"file_move", object{"from": "crlf.txt", "to": "new", "overwrite": true}, "only a file can replace a file", failed},
		{"file_move", object{"from": ".config", "to": "conf2"}, "holds gcloud", denied},
		{"file_move", object{"from": ".ssh", "to": "keys"}, "credentials", denied},
		{"file_move", object{"from": "crlf.txt", "to": ".ssh/x"}, "credentials", denied},
		{"file_move", object{"from": "crlf.txt", "to": "../x"}, `".."`, denied},
		{"file_move", object{"from": "crlf.txt", "to": "docs:x"}, "read-only", denied},
		{"file_move", object{"from": "docs:guide.md", "to": "guide.md"}, "read-only", denied},
		{"file_move", object{"from": "missing", "to": "x"}, "does not exist", failed},
		{"file_move", object{"from": ".", "to": "x"}, "is a directory", failed},
		{"file_move", object{"from": "link", "to": "link2"}, "moved", nil}, // itself, not what it leads to
		{"file_delete", object{"path": "out"}, "deleted", nil},
		{"file_delete", object{"path": "x"}, "is a directory with 1 entries", failed},
		{"file_delete", object{"path": "x", "recursive": true}, "deleted, with 0 files and 1 directories in it", nil},
		{"file_delete", object{"path": "."}, "is a directory", failed},
		{"file_delete", object{"path": ".config", "recursive": true}, "holds gcloud", denied},
		{"file_delete", object{"path": "docs:guide.md"}, "read-only", denied},
		{"file_delete", object{"path": "missing"}, "does not exist", failed},
	})
	if got := h.content(t, "outside.txt"); got != secret {
		t.Errorf("a deleted link took along what it leads to: %q", got)
	}
	if got, err := os.Readlink(filepath.Join(h.dir, "desk", "link2")); err != nil || got != "src" {
		t.Errorf("got %q (%v), want the link to have moved", got, err)
	}
}

func TestMoveBetweenRoots(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one/d", "two"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tools, err := files.New(
		files.Options{Roots: []files.Root{{Name: "one", Path: filepath.Join(dir, "one")},
			{Name: "two", Path: filepath.Join(dir, "two")}}})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	h := house{dir, new(toolkit.Registry)}
	if err := h.registry.Register(tools.Tools()...); err != nil {
		t.Fatal(err)
	}
	h.run(t, []step{
		{"file_write", object{"path": "a", "content": "text"}, "created", nil},
		{"file_move", object{"from": "a", "to": "two:b/c"}, "moved", nil},
		{"file_read", object{"path": "two:b/c"}, "text", nil},
		{"file_read", object{"path": "a"}, "does not exist", toolkit.ErrTool},
		{"file_move", object{"from": "d", "to": "two:d"}, "only files are moved between roots", toolkit.ErrInvalidArguments},
	})
}

func TestTrash(t *testing.T) {
	h := newHouseWith(t, files.Options{Trash: true})
	res := h.call(t.Context(), "file_delete", object{"path": "src", "recursive": true})
	_, rest, _ := strings.Cut(res.Output, "moved to desk:")
	kept, _, ok := strings.Cut(rest, ",")
	if res.Fault != nil || !ok {
		t.Fatalf("got %s", res.Output)
	}
	denied := toolkit.ErrPermissionDenied
	h.run(t, []step{
		{"file_read", object{"path": kept + "/main.go"}, "package main", nil},
		{"file_write", object{"path": kept + "/main.go", "content": "x"}, "lies in the trash", denied},
		{"file_delete", object{"path": kept}, "lies in the trash", denied},
		{"file_delete", object{"path": ".trash", "recursive": true}, "lies in the trash", denied},
		{"file_move", object{"from": ".trash", "to": "x"}, "lies in the trash", denied},
		{"file_move", object{"from": "a.txt", "to": ".trash/x"}, "lies in the trash", denied},
		{"file_move", object{"from": kept, "to": "src"}, "moved", nil},
		{"file_read", object{"path": "src/main.go"}, "package main", nil},
		{"file_patch", object{"patch": "--- a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n"},
			"moved to desk:.trash/", nil},
	})
}

// TestMovesInBothDirections moves many files against each other at once: none waits for
// another in a circle, none is lost.
func TestMovesInBothDirections(t *testing.T) {
	h := newHouse(t)
	for i := range 4 {
		h.write(t, fmt.Sprintf("desk/p/f%d", i), fmt.Sprint(i))
	}
	start := time.Now()
	var all sync.WaitGroup
	for i := range 4 {
		for _, way := range [][2]string{{"p", "q"}, {"q", "p"}} {
			all.Go(func() {
				for n := range 50 {
					h.call(t.Context(), "file_move",
						object{"from": fmt.Sprintf("%s/f%d", way[0], (i+n)%4), "to": fmt.Sprintf("%s/f%d", way[1], (i+n)%4)})
					if n%10 == 0 {
						h.call(t.Context(), "file_move", object{"from": way[0], "to": "aside"})
						h.call(t.Context(), "file_move", object{"from": "aside", "to": way[0]})
					}
				}
			})
		}
	}
	all.Wait()
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	got := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(h.dir, "desk"), func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), "f") && e.Type().IsRegular() {
			content, err := os.ReadFile(path)
			got[string(content)] = true
			return err
		}
		return err
	})
	if err != nil || len(got) != 4 {
		t.Errorf("got %v (%v), want all four files", got, err)
	}
}

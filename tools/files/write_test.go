// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

func TestWrite(t *testing.T) {
	h := newHouse(t)
	if err := os.Chmod(filepath.Join(h.dir, "desk", "a.txt"), 0o600); err != nil {
		t.Fatal(err)
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
		{object{"path": "a.txt", "content": strings.Repeat("x", 10<<20), "mode": "append"}, "more than the 10485760",
			"newer\n", toolkit.ErrTool},
		{object{"path": "new/dir/b.txt", "content": "", "mode": "create"}, "created with 0 bytes", "", nil},
		{object{"path": "new/dir/b.txt", "content": "b", "mode": "append"}, "1 bytes appended to 0", "b", nil},
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
			if got := h.content(t, "desk/"+test.args["path"].(string)); got != test.file {
				t.Errorf("%.100v: the file has %.100q, want %q", test.args, got, test.file)
			}
		}
	}
	if info, err := os.Stat(filepath.Join(h.dir, "desk", "a.txt")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v (%v), want it kept", info.Mode(), err)
	}
	if strings.Contains(tree(t, h.dir), ".tmp") {
		t.Error("a temporary file is left")
	}
}

func TestEdit(t *testing.T) {
	h := newHouse(t)
	res := h.call(t.Context(), "file_edit", object{"path": "crlf.txt", "source_text": "one\ntwo\n", "target_text": "1\n2\n"})
	if res.Fault != nil || !strings.Contains(res.Output, "-one\n-two\n+1\n+2\n") ||
		h.content(t, "desk/crlf.txt") != "1\r\n2\r\n" {
		t.Errorf("got %s and %q", res.Output, h.content(t, "desk/crlf.txt"))
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
	if got := h.content(t, "desk/a.txt"); got != "one\ntwo\nthree\n" {
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
			res := h.call(t.Context(), "file_edit",
				object{"path": "n.txt", "source_text": fmt.Sprintf("<%d>", i), "target_text": "done"})
			if res.Fault != nil {
				t.Error(res.Output)
			}
		})
	}
	all.Wait()
	if got := h.content(t, "desk/n.txt"); got != strings.Repeat("done\n", 20) {
		t.Errorf("got %q", got)
	}
}

// TestSeveralEdits checks that edits of one call are made in order, all or none.
func TestSeveralEdits(t *testing.T) {
	h := newHouse(t)
	edit := func(source, target string) object { return object{"source_text": source, "target_text": target} }
	h.run(t, []step{
		{"file_edit", object{"path": "a.txt",
			"edits": []object{edit("one", "1"), edit("1\ntwo", "1\n2"), edit("  three", "3")}},
			"-one\n-two\n-three\n+1\n+2\n+3\n", nil},
		{"file_edit", object{"path": "a.txt", "edits": []object{edit("1", "one"), edit("4", "four")}},
			"edits[1]: source_text does not stand in the file", toolkit.ErrTool},
		{"file_edit", object{"path": "a.txt", "edits": []object{edit("1", "one"), edit("", "x")}},
			"edits[1].source_text", toolkit.ErrInvalidArguments},
		{"file_edit", object{"path": "a.txt", "edits": []object{edit("1", "x"), edit("x", "1")}},
			"what stands in the file already", toolkit.ErrInvalidArguments},
		{"file_edit", object{"path": "a.txt", "source_text": "1", "target_text": "x",
			"edits": []object{edit("1", "x")}}, "one of the two forms", toolkit.ErrInvalidArguments},
		{"file_edit", object{"path": "a.txt", "edits": make([]object, 101)}, "at most 100", toolkit.ErrInvalidArguments},
	})
	if got := h.content(t, "desk/a.txt"); got != "1\n2\n3\n" {
		t.Errorf("got %q", got)
	}
}

// TestNearest checks that a text that almost stands in the file is shown where.
func TestNearest(t *testing.T) {
	h := newHouse(t)
	h.run(t, []step{{"file_edit", object{"path": "a.txt", "source_text": "two\nfour", "target_text": "x"},
		"its first 1 of 2 lines stand from line 2 on, but line 3 differs", toolkit.ErrTool}})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

func TestRead(t *testing.T) {
	h := newHouse(t)
	long := strings.Repeat("x", 1000) + "\n"
	if err := os.WriteFile(filepath.Join(h.dir, "desk", "long"), []byte(strings.Repeat(long, 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(h.dir, "desk", "bin"), 11<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "desk", "zero"), []byte("a\x00b"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args object
		want string
		kind error
	}{
		{object{"path": "a.txt"}, "a.txt: lines 1 to 3 of 3\n     1\tone\n     2\ttwo\n     3\tthree\n", nil},
		{object{"path": "desk:a.txt", "start_line": 2, "end_line": 2}, "desk:a.txt: lines 2 to 2 of 3\n     2\ttwo\n", nil},
		{object{"path": "a.txt", "start_line": 3, "end_line": 99}, "lines 3 to 3 of 3", nil},
		{object{"path": "docs:guide.md"}, "# Guide", nil},
		{object{"path": "crlf.txt"}, "lines 1 to 2 of 2, line endings CRLF\n     1\tone\n", nil},
		{object{"path": "long"}, "; cut at 262144 bytes, go on with start_line 26", nil},
		{object{"path": "a.txt", "start_line": 4}, "at most 3", toolkit.ErrInvalidArguments},
		{object{"path": "a.txt", "start_line": 0}, "start_line", toolkit.ErrInvalidArguments},
		{object{"path": "a.txt", "start_line": 2, "end_line": 1}, "end_line", toolkit.ErrInvalidArguments},
		{object{"path": "a\x00"}, "control character U+0000", toolkit.ErrInvalidArguments},
		{object{"path": "zero"}, "is binary, 3 bytes: only text", toolkit.ErrTool},
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

// TestEncodings reads, searches, edits and appends to the same text in every
// encoding: it is shown alike, and stays in its encoding.
func TestEncodings(t *testing.T) {
	const text = "caf\u00e9 one\r\ntwo\r\n"
	wide := func(order string) (s string) {
		for _, r := range text {
			pair := []string{string([]byte{byte(r)}), "\x00"}
			if order == "be" {
				pair[0], pair[1] = pair[1], pair[0]
			}
			s += pair[0] + pair[1]
		}
		return s
	}
	for name, test := range map[string]struct{ content, told string }{
		"utf8":    {text, ""},
		"marked":  {"\xef\xbb\xbf" + text, "UTF-8 with BOM"},
		"utf16le": {"\xff\xfe" + wide("le"), "UTF-16LE with BOM"},
		"utf16be": {"\xfe\xff" + wide("be"), "UTF-16BE with BOM"},
		"bare le": {wide("le"), "UTF-16LE"},
		"bare be": {wide("be"), "UTF-16BE"},
		"latin":   {strings.ReplaceAll(text, "\u00e9", "\xe9"), "windows-1252 (guessed)"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.write(t, "desk/"+name, test.content)
			h.run(t, []step{
				{"file_read", object{"path": name}, "     1\tcaf\u00e9 one\n     2\ttwo\n", nil},
				{"file_read", object{"path": name}, test.told, nil},
				{"file_info", object{"path": name}, "content: text, 2 lines, " + test.told, nil},
				{"file_search", object{"text": "caf\u00e9", "pattern": name}, "1: caf\u00e9 one\n", nil},
				{"file_edit", object{"path": name, "source_text": "one\ntwo", "target_text": "\u00fcber\ndrei"},
					"+caf\u00e9 \u00fcber", nil},
				{"file_write", object{"path": name, "content": "end\n", "mode": "append"}, "appended", nil},
				{"file_read", object{"path": name}, "     1\tcaf\u00e9 \u00fcber\n     2\tdrei\n     3\tend\n", nil},
				{"file_read", object{"path": name}, test.told, nil},
			})
			got, want := h.content(t, "desk/"+name), test.content
			if i := strings.Index(want, "one"); i > 0 && got[:i] != want[:i] || !strings.Contains(got, "\n") ||
				strings.Count(got, "\r") != 3 {
				t.Errorf("got %q, want the encoding and line endings of %q", got, want)
			}
		})
	}
	h := newHouse(t)
	h.write(t, "desk/latin", "caf\xe9\n")
	h.write(t, "desk/image", "\x89PNG\r\n\x1a\n\x00\x00")
	h.write(t, "desk/lone", "\xff\xfe\x00\xd8")
	h.run(t, []step{
		{"file_edit", object{"path": "latin", "source_text": "caf", "target_text": "\u4e2d"},
			"has no character '\u4e2d'", toolkit.ErrTool},
		{"file_read", object{"path": "image"}, "is binary (a PNG image), 10 bytes", toolkit.ErrTool},
		{"file_info", object{"path": "image"}, "content: binary (a PNG image)", nil},
		{"file_read", object{"path": "lone"}, "is binary", toolkit.ErrTool},
	})
}

// TestSeen checks that what another process changed since a session read it is not
// overwritten, and that sessions do not share what they have seen.
func TestSeen(t *testing.T) {
	h := newHouse(t)
	stale := "was changed by another process since it was read here"
	h.run(t, []step{{"file_read", object{"path": "a.txt"}, "two", nil}})
	h.write(t, "desk/a.txt", "one\nTWO\nthree\n")
	h.run(t, []step{
		{"file_edit", object{"path": "a.txt", "source_text": "one", "target_text": "1"}, stale, toolkit.ErrTool},
		{"file_write", object{"path": "a.txt", "content": "x"}, stale, toolkit.ErrTool},
		{"file_patch", object{"patch": "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n"}, stale, toolkit.ErrTool},
		{"file_read", object{"path": "a.txt"}, "TWO", nil},
		{"file_edit", object{"path": "a.txt", "source_text": "one", "target_text": "1"}, "edited", nil},
		{"file_edit", object{"path": "a.txt", "source_text": "TWO", "target_text": "2"}, "edited", nil},
		{"file_write", object{"path": "a.txt", "content": "mine\n"}, "overwritten", nil},
	})
	anne := toolkit.WithSession(t.Context(), toolkit.Session{ID: "anne"})
	bert := toolkit.WithSession(t.Context(), toolkit.Session{ID: "bert"})
	h.call(anne, "file_read", object{"path": "a.txt"})
	if res := h.call(bert, "file_edit",
		object{"path": "a.txt", "source_text": "mine", "target_text": "bert's"}); res.Fault != nil {
		t.Error(res.Output)
	}
	if res := h.call(anne, "file_write", object{"path": "a.txt", "content": "anne's"}); !strings.Contains(res.Output, stale) {
		t.Errorf("got %q, want that it was changed", res.Output)
	}
}

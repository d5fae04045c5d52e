// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestPatch applies patches as git, diff and models write them.
func TestPatch(t *testing.T) {
	const numbers = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, test := range []struct{ name, file, patch, want, says string }{
		{"plain", numbers, "--- n\n+++ n\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"n: 1 hunks, +1 -1"},
		{"git's head", numbers, "diff --git a/n b/n\nindex 12..34 100644\n--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@ func " +
			"x\n-1\n+one\n 2\n", "one\n2\n3\n4\n5\n6\n7\n8\n9\n", ""},
		{"times", numbers, "--- n\t2026-01-01 00:00:00\n+++ n\t2026-01-02 00:00:00\n@@ -9 +9 @@\n-9\n+nine\n",
			"1\n2\n3\n4\n5\n6\n7\n8\nnine\n", ""},
		{"wrong line", numbers, "--- n\n+++ n\n@@ -40,3 +40,3 @@\n 4\n-5\n+five\n 6\n",
			"1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "hunk 1 was found at line 4, not 40"},
		{"wrong counts", numbers, "--- n\n+++ n\n@@ -4,9 +4,1 @@\n 4\n-5\n+five\n 6\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", ""},
		{"no numbers", numbers, "--- n\n+++ n\n@@ ... @@\n 4\n-5\n+five\n 6\n@@\n-8\n", "1\n2\n3\n4\nfive\n6\n7\n9\n",
			"2 hunks, +1 -2"},
		{"two hunks that shift", numbers, "--- n\n+++ n\n@@ -1,1 +1,3 @@\n 1\n+a\n+b\n@@ -9,1 +11,2 @@\n 9\n+c\n",
			"1\na\nb\n2\n3\n4\n5\n6\n7\n8\n9\nc\n", ""},
		{"blank context without its blank", "a\n\nb\n", "--- n\n+++ n\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nc\n", ""},
		{"CRLF", "a\r\nb\r\n", "--- n\n+++ n\n@@ -1,2 +1,3 @@\n a\n+x\n b\n", "a\r\nx\r\nb\r\n", ""},
		{"BOM", "\xef\xbb\xbfa\nb\n", "--- n\n+++ n\n@@ -1,2 +1,2 @@\n-a\n+x\n b\n", "\xef\xbb\xbfx\nb\n", ""},
		{"no newline at the end", "a\nb",
			"--- n\n+++ n\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
			"a\nc", ""},
		{"a line behind one without its end", "a\nb", "--- n\n+++ n\n@@ -2,1 +2,2 @@\n b\n+c\n", "a\nb\nc\n", ""},
		{"a mail's signature", numbers, "--- n\n+++ n\n@@ -9 +9 @@\n-9\n+nine\n-- \n2.39.5\n",
			"1\n2\n3\n4\n5\n6\n7\n8\nnine\n", ""},
		{"lines that look like heads", "x\n-- a\n", "--- n\n+++ n\n@@ -1,2 +1,2 @@\n x\n--- a\n+++ b\n", "x\n++ b\n", ""},
		{"nothing around, by number", numbers, "--- n\n+++ n\n@@ -2,0 +3,1 @@\n+x\n", "1\n2\nx\n3\n4\n5\n6\n7\n8\n9\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHouse(t)
			h.write(t, "desk/n", test.file)
			h.run(t, []step{{"file_patch", object{"patch": test.patch}, test.says, nil}})
			if got := h.content(t, "desk/n"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPatchSeveralFiles(t *testing.T) {
	h := newHouse(t)
	h.run(t, []step{{"file_patch", object{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n--- " +
		"/dev/null\n+++ b/new/file.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n" +
		"--- a/src/main.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package main\n"}, "patched 3 files\na.txt: 1 hunks, +1 " +
		"-1\nnew/file.txt: created with 4 bytes\nsrc/main.go: the whole file\n  deleted\n", nil}})
	if a, n := h.content(t, "desk/a.txt"), h.content(t, "desk/new/file.txt"); a != "1\ntwo\nthree\n" || n != "x\ny\n" {
		t.Errorf("got %q and %q", a, n)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "desk", "src", "main.go")); err == nil {
		t.Error("the deleted file is there")
	}
	if strings.Contains(tree(t, h.dir), ".tmp") {
		t.Error("a temporary file is left")
	}
}

// TestPatchRefuses checks that a patch of which a part does not fit changes nothing.
func TestPatchRefuses(t *testing.T) {
	h := newHouse(t)
	h.write(t, "desk/twice", "a\nb\na\nb\n")
	const good = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n"
	before := tree(t, h.dir)
	invalid, failed, denied := error(toolkit.ErrInvalidArguments), error(toolkit.ErrTool), error(toolkit.ErrPermissionDenied)
	for _, test := range []struct {
		patch, want string
		kind        error
	}{
		{good + "--- crlf.txt\n+++ crlf.txt\n@@ -1 +1 @@\n-other\n+x\n",
			"does not fit hunk 1: its old lines do not stand there: line 1 is another one", failed},
		{good + "--- missing\n+++ missing\n@@ -1 +1 @@\n-a\n+b\n", `path "missing" does not exist; no file was changed`, failed},
		{good + "--- /dev/null\n+++ crlf.txt\n@@ -0,0 +1 @@\n+b\n", "exists already", failed},
		{good + "--- crlf.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "would not be empty afterwards", failed},
		{good + "--- bin\n+++ bin\n@@ -1 +1 @@\n-a\n+b\n", "is binary", failed},
		{good + "--- docs:guide.md\n+++ docs:guide.md\n@@ -1 +1 @@\n-# Guide\n+x\n", "read-only root", denied},
		{good + "--- ../outside.txt\n+++ ../outside.txt\n@@ -1 +1 @@\n-a\n+b\n", `".."`, denied},
		{good + "--- /dev/null\n+++ .ssh/x\n@@ -0,0 +1 @@\n+b\n", "credentials", denied},
		{good + good, `"a.txt" twice`, invalid},
		{"--- twice\n+++ twice\n@@ -9,2 +9,2 @@\n-a\n+x\n b\n", "its old lines stand there 2 times", failed},
		{"--- twice\n+++ twice\n@@ @@\n+x\n", "gives no lines around them", failed},
		{"--- a.txt\n+++ b.txt\n@@ -1 +1 @@\n-one\n+1\n", "renames", invalid},
		{"--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n one\n", "changes nothing", invalid},
		{"--- a.txt\n+++ a.txt\n", "has no hunk", invalid},
		{"@@ -1 +1 @@\n-a\n+b\n", "before the first file's", invalid},
		{"--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\nnonsense\n+1\n", "line 5: begins with 'n'", invalid},
		{"--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n\n+lost\n", "line 7: has a change behind a hunk", invalid},
		{"GIT binary patch\n", "not done here", invalid},
		{"hello", "has no --- and +++ lines", invalid},
		{"", "has no --- and +++ lines", invalid},
		{strings.Repeat("x", 2<<20), "at most 1048576", invalid},
	} {
		h.run(t, []step{{"file_patch", object{"patch": test.patch}, test.want, test.kind}})
	}
	if after := tree(t, h.dir); after != before {
		t.Errorf("a refused patch changed files: got\n%s\nwant\n%s", after, before)
	}
}

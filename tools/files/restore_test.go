// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPatchRestores changes the last file of a patch after it was read: those that were
// put in place already get their old content back.
func TestPatchRestores(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "old a\n")
	put("c", "old c\n")
	put("d", "old d\n")
	tools, err := New(Options{Roots: []Root{{Path: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	parts, err := parsePatch("--- a\n+++ a\n@@ -1 +1 @@\n-old a\n+new a\n--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+new b\n" +
		"--- c\n+++ /dev/null\n@@ -1 +0,0 @@\n-old c\n--- d\n+++ d\n@@ -1 +1 @@\n-old d\n+new d\n")
	if err != nil {
		t.Fatal(err)
	}
	var all []*patched
	for _, part := range parts {
		p, err := tools.resolve(part.path())
		if err != nil {
			t.Fatal(err)
		}
		f := &patched{place: p, part: part}
		if err := tools.prepare(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		defer f.close()
		all = append(all, f)
	}
	put("d", "another's\n")
	if _, err := tools.apply(t.Context(), all); err == nil ||
		!strings.Contains(err.Error(), "was changed meanwhile by another process") ||
		!strings.Contains(err.Error(), "no file was changed") {
		t.Errorf("got %v, want that the file was changed", err)
	}
	for _, f := range all {
		f.close()
		f.parent = nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got += e.Name() + ": " + string(content)
	}
	if want := "a: old a\nc: old c\nd: another's\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

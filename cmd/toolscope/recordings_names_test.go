// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// TestOutputsNameTheRecording reads a recording by another name than its own: what is read later has its own.
func TestOutputsNameTheRecording(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(recordings.Variable, dir)
	const name = "20261122T100000Z-web-aaaaaa"
	if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(checkedSession), 0o600); err != nil {
		t.Fatal(err)
	}
	expectations := filepath.Join(t.TempDir(), "expect.yaml")
	if err := os.WriteFile(expectations, []byte("never: [read]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, short := range []string{"latest", "202611"} {
		junit, sarif, page := filepath.Join(dir, "junit.xml"), filepath.Join(dir, "check.sarif"), filepath.Join(dir, "page.html")
		if code, _, errs := invoke("check", "", "--expect", expectations, "--junit", junit, "--sarif", sarif, short); code != exitError {
			t.Errorf("check: got %d, %q", code, errs)
		}
		if code, _, errs := invoke("export", "", "-o", page, short); code != exitOK {
			t.Errorf("export: got %d, %q", code, errs)
		}
		for file, want := range map[string]string{
			junit: `name="toolscope check ` + name + `"`, sarif: `"uri": "` + name + `"`, page: "Tool calls in " + name,
		} {
			if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: got %s (%v), want %q in it", short, text, err, want)
			}
		}
		for _, command := range [][]string{{"report", short}, {"replay", "--answers", short}} {
			code, out, errs := invoke(command[0], "", command[1:]...)
			if code != exitOK || !strings.Contains(out, name+"  ") {
				t.Errorf("%q: got %d, %q, %s, want the name %s", command, code, errs, out, name)
			}
		}
	}
}

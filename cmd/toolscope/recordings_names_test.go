// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// TestLongNamesAreShown shows and replays calls of two tools of a gateway whose names begin alike, and a session without
// an id between peers without a name.
func TestLongNamesAreShown(t *testing.T) {
	const session = `{"v":1,"record":"session","protocol":"2026-07-28","client":{},"peer":{"capabilities":["tools"]}}` + "\n"
	names := []string{"github__create_pull_request_review", "github__create_pull_request_comment"}
	text := session
	for i, name := range names {
		text += strings.NewReplacer("NAME", name, "A-N", "A-"+strconv.Itoa(i)).Replace(
			`{"v":1,"record":"end","call":"A-N","tool":"NAME","outcome":"executed","arguments":{},"result":"x"}` + "\n")
	}
	for _, args := range [][]string{{"sessions", "show", "-"}, {"replay", "--answers", "-"}} {
		code, out, errs := invoke(args[0], text, args[1:]...)
		for _, name := range names {
			if code != exitOK || !strings.Contains(out, name+" ") {
				t.Errorf("%q: got %d, %q, %s, want the name %s", args, code, errs, out, name)
			}
		}
		if args[0] == "sessions" && (!strings.Contains(out, "no session, protocol 2026-07-28\n  client without a name\n") ||
			!strings.Contains(out, "  server without a name (tools)\n")) {
			t.Errorf("got %s, want peers without a name", out)
		}
	}
}

// TestNoRecordings lists and removes recordings where there are none. The output names the place.
func TestNoRecordings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(recordings.Variable, dir)
	for want, args := range map[string][]string{
		"No recordings in " + dir + ". TOOLSCOPE_RECORD=DIR lists those in DIR.\n": {"list"},
		"Nothing to remove in " + dir + ".\n":                                      {"prune"},
		"":                                                                         {"list", "--json"},
	} {
		if code, out, errs := invoke("sessions", "", args...); code != exitOK || out != want || errs != "" {
			t.Errorf("%q: got %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
}

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
		code, _, errs := invoke("check", "", "--expect", expectations, "--junit", junit, "--sarif", sarif, short)
		if code != exitError {
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

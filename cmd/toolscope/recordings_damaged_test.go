// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// readers are the commands that read files, up to the file.
var readers = map[string][]string{
	"replay": {"replay", "--answers"}, "serve": {"replay", "--serve"}, "show": {"sessions", "show"}, "report": {"report"},
	"export": {"export", "--to", "text"}, "top": {"top", "--once", "--log"},
	"check": {"check", "--expect", ""},
}

// Each command that reads files reports the same of a damaged one.
func TestFilesThatAreWrong(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(recordings.Variable, filepath.Join(dir, "sessions"))
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	readers["check"][2] = write("e.yaml", "error_rate: 0\n")
	lines := strings.SplitAfter(checkedSession, "\n")
	const cut = "the last line is cut: 20 bytes left out"
	const noCalls = "got no calls"
	for name, c := range map[string]struct {
		file string
		// want is what a command says, on standard error unless it is check's output; "" for any other command's want in all.
		// A command that is not in it succeeds without a word.
		all  string
		want map[string]string
		ok   string // commands that exit with 0
	}{
		"cut": {write("cut.jsonl", checkedSession+lines[1][:20]), cut, nil,
			"replay serve show report export top check"},
		"without an end": {write("unended.jsonl", strings.TrimSuffix(checkedSession, "\n")), "", nil,
			"replay serve show report export top check"},
		"broken": {write("broken.jsonl", lines[0]+lines[1]+"{\n"+lines[2]+lines[3]), "line 3: ", map[string]string{"top": ""},
			"show report export top"},
		"empty": {write("empty.jsonl", ""), "", map[string]string{"replay": noCalls, "serve": noCalls, "check": noCalls},
			"show report export top"},
		"without calls": {write("none.jsonl", lines[0]), "", map[string]string{"replay": noCalls, "serve": noCalls, "check": noCalls},
			"show report export top"},
		"no JSON": {write("text.txt", "hello"), "line 1: ", map[string]string{"top": ""}, "show top"},
		"not a call": {write("other.jsonl", checkedSession+`{"a":1}`), "line 5: ", map[string]string{"top": ""},
			"show report export top"},
		"a directory":  {dir, dir + ": got a directory, want a file", nil, ""},
		"missing":      {filepath.Join(dir, "x.jsonl"), "no such file", nil, ""},
		"no such name": {"20261122", "got no such recording in", nil, ""},
	} {
		for command, args := range readers {
			want, own := c.want[command]
			if !own {
				want = c.all
			}
			code, out, errs := invoke(args[0], "", append(args[1:len(args):len(args)], c.file)...)
			said := errs
			if command == "check" && !strings.Contains(c.all, "the last line is cut") {
				said += out
			}
			ok := false
			for word := range strings.FieldsSeq(c.ok) {
				ok = ok || word == command
			}
			if (code == exitOK) != ok || code == exitUsage || !strings.Contains(said, want) {
				t.Errorf("%s: %s: got %d, %q, want %q, success %v", name, command, code, said, want, ok)
			}
		}
	}
}

// One plain frame counts a last line without an end, as nothing follows it.
func TestOneFrameOfALogWithoutAnEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "unended.jsonl")
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(checkedSession, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := invoke("top", "", "--once", "--log", file)
	if code != exitOK || !strings.Contains(out, "\n2 calls") || errs != "" {
		t.Errorf("got %d, %s, %s, want two calls", code, out, errs)
	}
}

// A call that the file does not have is an error, and filters that no call passes are reported.
func TestCallsThatAreNotThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, []byte(checkedSession), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"replay", "--answers", "--call", "3", file}, exitUsage, "--call: got 3, want a number from 1 to 2"},
		{[]string{"replay", "--answers", "--tool", "raed", file}, exitOK, "no call of the file passes --tool"},
		{[]string{"sessions", "show", "--call", "3", file}, exitError, "--call: got 3, and the session has 2 calls"},
		{[]string{"sessions", "show", "--tool", "raed", file}, exitOK, "No calls."},
	} {
		if code, out, errs := invoke(c.args[0], "", c.args[1:]...); code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%v: got %d, %s%s, want %d, %s", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// A server of recorded answers says how many are not whole.
func TestServedAnswersThatAreNotWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	text := checkedSession + `{"v":1,"record":"end","call":"A-3","time":"2026-11-22T10:00:02Z","tool":"read","outcome":"executed",` +
		`"duration_us":1,"result":"x","result_cut":true}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke("replay", "", "--serve", file); code != exitOK || !strings.Contains(errs, "1 answer of 3 not whole") {
		t.Errorf("got %d, %s", code, errs)
	}
}

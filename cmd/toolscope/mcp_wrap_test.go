// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrapAndUnwrapAFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	text := "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\", \"args\": [\"-y\"], }, // ours\n  },\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	command := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"mcp"}, args...), nil, &stdout, &stderr); code != want {
			t.Errorf("%q: got code %d and %s, want %d", args, code, stderr.String(), want)
		}
		return stdout.String() + stderr.String()
	}
	command(
		exitOK,
		"wrap",
		"files",
		"--file",
		file,
		"--log",
		"calls.jsonl",
		"--program",
		"/usr/bin/toolscope",
		"--client-spans",
	)
	wrapped, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(here)
	want := `"command": "/usr/bin/toolscope", "args": ["mcp", "--name", "files", "--client-spans", "--log", ` + string(
		quoted,
	) + `, "--", "npx", "-y"], }, // ours`
	if !strings.Contains(string(wrapped), want) {
		t.Errorf("got\n%s\nwant in it\n%s", wrapped, want)
	}
	if got := command(exitError, "wrap", "files", "--file", file); !strings.Contains(got, "wrapped already") {
		t.Errorf("got %s", got)
	}
	command(exitOK, "unwrap", "files", "--file", file)
	command(exitOK, "wrap", "files", "--file", file, "--log", "", "--config=", "--program", "/usr/bin/toolscope")
	if wrapped, err = os.ReadFile(file); err != nil ||
		!strings.Contains(string(wrapped), `"args": ["mcp", "--name", "files", "--", "npx", "-y"]`) {
		t.Errorf("got %v and\n%s\nwant no options of empty values", err, wrapped)
	}
	command(exitOK, "unwrap", "files", "--file", file)
	back, err := os.ReadFile(file)
	if err != nil || string(back) != text {
		t.Errorf("got %v and\n%s\nwant\n%s", err, back, text)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v and %v, want the mode as it was", info.Mode(), err)
	}
	if copies, _ := filepath.Glob(file + ".*.bak"); len(copies) != 0 {
		t.Errorf("got copies %q, want none of a file that is as it was", copies)
	}
	// What would keep the server from starting is reported here, where the user reads it.
	for want, option := range map[string][]string{
		"--config: open": {"--config", filepath.Join(dir, "none.yaml")}, "--stats: ": {"--stats", "9464"},
	} {
		if got := command(exitError, append([]string{"wrap", "files", "--file", file}, option...)...); !strings.Contains(
			got,
			want,
		) {
			t.Errorf("%q: got %s, want %q", option, got, want)
		}
	}
	for want, option := range map[string][]string{
		"a server that the client starts": {"--target", "http://x"},
		"want a time with its unit":       {"--hung", "5"}, "want a time above 0": {"--hung", "-5s"},
		"want true or false": {"--pin-tools=maybe"},
	} {
		if got := command(exitUsage, append([]string{"wrap", "files", "--file", file}, option...)...); !strings.Contains(
			got,
			want,
		) {
			t.Errorf("%q: got %s, want %q", option, got, want)
		}
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != text {
		t.Errorf("got %v and\n%s\nwant the file as it was", err, now)
	}
	command(exitUsage, "wrap")
	command(exitUsage, "wrap", "a", "b")
	command(exitOK, "wrap", "--help")
	command(exitError, "wrap", "files", "--file", filepath.Join(dir, "nothing.json"))
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Chdir(dir)
	if err := os.Rename(file, ".mcp.json"); err != nil {
		t.Fatal(err)
	}
	if got := command(exitOK, "wrap", "files"); !strings.Contains(got, ".mcp.json") {
		t.Errorf("got %s, want the file found", got)
	}
	if got := command(exitError, "wrap", "unknown"); !strings.Contains(got, "--file") {
		t.Errorf("got %s", got)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// aSecret is a token that the redactor knows, made here so that no file has it.
func aSecret() string { return "ghp" + "_" + strings.Repeat("aB3", 12) }

// record has the fake server's calls be recorded, and returns the directory and the recording's file.
func record(t *testing.T, calls string, options ...string) (dir, file string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "sessions")
	t.Setenv(recordings.Variable, dir)
	cmd := proxied(t, "mcp", append([]string{"--name", "fake"}, options...)...)
	cmd.Env = append(cmd.Env, recordings.Variable+"="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	takeTurns(t, cmd, initialize+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+listTools+calls)
	if strings.Contains(stderr.String(), "toolscope") {
		t.Fatalf("got %q on standard error, want nothing of toolscope", stderr.String())
	}
	list, err := recordings.List(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("got the recordings %v (%v), want one", list, err)
	}
	return dir, list[0].Paths[0]
}

// Sessions are recorded by default: redacted, whole, and only for their owner.
func TestSessionsAreRecorded(t *testing.T) {
	dir, file := record(t, callOf("1", "echo", `{"text":"hello"}`)+callOf("2", "echo", `{"text":"x","token":"`+aSecret()+`"}`))
	for path, want := range map[string]os.FileMode{dir: 0o700, file: 0o600, filepath.Join(dir, "fingerprint.key"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v (%v), want mode %v", path, info.Mode(), err, want)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), aSecret()) {
		t.Errorf("got a secret in %s", text)
	}
	for _, want := range []string{
		`"record":"session"`, `"client":{"name":"c 2"`, `"peer":{"name":"fake 1.0","capabilities":["logging","tools"]}`,
		`"record":"tool"`, `"definition":{"description":"says it again"`, `"record":"tools"`, `"record":"request"`,
		`"method":"tools/list"`, `"arguments_fp":"`, `"arguments_redacted":true`,
		`"tool":"echo","session":`, `,"id":"1","arguments":{"text":"hello"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("got\n%s\nwant %s in it", text, want)
		}
	}
	code, out, errs := invoke("sessions", "", "show", "latest")
	if code != exitOK || errs != "" || !strings.Contains(out, "client c 2") || !strings.Contains(out, "echo") ||
		!strings.Contains(out, "5 tools listed") {
		t.Errorf("show: got %d, %q, %s", code, errs, out)
	}
	code, out, errs = invoke("sessions", "", "show", "--call", "2", "latest")
	if code != exitOK || !strings.Contains(out, "arguments (redacted)") {
		t.Errorf("show --call: got %d, %q, %s", code, errs, out)
	}
	code, out, _ = invoke("sessions", "", "list")
	if code != exitOK || !strings.Contains(out, "-fake-") {
		t.Errorf("list: got %d, %s", code, out)
	}
	var session string
	for line := range strings.Lines(string(text)) {
		var l struct{ Session string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Session != "" {
			session = l.Session
		}
	}
	code, out, errs = invoke("forget", "", "--session", session, "--recordings")
	if text, err = os.ReadFile(file); err != nil || strings.Contains(string(text), session) || strings.Contains(string(text), "hello") {
		t.Errorf("forget: got %d, %q, %s, and left %s (%v)", code, errs, out, text, err)
	}
	code, out, errs = invoke("sessions", "", "prune", "--keep", "0s")
	if list, err := recordings.List(dir); code != exitOK || len(list) != 0 || err != nil {
		t.Errorf("prune: got %d, %q, %s, and left %v (%v)", code, errs, out, list, err)
	}
}

// Who turns recording off gets no file; a session without a call leaves none.
func TestSessionsAreNotRecorded(t *testing.T) {
	call := callOf("1", "echo", `{}`)
	for name, c := range map[string]struct {
		options []string
		env     string
		input   string
	}{
		"option": {[]string{"--no-record", "--name", "x"}, "", call}, "variable": {[]string{"--name", "x"}, "off", call},
		"no call": {[]string{"--name", "x"}, "", initialize + listTools},
	} {
		state := t.TempDir()
		cmd := proxied(t, "mcp", c.options...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state, recordings.Variable+"="+c.env)
		got := runWith(t, cmd, c.input)
		files, err := filepath.Glob(filepath.Join(state, "toolscope", "sessions", "*.jsonl*"))
		if len(files) > 0 || err != nil || strings.Contains(got.stderr, "toolscope") {
			t.Errorf("%s: got %v (%v) and %q, want no recording", name, files, err, got.stderr)
		}
	}
}

// Where nothing can be recorded one line says so, and calls are as ever.
func TestRecordingThatFailsIsToldOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := proxied(t, "mcp", "--name", "x")
	cmd.Env = append(cmd.Env, recordings.Variable+"="+dir)
	got := runWith(t, cmd, initialize+callOf("1", "echo", `{"a":1}`))
	if !strings.Contains(got.stdout, `echo {\"a\":1}`) || strings.Count(got.stderr, "toolscope mcp: this session is not recorded: ") != 1 {
		t.Errorf("got %q and %q", got.stdout, got.stderr)
	}
}

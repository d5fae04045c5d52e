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

// serveSession has a client call the calculator of toolscope serve, and returns the files of a directory.
func serveSession(t *testing.T, dir string, options ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := proxied(t, "serve")
	cmd.Path, cmd.Args = self, append([]string{self, "serve"}, options...)
	cmd.Env = append(os.Environ(), programEnv+"=toolscope")
	answersTo(t, cmd, initialize+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+listTools+
		callOf("1", "calculator", `{"expression":"1 + 1"}`), 3)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A recording of toolscope serve names the client, the server and what both can do, and a configuration file says where
// it is, how long it is kept, or that there is none.
func TestServedSessionsAreRecorded(t *testing.T) {
	state, dir, configs := t.TempDir(), filepath.Join(t.TempDir(), "mine"), t.TempDir()
	t.Setenv(recordings.Variable, "")
	t.Setenv("XDG_STATE_HOME", state)
	config := func(name, text string) string {
		path := filepath.Join(configs, name)
		if err := os.WriteFile(path, []byte("policies: {recover: {}}\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	place, err := json.Marshal(dir)
	if err != nil {
		t.Fatal(err)
	}
	here := config("here.yaml", "recording: {directory: "+string(place)+", max_age: 1h, max_bytes: 64KiB}\n")
	files := serveSession(t, dir, "--config", here)
	if len(files) != 1 {
		t.Fatalf("got the recordings %v, want one", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"record":"session"`, `"client":{"name":"c 2"`, `"peer":{"name":"toolscope `, `"tools"`, `"protocol":"`, `"record":"tool"`,
		`"method":"tools/list"`, `"tool":"calculator"`, `"result":"2"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("got\n%s\nwant %s in it", text, want)
		}
	}
	if code, out, errs := invoke("sessions", "", "show", files[0]); code != exitOK || !strings.Contains(out, "client c 2") {
		t.Errorf("show: got %d, %s, %s", code, out, errs)
	}
	// The next session removes what is beyond the bytes.
	old := filepath.Join(dir, "20261120T100000Z-old-aaaaaa.jsonl")
	if err := os.WriteFile(old, make([]byte, 100<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	serveSession(t, dir, "--config", here)
	if _, err := os.Stat(old); err == nil {
		t.Error("a recording beyond max_bytes is there still")
	}
	off := config("off.yaml", "recording: {enabled: false}\n")
	if files := serveSession(t, filepath.Join(state, "toolscope", "sessions"), "--config", off); len(files) != 0 {
		t.Errorf("turned off: got %v", files)
	}
	// The environment counts more than the file.
	t.Setenv(recordings.Variable, "off")
	if again := serveSession(t, dir, "--config", here); len(again) > 2 {
		t.Errorf("turned off by the environment: got %v", again)
	}
	for text, want := range map[string]string{
		"recording: {directory: sessions}\n": `recording.directory: got "sessions", want an absolute path`,
		"recording: {max_age: -1h}\n":        "recording.max_age: got -1h0m0s, want more than 0",
		"recording: {off: true}\n":           "recording.off: got an unknown field",
	} {
		code, _, errs := invoke("serve", "", "--config", config("wrong.yaml", text))
		if code == exitOK || !strings.Contains(errs, want) {
			t.Errorf("%s: got %d, %s, want %s", text, code, errs, want)
		}
	}
}

// The schema for editors has the sections that the command knows in addition to the core's.
func TestSchemaHasTheSections(t *testing.T) {
	code, out, errs := invoke("config", "", "--schema")
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	if err := json.Unmarshal([]byte(out), &schema); code != exitOK || errs != "" || err != nil {
		t.Fatalf("got %d, %s, %v", code, errs, err)
	}
	for section, field := range map[string]string{"recording": "max_age", "redis": "url_env", "audit": "max_age"} {
		if schema.Properties[section].Properties[field] == nil {
			t.Errorf("got no %s.%s, want it", section, field)
		}
	}
}

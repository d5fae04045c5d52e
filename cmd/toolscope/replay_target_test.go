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

// replayedOutput is what replay --json prints.
type replayedOutput struct {
	ID, Tool, Outcome, Output string
	Compared                  *struct {
		Same, Ended, Withheld int
		Changed               []string
	}
}

// replayTo replays a file against the fake server, and checks that the exit code tells what the comparison says.
func replayTo(t *testing.T, file string, options ...string) (lines []replayedOutput, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--json"}, options...)
	code, out, stderr := invoke("replay", "", append(args, file, "--", "env", programEnv+"=mcp", self)...)
	for line := range strings.Lines(out) {
		var l replayedOutput
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if len(lines) == 0 || lines[len(lines)-1].Compared == nil {
		t.Fatalf("got %d, %s, %s, want a comparison", code, out, stderr)
	}
	want, c := exitOK, lines[len(lines)-1].Compared
	if len(c.Changed) > 0 || len(lines) == 1 && c.Withheld > 0 {
		want = exitError
	}
	if code != want {
		t.Errorf("got %d, %+v, %s, want %d", code, c, stderr, want)
	}
	return lines, stderr
}

// A recording is replayed against the server that it is of: what was redacted is not sent, what may write is not without
// a person's word, and the answers are the recorded ones.
func TestReplayAgainstAServer(t *testing.T) {
	_, file := record(t, callOf("1", "echo", `{"text":"hello"}`)+callOf("2", "echo", `{"text":"x","token":"`+aSecret()+`"}`))
	lines, errs := replayTo(t, file)
	last := lines[len(lines)-1].Compared
	if len(lines) != 1 || last == nil || last.Withheld != 2 ||
		!strings.Contains(errs, "call 1, echo, is not sent: it may write: --write") ||
		!strings.Contains(errs, `call 2, echo, is not sent: its arguments were redacted (--value '2:/token=…')`) {
		t.Errorf("got %+v and %s, want nothing sent", lines, errs)
	}
	lines, errs = replayTo(t, file, "--write")
	last = lines[len(lines)-1].Compared
	if len(lines) != 2 || last.Same != 1 || last.Withheld != 1 || len(last.Changed) > 0 {
		t.Errorf("got %+v and %s, want the same answer once", lines, errs)
	}
	lines, errs = replayTo(t, file, "--write", "--value", "2:/token="+aSecret())
	last = lines[len(lines)-1].Compared
	if len(lines) != 3 || last.Same+last.Ended != 2 || last.Withheld != 0 || len(last.Changed) > 0 ||
		strings.Contains(lines[1].Output, aSecret()) {
		t.Errorf("got %+v and %s, want both sent", lines, errs)
	}
	lines, _ = replayTo(t, file, "--write", "--value", "/token=another", "--call", "2")
	if last = lines[len(lines)-1].Compared; len(lines) != 2 || len(last.Changed)+last.Ended+last.Same != 1 {
		t.Errorf("got %+v, want one call", lines)
	}
	// A value for all calls takes the place only of what was removed.
	lines, _ = replayTo(t, file, "--write", "--value", "/text=another", "--value", "/token="+aSecret())
	if last = lines[len(lines)-1].Compared; len(lines) != 3 || last.Same+last.Ended != 2 || !strings.Contains(lines[0].Output, "hello") {
		t.Errorf("got %+v, want the recorded text", lines)
	}
	lines, errs = replayTo(t, file, "--write", "--tool", "other")
	if last = lines[len(lines)-1].Compared; len(lines) != 1 || last.Withheld != 0 {
		t.Errorf("got %+v and %s, want no call", lines, errs)
	}
}

// A server whose answer is another one fails the replay. What policies change where no tool runs does not.
func TestReplayFailsIfACallChanged(t *testing.T) {
	_, file := record(t, callOf("1", "echo", `{"text":"hello"}`)+callOf("2", "echo", `{"text":"again"}`))
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed.jsonl")
	now := strings.Replace(string(was), `echo {\"text\":\"again\"}`, "another answer", 1)
	if err := os.WriteFile(changed, []byte(now), 0o600); err != nil || now == string(was) {
		t.Fatalf("got %v and %s", err, was)
	}
	lines, _ := replayTo(t, changed, "--write") // checks the exit code
	if c := lines[len(lines)-1].Compared; c.Same != 1 || len(c.Changed) != 1 || !strings.Contains(c.Changed[0], "call 2, echo") {
		t.Errorf("got %+v, want the second call changed", c)
	}
	off := filepath.Join(t.TempDir(), "off.yaml")
	if err := os.WriteFile(off, []byte("tools: {echo: {enabled: false}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := invoke("replay", "", "--answers", "--config", off, file)
	if code != exitOK || !strings.Contains(out, "2 changed") {
		t.Errorf("--answers: got %d, %s, %s, want changed calls without a failure", code, out, errs)
	}
}

// A server that wants a token gets it from a file, the environment, a header, or a sign-in. The token is in no output.
func TestReplaySignsIn(t *testing.T) {
	s := protectedServer(t)
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	t.Setenv("BROWSER", browser(t))
	token := s.Token("tools")
	t.Setenv("REPLAY_TOKEN", token)
	file, tokenFile := filepath.Join(dir, "session.jsonl"), filepath.Join(dir, "token")
	const line = `{"v":1,"record":"end","call":"A-1","tool":"read","id":"1","outcome":"executed","duration_us":1,"arguments":{},"result":"read ran"}`
	for path, text := range map[string]string{file: line + "\n", tokenFile: token + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		options []string
		code    int
		want    string
	}{
		"none":        {nil, exitError, ""},
		"header":      {[]string{"--header", "Authorization: Bearer " + token, "--header", "X-Other:1"}, exitOK, "1 same"},
		"file":        {[]string{"--token-file", tokenFile}, exitOK, "1 same"},
		"environment": {[]string{"--token-env", "REPLAY_TOKEN"}, exitOK, "1 same"},
		"sign-in":     {[]string{"--oauth"}, exitOK, "1 same"},
		"empty": {[]string{"--token-env", "REPLAY_NO_TOKEN"}, exitError,
			"--token-env: REPLAY_NO_TOKEN: got nothing, want a token"},
		"two":             {[]string{"--token-env", "X", "--oauth"}, exitUsage, "want one of them"},
		"header of none":  {[]string{"--header", "x"}, exitUsage, `--header: got "x", want NAME:VALUE`},
		"header and file": {[]string{"--header", "authorization:x", "--token-file", tokenFile}, exitUsage, "got Authorization with"},
	} {
		code, out, errs := invoke("replay", "", append(append([]string{"--write", "--target", s.Resource}, c.options...), file)...)
		if code != c.code || !strings.Contains(out+errs, c.want) || strings.Contains(out+errs, token) {
			t.Errorf("%s: got %d, %s, %s, want %d and %q", name, code, out, errs, c.code, c.want)
		}
	}
	if code, _, errs := invoke("replay", "", "--oauth", file); code != exitUsage || !strings.Contains(errs, "got no --target") {
		t.Errorf("without --target: got %d, %s", code, errs)
	}
}

// The recorded answers are given by a server that needs nothing else: to the arguments that were redacted as well, which
// their fingerprints find.
func TestReplayServesTheAnswers(t *testing.T) {
	dir, file := record(t, callOf("1", "echo", `{"text":"hello","n":1}`)+callOf("2", "echo", `{"text":"x","token":"`+aSecret()+`"}`))
	input := initialize + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + listTools +
		callOf("1", "echo", `{"n":1.0,"text":"hello"}`) + callOf("2", "echo", `{"text":"x","token":"`+aSecret()+`"}`) +
		callOf("3", "echo", `{"text":"never asked"}`) + callOf("4", "echo", `{"text":"hello","n":1}`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{dir, "off"} { // the key is next to the file
		cmd := proxied(t, "mcp")
		cmd.Path, cmd.Args = self, []string{self, "replay", "--serve", file}
		cmd.Env = append(os.Environ(), programEnv+"=toolscope", recordings.Variable+"="+where)
		got := answersTo(t, cmd, input, 6)
		if got["list"] == "" || !strings.Contains(got["list"], `"says it again"`) || strings.Count(got["list"], `"name":`) != 5 {
			t.Errorf("got the tools %s", got["list"])
		}
		for id, want := range map[string]string{
			"1": `echo {\"text\":\"hello\",\"n\":1} `, "4": `echo {\"text\":\"hello\",\"n\":1} `, "2": "REDACTED", "3": `"isError":true`,
		} {
			if !strings.Contains(got[id], want) {
				t.Errorf("answer %s: got %s, want %s", id, got[id], want)
			}
		}
	}
}

// A file that a command writes is read by each command that reads files.
func TestEachFileIsReadByEachCommand(t *testing.T) {
	dir := t.TempDir()
	log, config := filepath.Join(dir, "calls.jsonl"), filepath.Join(dir, "policies.yaml")
	if err := os.WriteFile(config, []byte("audit: {file: audit.jsonl, all: true}\npolicies: {recover: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, recording := record(t, callOf("1", "echo", `{"text":"hello"}`), "--log", log, "--config", config)
	files := map[string]string{
		"call log": log, "recording": recording, "audit log": filepath.Join(dir, "audit.jsonl"), "spans": spanFile(t),
	}
	for name, text := range map[string]string{
		"transcript":          `{"session":"s","turn":1,"id":"1","name":"echo","arguments":{"text":"hello"},"answer":{"output":"hello"}}`,
		"batch":               `{"session":"s","calls":[{"id":"1","name":"echo","arguments":{"text":"hello"},"answer":{"output":"hello"}}]}`,
		"OpenAI":              `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"echo","arguments":"{}"}}]}` + "\n" + `{"role":"tool","tool_call_id":"1","content":"hello"}`,
		"call log of round 1": `{"time":1795341600,"tool":"echo","duration_us":12,"outcome":"executed","session":"s","arguments":{"text":"hello"},"result":{"a":1}}`,
	} {
		files[name] = filepath.Join(dir, name)
		if err := os.WriteFile(files[name], []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expectations := filepath.Join(dir, "expect.yaml")
	if err := os.WriteFile(expectations, []byte(
		"calls: {min: 1, max: 1}\ntools: {echo: {max: 1, min: 1, error_rate: 0}}\nfinished: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range files {
		for _, c := range []struct {
			command string
			args    []string
		}{
			{"report", []string{"--quiet", file}}, {"export", []string{"--to", "text", "--quiet", file}},
			{"top", []string{"--once", "--log", file}},
			{"replay", []string{"--answers", file}}, {"sessions", []string{"show", file}},
			{"check", []string{"--json", "--expect", expectations, file}},
		} {
			code, out, errs := invoke(c.command, "", c.args...)
			untimed := c.command == "export" && strings.Contains(errs, "no time")
			if code != exitOK || !strings.Contains(out, "echo") && !untimed || strings.Contains(errs, "could not be read") {
				t.Errorf("%s of a %s: got %d, %q,\n%s", c.command, name, code, errs, out)
			}
		}
		if code, out, errs := forget(t, "--session", "another", "--log", file, "--dry-run"); code != exitOK {
			t.Errorf("forget of a %s: got %d, %q, %s", name, code, errs, out)
		}
	}
}

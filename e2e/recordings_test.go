// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecordedServers records sessions with npm's reference servers, and replays them against the servers and against the
// recorded answers: outcomes are the same, and so are results where nothing was redacted or cut. A check passes against
// the session itself, and fails once a call is another.
func TestRecordedServers(t *testing.T) {
	npmPackages(t)
	binary := command(t)
	for name, s := range recordedSessions {
		t.Run(name, func(t *testing.T) {
			dir, state := t.TempDir(), t.TempDir()
			env := []string{"TOOLSCOPE_RECORD=" + state, "XDG_STATE_HOME=" + state}
			behind := playSession(t, s, dir, env, binary, "mcp", "--name", name)
			files, err := filepath.Glob(filepath.Join(state, "*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatalf("got the recordings %v (%v), want one", files, err)
			}
			for _, f := range []string{"a.txt", "memory.json"} {
				_ = os.Remove(filepath.Join(dir, f))
			}
			env = append(env, "TOOLSCOPE_RECORD=off", "MEMORY_FILE_PATH="+filepath.Join(dir, "memory.json"))
			replayServer(t, s, binary, files[0], dir, env)
			cmd := exec.CommandContext(t.Context(), binary, "replay", "--serve", files[0])
			cmd.Env = append(os.Environ(), env...)
			served := answersOf(t, cmd, s, dir)
			for i := range s.calls {
				id := string(rune('1' + i))
				got, want := contentOf(t, served[id]), contentOf(t, behind.answers[id])
				if got != want && !strings.Contains(behind.answers[id], `"image"`) {
					t.Errorf("%s: got %s, want %s", s.calls[i], got, want)
				}
			}
			checkRecording(t, binary, files[0], env)
		})
	}
}

// answersOf plays a session with a server, and returns its answers by their ids.
func answersOf(t *testing.T, cmd *exec.Cmd, s recordedSession, dir string) map[string]string {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	lines := bufio.NewReader(stdout)
	for _, line := range s.lines {
		line = strings.NewReplacer("DIR", dir, "TRACE", s.trace).Replace(line) + "\n"
		if _, err := io.WriteString(stdin, line); err != nil {
			t.Fatal(err)
		}
		for id := messageID(line); id != "" && answers[id] == ""; {
			answer, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %s", err, line)
			}
			answers[messageID(answer)] = answer
		}
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return answers
}

// replayServer replays a recording against its server.
func replayServer(t *testing.T, s recordedSession, binary, file, dir string, env []string) {
	t.Helper()
	var words []string
	for _, a := range s.args {
		words = append(words, strings.ReplaceAll(a, "DIR", dir))
	}
	server := node(t.Context(), t, s.script, words...)
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"replay", "--write", "--json", file, "--"}, server.Args...)...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("replay: %v, %s", err, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var last struct {
		Compared struct {
			Same, Ended, Unknown, Withheld int
			Changed                        []string
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	c := last.Compared
	if len(c.Changed) > 0 || c.Withheld > 0 || c.Same+c.Ended != len(s.calls) || c.Same == 0 {
		t.Errorf("got %+v, want %d calls with the same outcome\n%s", c, len(s.calls), &stderr)
	}
}

// contentOf is the content of an answer, and whether it is an error.
func contentOf(t *testing.T, answer string) string {
	t.Helper()
	var m struct {
		Result struct {
			Content           any
			StructuredContent any
			IsError           bool
		}
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	text, err := json.Marshal(m.Result)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkRecording checks a recording against itself, and against itself with other arguments of its first call.
func checkRecording(t *testing.T, binary, file string, env []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed.jsonl")
	expectations := filepath.Join(t.TempDir(), "expect.yaml")
	if err := os.WriteFile(expectations, []byte("finished: true\ndefinitions: unchanged\nsecrets: redacted\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(file, baseline string) (string, error) {
		cmd := exec.CommandContext(t.Context(), binary, "check", "--expect", expectations, "--baseline", baseline, file)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := check(file, file); err != nil {
		t.Errorf("check: %v, %s", err, out)
	}
	both := strings.ReplaceAll(string(text), `"arguments":{`, `"arguments":{"more":1,`)
	if err := os.WriteFile(changed, []byte(both), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := check(changed, file); err == nil || !strings.Contains(out, "FAIL  baseline.calls: call 1, ") {
		t.Errorf("check of a changed call: got %v, %s", err, out)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// listTools is the answer of a server to tools/list, behind the words of a proxy if there are some.
func listTools(t *testing.T, state string, s recordedSession, proxy ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var words []string
	for _, a := range s.args {
		words = append(words, strings.ReplaceAll(a, "DIR", os.TempDir()))
	}
	command := node(ctx, t, s.script, words...).Args
	if proxy != nil {
		command = append(append(proxy, "--"), command...)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
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
	defer func() { stdin.Close(); _ = cmd.Wait() }()
	if _, err := io.WriteString(stdin, recordedInitialize+"\n"+recordedReady+"\n"+recordedList+"\n"); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if messageID(line) == `"list"` {
			return line
		}
	}
}

// TestPinnedServers: while tools are pinned a client reads the lists of npm's reference servers byte for
// byte, once a person has accepted them, and without the tool that changed since.
func TestPinnedServers(t *testing.T) {
	npmPackages(t)
	binary := command(t)
	for name, s := range recordedSessions {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			want := listTools(t, state, s)
			for _, option := range []string{"--accept-tools", "--pin-tools"} {
				if got := listTools(t, state, s, binary, "mcp", "--name", name, option); got != want {
					t.Errorf("%s: got %s, want %s", option, got, want)
				}
			}
			files, err := filepath.Glob(filepath.Join(state, "toolscope", "mcp", "*.json"))
			if err != nil || len(files) != 1 {
				t.Fatalf("got %q and %v, want one file", files, err)
			}
			text, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			var file map[string]any
			if err := json.Unmarshal(text, &file); err != nil {
				t.Fatal(err)
			}
			changed := s.calls[0]
			file["tools"].(map[string]any)[changed] = strings.Repeat("0", 64)
			if text, err = json.Marshal(file); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(files[0], text, 0o600); err != nil {
				t.Fatal(err)
			}
			got := listTools(t, state, s, binary, "mcp", "--name", name, "--pin-tools")
			if n, all := strings.Count(got, `"inputSchema":`), strings.Count(want, `"inputSchema":`); n != all-1 ||
				strings.Contains(got, `"name":"`+changed+`"`) {
				t.Errorf("got %d of %d tools, %s among them or others missing", n, all, changed)
			}
		})
	}
}

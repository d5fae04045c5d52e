// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// terminal is a program in a real terminal, tmux's.
type terminal struct {
	t      *testing.T
	binary string
	socket string
}

// inTerminal runs a program in a terminal of so many cells, with these variables.
func inTerminal(t *testing.T, w, h int, env []string, command ...string) *terminal {
	t.Helper()
	dir, err := os.MkdirTemp("", "tmux") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	configuration := filepath.Join(dir, "tmux.conf")
	const text = "set -g status off\nset -g escape-time 10\nset -g default-terminal tmux-256color\n"
	if err := os.WriteFile(configuration, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, binary: program(t, "tmux"), socket: filepath.Join(dir, "s")}
	args := []string{"-f", configuration, "new-session", "-d", "-x", strconv.Itoa(w), "-y", strconv.Itoa(h)}
	for _, v := range append([]string{"LC_ALL=C.UTF-8"}, env...) {
		args = append(args, "-e", v)
	}
	// The shell says how the program left, and keeps the terminal.
	args = append(args, "sh", "-c", `trap : INT; "$@"; echo "left with code $?"; exec sleep 1000`, "sh")
	x.tmux(append(args, command...)...)
	t.Cleanup(func() { _ = exec.Command(x.binary, "-S", x.socket, "kill-server").Run() })
	return x
}

// tmux runs one of tmux's commands and returns what it prints.
func (x *terminal) tmux(args ...string) string {
	x.t.Helper()
	cmd := exec.Command(x.binary, append([]string{"-u", "-S", x.socket}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// press presses keys, as tmux names them.
func (x *terminal) press(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		x.tmux("send-keys", k)
	}
}

// screen is what the terminal shows.
func (x *terminal) screen() string {
	x.t.Helper()
	return x.tmux("capture-pane", "-p")
}

// wait waits until the screen has all the texts, and returns it.
func (x *terminal) wait(texts ...string) string {
	x.t.Helper()
	return x.until(func(screen string) bool {
		for _, want := range texts {
			if !strings.Contains(screen, want) {
				return false
			}
		}
		return true
	}, strings.Join(texts, ", "))
}

// until waits until the screen is as wanted.
func (x *terminal) until(good func(screen string) bool, what string) string {
	x.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(30 * time.Millisecond) {
		screen := x.screen()
		if good(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("after a minute the screen has not %s:\n%s", what, screen)
		}
	}
}

// ended waits until the program has ended, and returns its exit code.
func (x *terminal) ended() string {
	x.t.Helper()
	_, rest, _ := strings.Cut(x.wait("left with code "), "left with code ")
	code, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(code)
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// pseudoTerminal returns both ends of one: what is written to the first one is typed at the second one.
func pseudoTerminal(t *testing.T) (person, terminal *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return person, terminal
}

// At a terminal a person is asked before each call that may write. Only what was agreed to is sent.
func TestReplayAsks(t *testing.T) {
	var calls strings.Builder
	for i := range 3 {
		calls.WriteString(callOf(fmt.Sprint(i+1), "echo", fmt.Sprintf(`{"text":"hello %d \\u001b[2J"}`, i+1)))
	}
	_, file := record(t, calls.String())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]struct {
		sent  string // numbers
		asked int
	}{
		"n\ny\n\n": {"2", 3}, "a\n": {"123", 1}, "Yes\nall\n": {"123", 2}, "what\nno\ny\n": {"3", 3},
	} {
		person, terminal := pseudoTerminal(t)
		if _, err := person.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := run([]string{"replay", "--json", file, "--", "env", programEnv + "=mcp", self}, terminal, &stdout, &stderr)
		asked := strings.Count(stderr.String(), "may write. Send it? [y]es, [N]o, [a]ll: ")
		if code != exitOK || asked != want.asked || !strings.Contains(stderr.String(), `call 1, echo {"text":"hello 1`) ||
			strings.Contains(stderr.String(), "\x1b") {
			t.Errorf("%q: got %d, asked %d times, %q", typed, code, asked, stderr.String())
		}
		for _, number := range []string{"1", "2", "3"} {
			sent := strings.Contains(stdout.String(), "hello "+number)
			told := strings.Contains(stderr.String(), "call "+number+", echo, is not sent: it may write: --write sends it")
			if sent != strings.Contains(want.sent, number) || told == sent {
				t.Errorf("%q: call %s: got sent %v, told %v: %s", typed, number, sent, told, stdout.String())
			}
		}
	}
	person, terminal := pseudoTerminal(t)
	if _, err := person.WriteString("\x04"); err != nil { // the end of what is typed
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"replay", file, "--", "env", programEnv + "=mcp", self}, terminal, &stdout, &stderr)
	if code != exitError || !strings.Contains(stderr.String(), "got no answer") || strings.Contains(stdout.String(), "hello") {
		t.Errorf("without an answer: got %d, %s, %s", code, stderr.String(), stdout.String())
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestApprovalsInATerminal answers calls in a real terminal.
func TestApprovalsInATerminal(t *testing.T) {
	binary := command(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "toolscope.yaml")
	if err := os.WriteFile(config, []byte("policies:\n  approve: {terminal: true, expiry: 5m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		ask  = `Type "yes" to approve`
		more = `Type "all" to see them`
	)
	long := strings.Repeat("echo hello; ", 500) + "echo end"
	for _, c := range []struct {
		name, command string
		types         []string // each after the prompt before it
		prompts       []string
		shown         []string
		ran           bool
	}{
		{"yes", "echo one && echo two", []string{"yes"}, []string{ask}, []string{"echo one && echo two", "shell_run"}, true},
		{"Enter", "echo one", []string{""}, []string{ask}, nil, false},
		{"a reason", "echo one", []string{"not on a Friday"}, []string{ask}, nil, false},
		{"a letter is not enough", "echo one", []string{"y", ""}, []string{ask, "the word is yes"}, nil, false},
		{"hostile text", "echo \u202eone\x1b[2J; echo \u05d0" + strings.Repeat(" ", 300) + "; echo two", []string{""}, []string{ask},
			[]string{"⟨U+202E⟩one⟨ESC⟩[2J", "⟨U+05D0⟩", "⟨300 spaces⟩; echo", "↪ two"}, false},
		{"a secret with code in it", "echo --password=a;echo${IFS}evil|cat", []string{""}, []string{ask},
			[]string{"--password=a;echo${IFS}evil|cat"}, false},
		{"a long text is cut", long, []string{"yes", ""}, []string{more, "is not whole"}, nil, false},
		{"a long text is opened", long, []string{"all", "yes"}, []string{more, ask}, []string{"echo end"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			arguments, err := json.Marshal(map[string]string{"command": c.command})
			if err != nil {
				t.Fatal(err)
			}
			x := inTerminal(t, 100, 60, nil, binary, "call", "--config", config, "--dir", dir, "--shell", "shell_run", string(arguments))
			for i, prompt := range c.prompts {
				screen := x.wait(prompt)
				if i == len(c.prompts)-1 {
					for _, want := range c.shown {
						if !strings.Contains(screen, want) {
							t.Errorf("the screen lacks %q:\n%s", want, screen)
						}
					}
				}
				if c.types[i] != "" {
					x.tmux("send-keys", "-l", c.types[i])
				}
				x.press("Enter")
			}
			if code := x.ended(); (code == "0") != c.ran {
				t.Errorf("left with code %s, want that it ran: %v\n%s", code, c.ran, x.screen())
			}
		})
	}
}

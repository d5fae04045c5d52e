// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsRefuseAnEmptyConfiguration starts every command that reads a configuration with one that
// says nothing.
func TestCommandsRefuseAnEmptyConfiguration(t *testing.T) {
	dir := t.TempDir()
	file, client := filepath.Join(dir, "toolscope.yaml"), filepath.Join(dir, "mcp.json")
	for path, text := range map[string]string{
		client: `{"mcpServers":{"x":{"command":"true"}}}`, filepath.Join(dir, "calls.jsonl"): recordedSession,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"", "---\n", "policies:\n", "\ufeff"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, words := range [][]string{
			{"config", file},
			{"serve", "--config", file},
			{"mcp", "--config", file, "--target", "http://127.0.0.1:1/mcp", "--listen", "127.0.0.1:0"},
			{"mcp", "wrap", "x", "--file", client, "--config", file},
			{"call", "--config", file, "calculate", `{"expression":"1+1"}`},
			{"replay", "--config", file, filepath.Join(dir, "calls.jsonl")},
		} {
			var stdout, stderr bytes.Buffer
			code := run(words, strings.NewReader(""), &stdout, &stderr)
			if code == exitOK || !strings.Contains(stderr.String(), file) || !strings.Contains(stderr.String(), "want ") {
				t.Errorf("%q with %q: got code %d and %q, want an error", words, text, code, stderr.String())
			}
		}
	}
}

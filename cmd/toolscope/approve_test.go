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

// TestCommandsThatServeNoApprovals starts the commands that serve no approvals with a file that wants answers
// over HTTP.
func TestCommandsThatServeNoApprovals(t *testing.T) {
	dir := t.TempDir()
	file, transcript := filepath.Join(dir, "toolscope.yaml"), filepath.Join(dir, "calls.jsonl")
	for path, text := range map[string]string{file: "policies:\n  approve: {remote: true}\n", transcript: recordedSession} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range [][]string{
		{"serve", "--config", file},
		{"call", "--config", file, "calculate", `{"expression":"1+1"}`},
		{"replay", "--config", file, transcript},
		{"mcp", "--config", file, "--target", "http://127.0.0.1:1/mcp", "--listen", "127.0.0.1:0"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(words, strings.NewReader(""), &stdout, &stderr)
		if got := stderr.String(); code != exitError || !strings.Contains(got, file+": policies.approve: ") ||
			!strings.Contains(got, "toolscope "+words[0]+" serves no approvals") || !strings.Contains(got, "unattended: true") {
			t.Errorf("%s: got code %d and %q, want an error that says what to write", words[0], code, got)
		}
	}
}

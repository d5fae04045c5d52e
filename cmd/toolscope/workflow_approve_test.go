// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkflowChecksAskNoPerson checks a file whose approvals 'toolscope serve' answers over HTTP, as CI does. A run
// is refused, since nothing could be approved.
func TestWorkflowChecksAskNoPerson(t *testing.T) {
	quietEnvironment(t)
	file := filepath.Join(t.TempDir(), "toolscope.yaml")
	const text = "policies: {permit: {rules: permit.yaml}, approve: {remote: true}}\n" +
		"workflows: {w: {steps: [{call: calculator, with: {expression: 1 + 1}}]}}\n"
	rules := "rules: [{name: yes, effect: ask, tools: [calculator]}]\n"
	for path, text := range map[string]string{file: text, filepath.Join(filepath.Dir(file), "permit.yaml"): rules} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"check", file}, exitOK, "1 workflow: OK"},
		{[]string{"list", file}, exitOK, "calculator"},
		{[]string{"graph", file, "w"}, exitOK, "flowchart TD"},
		{[]string{"run", "--dry-run", file, "w"}, exitOK, " ask "},
		{[]string{"run", file, "w"}, exitError, "toolscope workflow serves no approvals"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"workflow"}, tt.args...), strings.NewReader(""), &stdout, &stderr); code != tt.code {
			t.Errorf("%q: got code %d and %s, want %d", tt.args, code, stderr.String(), tt.code)
		}
		if out := stdout.String() + stderr.String(); !strings.Contains(out, tt.want) {
			t.Errorf("%q: got %s, want %q in it", tt.args, out, tt.want)
		}
	}
}

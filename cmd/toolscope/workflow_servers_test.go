// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkflowShowsItsOwnTrace runs a workflow over the tools of an MCP server. The output has the trace of the run, and
// not those of the requests that connected the server.
func TestWorkflowShowsItsOwnTrace(t *testing.T) {
	quietEnvironment(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"own": map[string]any{
		"command": self, "args": []string{"serve"}, "env": map[string]string{programEnv: "toolscope"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	servers, file := filepath.Join(dir, "mcp.json"), filepath.Join(dir, "toolscope.yaml")
	const text = "workflows: {w: {steps: [{call: own__calculator, with: {expression: 1 + 1}}]}}\n"
	for path, text := range map[string]string{servers: string(config), file: text} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"workflow", "run", "--mcp-config", servers, file, "w"}, strings.NewReader(""), &stdout, &stderr)
	out := stdout.String()
	if code != exitOK || !strings.Contains(out, "\n\ninvoke_workflow w ") || !strings.Contains(out, "─ execute_tool own__calculator ") {
		t.Errorf("got %d, %s%s, want the trace of the run", code, out, stderr.String())
	}
	if strings.Contains(out, "initialize") || strings.Contains(out, "tools/list") {
		t.Errorf("got %s, want no trace of the connection", out)
	}
}

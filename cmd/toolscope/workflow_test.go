// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const flowFile = `policies: {validate: {}, permit: {rules: permit.yaml}, limit: {concurrency: {global: 1}}}
workflows:
  total:
    description: Adds numbers in two ways
    input: {type: object, properties: {n: {type: array}}, required: [n]}
    steps:
      - id: terms
        each: {in: $input.n, do: {call: calculator, with: {expression: "${ string(item) + ' * 2' }"}}}
      - id: sum
        call: calculator
        with: {expression: "${ join(terms.result, ' + ') }"}
  refused:
    steps: [{call: date_now}]
`

// flowDir is a folder with a configuration that has workflows.
func flowDir(t *testing.T) string {
	t.Helper()
	quietEnvironment(t)
	path := filepath.Join(t.TempDir(), "toolscope.yaml")
	if err := os.WriteFile(path, []byte(flowFile), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := "rules: [{name: no, effect: deny, tools: [date_now]}]\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "permit.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWorkflow(t *testing.T) {
	file := flowDir(t)
	for _, tt := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"check", file}, exitOK, []string{"2 workflows: OK"}},
		{[]string{"list", file}, exitOK, []string{"total", "reads", "calculator", "Adds numbers"}},
		{[]string{"list", "--json", file}, exitOK, []string{`"name":"total"`, `"read_only":true`}},
		{[]string{"graph", file, "total"}, exitOK, []string{"flowchart TD", "each of $input.n", "calculator"}},
		{[]string{"graph", file, "totl"}, exitUsage,
			[]string{`got the workflow "totl", want one of refused, total (did you mean total?)`}},
		{[]string{"run", file, "total", `{"n": [1, 2]}`}, exitOK,
			[]string{"6\n", "terms/1", "invoke_workflow total", "├─ execute_tool calculator"}},
		{[]string{"run", "--quiet", file, "total", `{"n": [1, 2]}`}, exitOK, []string{"6\n"}},
		{[]string{"run", "--json", file, "total", `{"n": [1, 2]}`}, exitOK, []string{`"output":"6"`, `"success":true`}},
		{[]string{"run", file, "total", `{}`}, exitError, []string{"/n must be given"}},
		{[]string{"run", file, "refused"}, exitError,
			[]string{"the workflow refused failed at 0 (permission_denied)", "failed (permission_denied)"}},
		{[]string{"run", "--dry-run", file, "refused"}, exitOK, []string{"date_now", "permission_denied"}},
		{[]string{"run", "--dry-run", file, "total", `{"n": [7]}`}, exitOK,
			[]string{`{"expression":"7 * 2"}`, "allow", "depends on terms"}},
		{[]string{"run", file}, exitUsage, []string{"got 1 arguments"}},
		{[]string{"check", "no/such/file"}, exitError, []string{"no/such/file"}},
		{[]string{"frobnicate"}, exitUsage, []string{"want check, run, list or graph"}},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"workflow"}, tt.args...), nil, &stdout, &stderr); code != tt.code {
			t.Errorf("%q: got code %d, want %d", tt.args, code, tt.code)
		}
		for _, want := range tt.want {
			if out := stdout.String() + stderr.String(); !strings.Contains(out, want) {
				t.Errorf("%q: got %s, want %q in it", tt.args, out, want)
			}
		}
	}
}

func TestWorkflowWithAnUnknownTool(t *testing.T) {
	file := flowDir(t)
	if err := os.WriteFile(file, []byte("workflows:\n  w:\n    steps:\n      - call: file_write\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	want := file + `:4: workflows.w.steps[0].call: got the unknown tool "file_write"`
	if code := run([]string{"workflow", "check", file}, nil, &stdout, &stderr); code != exitError ||
		!strings.Contains(stderr.String(), want) {
		t.Errorf("got code %d and %s, want %s", code, stderr.String(), want)
	}
	if code := run([]string{"workflow", "check", "--write", file}, nil, &stdout, &stderr); code != exitOK {
		t.Errorf("with the tool: got code %d and %s", code, stderr.String())
	}
}

// A server serves workflows as tools; their steps find a slot although only one call may run at a time.
func TestServeHasWorkflows(t *testing.T) {
	file := flowDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		done <- execute(ctx, []string{"serve", "--config", file}, in, out, &stderr)
		out.Close()
	}()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx,
		&mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "total", Arguments: json.RawMessage(`{"n": [1, 2, 3]}`)})
	if err != nil || res.IsError || res.Content[0].(*mcp.TextContent).Text != "12" {
		t.Errorf("got %+v, %v, want 12", res, err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if code := <-done; code != exitOK {
		t.Errorf("got code %d: %s", code, stderr.String())
	}
}

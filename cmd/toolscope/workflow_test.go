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

const flowFile = `policies:
  {validate: {}, permit: {rules: permit.yaml}, limit: {concurrency: {global: 1}}, budget: {session: {calls: 5}}}
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
  empty:
    steps: [{set: {x: 1}}]
  outer:
    steps: [{id: both, call: total, with: {n: [1]}}]
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
	none := filepath.Join(filepath.Dir(file), "none.yaml")
	if err := os.WriteFile(none, []byte("policies: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"check", file}, exitOK, []string{"4 workflows: OK"}},
		{[]string{"list", file}, exitOK, []string{"total", "reads", "calculator", "Adds numbers"}},
		{[]string{"list", "--json", file}, exitOK, []string{`"name":"total"`, `"read_only":true`}},
		{[]string{"graph", file, "total"}, exitOK, []string{"flowchart TD", "each of $input.n", "calculator"}},
		{[]string{"graph", file, "totl"}, exitUsage,
			[]string{`got the workflow "totl", want one of empty, outer, refused, total (did you mean total?)`}},
		{[]string{"run", file, "total", `{"n": [1, 2]}`}, exitOK,
			[]string{"6\n", "terms/1", "invoke_workflow total", "├─ execute_tool calculator"}},
		{[]string{"run", "--quiet", file, "total", `{"n": [1, 2]}`}, exitOK, []string{"6\n"}},
		{[]string{"run", "--json", file, "total", `{"n": [1, 2]}`}, exitOK, []string{`"output":"6"`, `"success":true`}},
		{[]string{"run", file, "total", `{}`}, exitError, []string{"\n- /n must be given"}},
		{[]string{"run", file, "total", `{"n": [1, 2, 3, 4, 5]}`}, exitError, []string{"failed at sum (budget_exceeded)"}},
		{[]string{"run", file, "refused"}, exitError,
			[]string{"the workflow refused failed at 0 (permission_denied)", "failed (permission_denied)"}},
		{[]string{"run", "--dry-run", file, "refused"}, exitOK, []string{"date_now", "permission_denied"}},
		{[]string{"run", "--dry-run", file, "total", `{"n": [7]}`}, exitOK,
			[]string{`{"expression":"7 * 2"}`, "allow", "depends on terms"}},
		{[]string{"run", "--dry-run", "--json", file, "total", `{"n": []}`}, exitOK, []string{`[{"step":"sum"`}},
		{[]string{"run", "--dry-run", file, "outer"}, exitOK, []string{"\nboth ", "\n  terms/0 ", "\n  sum "}},
		{[]string{"run", "--dry-run", file, "empty"}, exitOK, []string{"No calls."}},
		{[]string{"run", "--dry-run", "--json", file, "empty"}, exitOK, []string{"[]\n"}},
		{[]string{"run", "--quiet", file, "total", "-"}, exitOK, []string{"6\n"}},
		{[]string{"run", "--quiet", "--dry-run", file, "empty"}, exitUsage, []string{"--quiet: got --dry-run"}},
		{[]string{"run", "--quiet", "--json", file, "empty"}, exitUsage, []string{"--quiet: got --json"}},
		{[]string{"check", none}, exitError, []string{none + ": workflows: got none, want one or more"}},
		{[]string{"run", none, "x"}, exitError, []string{none + ": workflows: got none, want one or more"}},
		{[]string{"list", none}, exitOK, []string{"No workflows."}},
		{[]string{"list", "--json", none}, exitOK, []string{"[]\n"}},
		{[]string{"run", file}, exitUsage, []string{"got 1 arguments"}},
		{[]string{"check", "no/such/file"}, exitError, []string{"no/such/file"}},
		{[]string{"frobnicate"}, exitUsage, []string{"want check, run, list or graph"}},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"workflow"}, tt.args...), strings.NewReader(`{"n": [1, 2]}`), &stdout, &stderr); code != tt.code {
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
	if err := os.WriteFile(file, []byte("workflows:\n  w:\n    steps:\n      - call: file_write\n"+
		"        with: {path: a, content: b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	want := file + `:4: workflows.w.steps[0].call: got the unknown tool "file_write"`
	if code := run([]string{"workflow", "check", file}, nil, &stdout, &stderr); code != exitError ||
		!strings.Contains(stderr.String(), want) || !strings.Contains(stderr.String(), "Options such as --write choose the tools") {
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

// Each pattern of the documentation runs in a directory with the built-in tools, and shows its trace as a tree.
func TestPatternsOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "workflow.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- file: patterns.yaml -->\n```yaml\n")
	patterns, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/workflow.md has no patterns.yaml")
	}
	quietEnvironment(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"patterns.yaml": patterns, "notes.txt": "first line\nsecond line\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls := func(tools ...string) (tree []string) {
		for _, tool := range tools {
			tree = append(tree, "execute_tool "+tool)
		}
		return tree
	}
	for _, tt := range []struct {
		name, arguments, output string
		spans                   []string
		steps                   []string // of the log
	}{
		{"chain", `{"path": "notes.txt"}`, `"words"`, calls("file_read", "text"), []string{"page call", "words call"}},
		{"race", `{}`, "second line", calls("file_read"), []string{"answer parallel"}},
		{"vote", `{}`, `"2"`, calls("calculator", "calculator", "calculator"),
			[]string{"parts/0 call", "parts/2 call", "parts parallel"}},
		{"branch", `{"n": 12}`, "6", calls("calculator"), []string{"0/then call", "0 if"}},
		{"fan", `{"paths": ["notes.txt", "missing.txt"]}`, `"words"`, calls("file_read", "file_read", "text"),
			[]string{"sizes/0/page call", "sizes/1/page call", "sizes/merge merge", "sizes each"}},
		{"pipeline", `{"csv": "name,price\npen,3\nbag,40\n"}`, "pen 3", calls("csv_to_json", "text"),
			[]string{"source call", "1 set", "2 set", "sink call"}},
		{"poll", `{}`, `"8"`, calls("calculator", "calculator", "calculator"), []string{"0/0 call", "0/2 call", "0 loop"}},
		{"saga", `{"text": "x"}`, "undone: draft", calls("file_write", "calculator", "file_delete"),
			[]string{"draft call", "check call", "draft undo"}},
	} {
		var stdout, stderr bytes.Buffer
		args := []string{"workflow", "run", "--write", "--dir", dir, filepath.Join(dir, "patterns.yaml"), tt.name, tt.arguments}
		if code := run(args, nil, &stdout, &stderr); code != exitOK && (tt.name != "saga" || code != exitError) {
			t.Errorf("%s: got code %d: %s%s", tt.name, code, stdout.String(), stderr.String())
		}
		output, shown, _ := strings.Cut(stdout.String(), "\nSTEP ")
		if !strings.Contains(output, tt.output) {
			t.Errorf("%s: got %s, want %s in it", tt.name, output, tt.output)
		}
		log, tree, _ := strings.Cut(shown, "\ninvoke_workflow "+tt.name+" ")
		log = strings.Join(strings.Fields(log), " ")
		for _, step := range tt.steps {
			if !strings.Contains(log, step+" ") {
				t.Errorf("%s: the log lacks %q: %s", tt.name, step, log)
			}
		}
		for _, span := range tt.spans {
			before, after, ok := strings.Cut(tree, "─ "+span+" ")
			if !ok {
				t.Errorf("%s: the trace lacks %q: %s", tt.name, span, shown)
			}
			tree = before + after
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "draft.txt")); err == nil {
		t.Error("the saga's file was not deleted")
	}
}

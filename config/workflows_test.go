// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/workflow"
)

const flows = `workflows:
  twice:
    description: Echoes what it gets
    input: {type: object, properties: {v: {}}, required: [v]}
    steps:
      - id: a
        call: echo
        with: {v: $input.v, list: [1, 2.5, true, null, text], "odd name": {}}
      - id: b
        if: "${ a.result.list[1] > 2 }"
        then: {call: echo, with: {w: $a.result}}
        timeout: 10s
`

func TestWorkflowsOfAFileRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "toolscope.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(flows)
	file, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	scope, err := toolscope.New(file.Options(toolscope.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer scope.Shutdown(t.Context())
	registry := new(toolkit.Registry)
	o := workflow.Options{Handler: scope.WrapRegistry(registry), Tools: registry, Scope: scope}
	if _, err := file.NewWorkflows(o); err == nil ||
		!strings.Contains(err.Error(), path+`:7: workflows.twice.steps[0].call: got the unknown tool "echo"`) {
		t.Errorf("an unknown tool: got %v", err)
	}
	if err := registry.Register(tooltest.Echo(toolkit.Definition{Name: "echo"})); err != nil {
		t.Fatal(err)
	}
	set, err := file.NewWorkflows(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Register(set.Tools()...); err != nil {
		t.Fatal(err)
	}
	res, err := o.Handler(t.Context(), toolkit.Call{Name: "twice", Arguments: []byte(`{"v": 3}`)})
	if want := `{"w":{"list":[1,2.5,true,null,"text"],"odd name":{},"v":3}}`; err != nil || res.Output != want {
		t.Errorf("got %q, %v, want %s", res.Output, err, want)
	}
	for field, line := range map[string]string{"fallback": "        fallback:\n", "output": "    output: null\n"} {
		write(flows + "      - call: echo\n" + line)
		if _, err := file.Reload(scope); err == nil || !strings.Contains(err.Error(), ":14: workflows.twice.") ||
			!strings.Contains(err.Error(), field+": got nothing, want a value") {
			t.Errorf("%s: null: got %v", field, err)
		}
	}
	write(flows + "      - {set: {x: 1}}\n")
	if notes, err := file.Reload(scope); err != nil || len(notes) != 1 || notes[0] != "workflows: a change holds after a restart" {
		t.Errorf("a change: got %q, %v", notes, err)
	}
	write(flows + "      - {call: echo, with: {v: $other}}\n")
	if _, err := file.Reload(scope); err == nil {
		t.Error("a wrong change: got no error")
	}
}

// What is wrong with a workflow is an error with its line, without knowing the tools.
func TestWrongWorkflowsOfAFile(t *testing.T) {
	for text, want := range map[string]string{
		"workflows: {w: {steps: []}}": "f.yaml:1: workflows.w.steps: got none, want at least one",
		"workflows:\n  w:\n    steps:\n      - call: a\n        with: {q: [1, \n $later.result]}\n      - {id: later," +
			" call: b}": `f.yaml:6: workflows.w.steps[0].with.q[1]: got "later", a step that comes later`,
		"workflows: {w: {steps: [{cal: x}]}}": `f.yaml:1: workflows.w.steps[0].cal: got an ` +
			`unknown field (did you mean "call"?)`,
		"workflows: {w: {steps: [{call: x, with: {a: 1, a: 2}}]}}": "f.yaml:1: workflows.w.steps[0].with.a: got " +
			"the field a second time",
		"workflows: {w: {steps: [{call: x, with: {q: {a: 1, a: 2}}}]}}": "workflows.w.steps[0].with.q.a: got the field a second time",
		"workflows: {w: {steps: [{call: x, with: {q: .nan}}]}}":         "workflows.w.steps[0].with.q: got \".nan\", want a number",
		"workflows: {w: {steps: [{call: x, on_error: retry}]}}":         `got "retry", want stop, skip or fallback`,
		"workflows: {w: {steps: [{call: w}]}}":                          "workflows.w: got a workflow that calls itself: w calls w",
	} {
		if err := config.Check("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// TestWrongDefinitions: what is wrong is an error when a workflow is loaded, with its field.
func TestWrongDefinitions(t *testing.T) {
	one := func(s ...workflow.Step) map[string]workflow.Definition {
		return map[string]workflow.Definition{"w": {Steps: s}}
	}
	a := echo("a", 1)
	call := func(name string) workflow.Step { return workflow.Step{Call: name} }
	parallel := func(p workflow.Parallel) map[string]workflow.Definition { return one(workflow.Step{Parallel: &p}) }
	for name, c := range map[string]struct {
		definitions map[string]workflow.Definition
		want        string
	}{
		"no steps":  {one(), "w.steps: got none, want at least one"},
		"no kind":   {one(workflow.Step{ID: "x"}), "w.steps[0]: got none of them with a value, want exactly one of call, parallel"},
		"two kinds": {one(workflow.Step{Call: "echo", Set: map[string]any{"a": 1}}), "w.steps[0]: got call and set together, want exactly one of"},
		"unknown tool": {one(call("ecko")),
			`w.steps[0].call: got the unknown tool "ecko", want the name of a tool (did you mean "echo"?)`},
		"unknown undo": {one(workflow.Step{Call: "echo", Undo: &workflow.Call{Tool: "x"}}),
			"w.steps[0].undo.call: got the unknown tool"},
		"unknown merge": {one(workflow.Step{Each: &workflow.Each{In: "$input.l", Do: &a, Merge: &workflow.Call{}}}),
			"w.steps[0].each.merge.call: got nothing"},
		"a later step": {one(echo("x", "$a.result"), a),
			`w.steps[0].with.v: got "a", a step that comes later, want one of input, var`},
		"the step itself": {one(echo("x", "$x.result")), "w.steps[0].with.v: got the unknown name"},
		"a step elsewhere": {one(workflow.Step{If: "$input.b", Then: &a}, echo("b", "$a.result")),
			"w.steps[1].with.v: got the unknown name"},
		"no argument": {one(workflow.Step{Call: "typed", With: map[string]any{"size": "$input.n"}}),
			"w.steps[0].with: got no path, want the arguments that typed requires: path"},
		"an unknown argument": {one(workflow.Step{Call: "typed", With: map[string]any{"path": 1, "sise": 1}}),
			`w.steps[0].with.sise: got an unknown argument of typed (did you mean "size"?), want list, path, size`},
		"an undo's argument": {one(workflow.Step{Call: "echo", Undo: &workflow.Call{Tool: "typed"}}),
			"w.steps[0].undo.with: got no path"},
		"a nested workflow's argument": {map[string]workflow.Definition{
			"x": {Input: map[string]any{"required": []any{"n"}}, Steps: []workflow.Step{a}}, "y": {Steps: []workflow.Step{call("x")}}},
			"y.steps[0].with: got no n, want the arguments that x requires: n"},
		"an expression":  {one(echo("x", []any{1, "${ input. }"})), "w.steps[0].with.v[1]: "},
		"no condition":   {one(workflow.Step{If: "input.b", Then: &a}), "w.steps[0].if: got \"input.b\", want a condition"},
		"an if without":  {one(workflow.Step{If: "$input.b"}), "w.steps[0].then: got nothing, want a step"},
		"a then without": {one(workflow.Step{Call: "echo", Then: &a}), "w.steps[0].then: got then without a condition, want if"},
		"with without": {one(workflow.Step{Set: map[string]any{"a": 1}, With: map[string]any{"a": 1}}),
			"w.steps[0].with: got arguments without"},
		"an unknown var": {one(echo("x", "$var.y")), "w.steps[0].with.v: got the unknown variable"},
		"a var of each": {one(workflow.Step{Each: &workflow.Each{In: "$input.l", Do: &workflow.Step{Steps: []workflow.Step{
			{Set: map[string]any{"y": "$item"}}, echo("in", "$var.y")}}}}, echo("x", "$var.y")),
			`w.steps[1].with.v: got the unknown variable "y", want a variable that a step sets, other than in a branch or in each`},
		"a var of a branch": {one(workflow.Step{Set: map[string]any{"z": 1}}, workflow.Step{Parallel: &workflow.Parallel{
			Merge: workflow.All, Branches: []workflow.Step{{Set: map[string]any{"y": "$var.z"}}, echo("b", "$var.y")}}}),
			`w.steps[1].parallel.branches[1].with.v: got the unknown variable "y", want one of z`},
		"a wrong var":     {one(workflow.Step{Set: map[string]any{"a b": 1}}), "w.steps[0].set.a b: got the name"},
		"an id twice":     {one(a, a), "w.steps[1].id: got \"a\" a second time"},
		"a reserved id":   {one(echo("input", 1)), "w.steps[0].id: got \"input\", which has a meaning"},
		"a function's id": {one(echo("keys", 1)), "w.steps[0].id: got \"keys\", which has a meaning"},
		"a wrong id":      {one(echo("a-b", 1)), "w.steps[0].id: got \"a-b\", want a letter"},
		"on_error":        {one(workflow.Step{Call: "echo", OnError: "retry"}), "w.steps[0].on_error: got \"retry\", want stop"},
		"two fallbacks": {one(workflow.Step{Call: "echo", Fallback: 1, FallbackStep: &a}),
			"w.steps[0].fallback_step: got fallback and fallback_step together, want one of them"},
		"fallback and skip": {one(workflow.Step{Call: "echo", Fallback: 1, OnError: workflow.Skip}),
			"w.steps[0].fallback: got fallback and on_error: skip together, want one of them"},
		"fallback step and stop": {one(workflow.Step{Call: "echo", FallbackStep: &a, OnError: workflow.Stop}),
			"w.steps[0].fallback_step: got fallback_step and on_error: stop together, want one of them"},
		"a timeout": {one(workflow.Step{Call: "echo", Timeout: -time.Second}), "w.steps[0].timeout: got -1s, want 0 or more"},
		"merge": {parallel(workflow.Parallel{Merge: "any", Branches: []workflow.Step{a}}),
			"w.steps[0].parallel.merge: got \"any\""},
		"no branches": {parallel(workflow.Parallel{Merge: workflow.All}), "w.steps[0].parallel.branches: got 0, want 1 to 50"},
		"first that writes": {parallel(workflow.Parallel{Merge: workflow.First,
			Branches: []workflow.Step{a, call("write")}}), "w.steps[0].parallel.branches[1]: got the tool \"write\", which may write"},
		"each of a text":  {one(workflow.Step{Each: &workflow.Each{In: "x", Do: &a}}), "w.steps[0].each.in: got no list"},
		"each without do": {one(workflow.Step{Each: &workflow.Each{In: "$input.l"}}), "w.steps[0].each.do: got nothing"},
		"each, parallel": {one(workflow.Step{Each: &workflow.Each{In: "$input.l", Do: &a, Parallel: 51}}),
			"w.steps[0].each.parallel: got 51, want at most 50"},
		"each, negative": {one(workflow.Step{Each: &workflow.Each{In: "$input.l", Do: &a, Parallel: -1}}),
			"w.steps[0].each.parallel: got -1, want 1 to 50, or 0 for 4"},
		"each, max": {one(workflow.Step{Each: &workflow.Each{In: "$input.l", Do: &a, Max: 1001}}),
			"w.steps[0].each.max: got 1001"},
		"item outside": {one(echo("x", "$item")), "w.steps[0].with.v: got the unknown name \"item\""},
		"a loop's cap": {one(workflow.Step{Loop: &workflow.Loop{While: "${ true }", Do: &a}}),
			"w.steps[0].loop.max: got 0, want 1 to 1000"},
		"a loop without do": {one(workflow.Step{Loop: &workflow.Loop{While: "${ true }", Max: 1}}), "w.steps[0].loop.do: got nothing"},
		"an empty block":    {one(workflow.Step{Steps: []workflow.Step{}}), "w.steps[0].steps: got none"},
		"too many steps":    {one(make([]workflow.Step, 101)...), "w.steps: got 101 steps, want at most 100"},
		"max_calls": {map[string]workflow.Definition{"w": {MaxCalls: 10001, Steps: []workflow.Step{a}}},
			"w.max_calls: got 10001, want at most 10000"},
		"output": {map[string]workflow.Definition{"w": {Output: "$b.result", Steps: []workflow.Step{a}}},
			"w.output: got the unknown name \"b\""},
		"a tool's name": {map[string]workflow.Definition{"write": {Steps: []workflow.Step{a}}},
			"write: got the name of a tool, want one that no tool has"},
		"a wrong name": {map[string]workflow.Definition{"a b": {Steps: []workflow.Step{a}}}, "a b: toolkit: definition"},
		"a wrong schema": {map[string]workflow.Definition{
			"w": {Input: map[string]any{"required": "nonsense"}, Steps: []workflow.Step{a}}},
			"w.input: got a mapping that is no JSON Schema"},
		"arguments without names": {map[string]workflow.Definition{
			"w": {Input: map[string]any{"type": "string"}, Steps: []workflow.Step{a}}}, "w.input.type: got \"string\", want object"},
		"an else without": {one(workflow.Step{Call: "echo", Else: &a}), "w.steps[0].else: got else without a condition, want if"},
		"a constant condition": {one(workflow.Step{If: "${ 1 + 1 }", Then: &a}),
			`w.steps[0].if: got "${ 1 + 1 }", which is a number, want true or false`},
		"writes": {parallel(workflow.Parallel{Merge: workflow.All, Writes: true, Branches: []workflow.Step{a}}),
			"w.steps[0].parallel.writes: got true with merge: all, which cancels no branch, want merge: first"},
		"each, too many": {one(workflow.Step{Each: &workflow.Each{In: []any{1, 2, 3}, Max: 2, Do: &a}}),
			"w.steps[0].each.in: got 3 elements, want at most 2 (each.max)"},
		"a member of a step": {one(a, echo("x", "$a.reslt")),
			`w.steps[1].with.v: got the unknown member "reslt" of the step a, want one of result, ok, error`},
		"a member in an expression": {one(a, echo("x", "${ 1 + a.reslt }")),
			`w.steps[1].with.v: got the unknown member "reslt" of the step a, want one of result, ok, error`},
		"a function that a step hides": {one(echo("len", 1), echo("x", "${ len([1]) }")),
			`w.steps[1].with.v: got a call of "len", which is a value here, want another id for the step`},
		"a literal": {one(workflow.Step{Call: "typed", With: map[string]any{"path": 1, "size": "big"}}),
			"w.steps[0].with.size: got string, want integer (typed's schema)"},
		"a literal within": {one(workflow.Step{Call: "typed", With: map[string]any{"path": 1, "list": []any{1, "${ 'x' }"}}}),
			"w.steps[0].with.list: /1: got string, want integer (typed's schema)"},
		"a schema's file": {map[string]workflow.Definition{
			"w": {Input: map[string]any{"$ref": "file:///etc/passwd"}, Steps: []workflow.Step{a}}}, "w.input: "},
		"a cycle": {map[string]workflow.Definition{"x": {Steps: []workflow.Step{call("y")}}, "y": {Steps: []workflow.Step{call("x")}}},
			"x: got a workflow that calls itself: x calls y calls x, want no cycle"},
		"too deep": {map[string]workflow.Definition{"w1": {Steps: []workflow.Step{call("w2")}},
			"w2": {Steps: []workflow.Step{call("w3")}},
			"w3": {Steps: []workflow.Step{call("w4")}}, "w4": {Steps: []workflow.Step{a}}},
			"w1: got workflows that call each other in more levels, want at most 3"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, toolscope.Options{}, toolkit.ToolFunc(toolkit.Definition{Name: "typed", InputSchema: []byte(
				`{"type": "object", "required": ["path"], "properties": {"path": {}, "size": {"$ref": "#/$defs/n"},
				"list": {"items": {"type": "integer"}}}, "$defs": {"n": {"type": "integer"}}, "additionalProperties": false}`)}, nil))
			_, err := workflow.New(workflow.Options{Handler: b.handler, Tools: b.registry, Definitions: c.definitions})
			if err == nil || !strings.Contains(err.Error(), "workflow: "+c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if e := (*workflow.Error)(nil); !errors.As(err, &e) {
				t.Errorf("got a %T, want an *Error", err)
			}
		})
	}
}

// TestHints: a workflow is never safer than its steps.
func TestHints(t *testing.T) {
	tool := func(d toolkit.Definition) toolkit.Tool { return toolkit.ToolFunc(d, nil) }
	b := newBench(t, toolscope.Options{},
		tool(toolkit.Definition{Name: "high", Risk: toolkit.RiskHigh, ReadOnly: toolkit.Yes, Resources: []string{"db"}}),
		tool(toolkit.Definition{Name: "destroys", Risk: toolkit.RiskLow, Destructive: toolkit.Yes, OpenWorld: toolkit.No,
			Resources: []string{"db"}}),
		tool(toolkit.Definition{Name: "again", Risk: toolkit.RiskLow, Idempotent: toolkit.Yes, Destructive: toolkit.No,
			OpenWorld: toolkit.Yes, Resources: []string{"db"}}),
	)
	calling := func(tools ...string) (d workflow.Definition) {
		for _, t := range tools {
			d.Steps = append(d.Steps, workflow.Step{Call: t})
		}
		return d
	}
	undone := calling("echo")
	undone.Steps[0].Undo = &workflow.Call{Tool: "write"}
	set := b.load(t, map[string]workflow.Definition{
		"reads": calling("echo", "fail"), "high_risk": calling("echo", "high"), "nothing_said": calling("echo", "write"),
		"destructive": calling("destroys", "write"), "idempotent": calling("again", "echo"), "undo": undone,
		"nested": calling("destructive"),
	})
	type hints struct {
		readOnly, idempotent, destructive, openWorld toolkit.Hint
		risk                                         toolkit.Risk
		resources                                    string
	}
	want := map[string]hints{
		"reads":        {toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.No, toolkit.RiskLow, "memory"},
		"high_risk":    {toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.Unsaid, toolkit.RiskHigh, "db memory"},
		"nothing_said": {toolkit.No, toolkit.No, toolkit.Unsaid, toolkit.Unsaid, "", "any"},
		"destructive":  {toolkit.No, toolkit.No, toolkit.Yes, toolkit.Unsaid, "", "any"},
		"idempotent":   {toolkit.No, toolkit.Yes, toolkit.No, toolkit.Yes, toolkit.RiskLow, "db memory"},
		"undo":         {toolkit.No, toolkit.No, toolkit.Unsaid, toolkit.Unsaid, "", "any"},
		"nested":       {toolkit.No, toolkit.No, toolkit.Yes, toolkit.Unsaid, "", "any"},
	}
	for _, tool := range set.Tools() {
		d := tool.Definition()
		resources := strings.Join(d.Resources, " ")
		if d.Resources == nil {
			resources = "any"
		}
		if got := (hints{d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld, d.Risk, resources}); got != want[d.Name] {
			t.Errorf("%s: got %+v, want %+v", d.Name, got, want[d.Name])
		}
		if !d.CallsTools || d.CacheTTL >= 0 || d.Timeout != 40*time.Minute { // 30 for the run, 10 for undos
			t.Errorf("%s: got %+v", d.Name, d)
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/workflow"
)

// TestEnterpriseHarness has a row for each field of the workflows of an enterprise harness: how it is written here, and
// what comes of it.
func TestEnterpriseHarness(t *testing.T) {
	item, one := echo("", "$item"), echo("", 1)
	fail := workflow.Step{ID: "bad", Call: "fail"}
	steps := func(s ...workflow.Step) workflow.Definition { return workflow.Definition{Steps: s} }
	on := func(mode workflow.OnError, s ...workflow.Step) workflow.Definition {
		return workflow.Definition{OnError: mode, Steps: s}
	}
	parallel := func(merge workflow.Merge, branches ...workflow.Step) workflow.Step {
		return workflow.Step{ID: "p", Parallel: &workflow.Parallel{Merge: merge, Branches: branches}}
	}
	slow := workflow.Step{ID: "slow", Call: "wait", Timeout: time.Second}
	for _, c := range []struct {
		field      string
		definition workflow.Definition
		want       string // output, or part of the error
		log        string // of the run; "" is not compared
	}{
		{"name, steps", steps(one), `{"v":1}`, "0 call done"},
		{"description", workflow.Definition{Description: "text", Steps: []workflow.Step{one}}, `{"v":1}`, ""},
		{"errorHandling stop", on(workflow.Stop, fail, one), "failed at bad (tool_error)", "bad call failed"},
		{"errorHandling skip", on(workflow.Skip, fail, one), `{"v":1}`, "bad call skipped, 1 call done"},
		{"errorHandling fallback", on(workflow.Fallback, fail, echo("", "$bad.result.fallback")), `{"v":true}`,
			"bad call fallback, 1 call done"},
		{"output of the last step", steps(one, echo("", 2)), `{"v":2}`, ""},
		{"sequential id, toolName, inputMapping", steps(echo("a", "$input.n"), echo("b", "$a.result.v")), `{"v":7}`, ""},
		{"sequential outputMapping", steps(echo("a", 3), workflow.Step{Set: map[string]any{"x": "$a.result.v"}},
			echo("", "$var.x")), `{"v":3}`, ""},
		{"sequential timeout", steps(slow), "failed at slow (timeout)", ""},
		{"parallel branches, mergeStrategy first", steps(parallel(workflow.First, workflow.Step{Call: "wait"}, one)), `{"v":1}`, ""},
		{"mergeStrategy all", steps(parallel(workflow.All, one, echo("", 2))), `[{"v":1},{"v":2}]`, ""},
		{"mergeStrategy all, one fails", steps(parallel(workflow.All, one, fail)), "failed at p/bad", ""},
		{"mergeStrategy majority", steps(parallel(workflow.Majority, one, fail, echo("", 2))), `[{"v":1},{"v":2}]`, ""},
		{"parallel timeout of each branch", steps(parallel(workflow.Majority, one, slow, echo("", 2))), `[{"v":1},{"v":2}]`, ""},
		{"conditional condition, ifTrue", steps(workflow.Step{If: "${ input.n == 7 }", Then: &one}), `{"v":1}`, ""},
		{"conditional ifFalse", steps(workflow.Step{If: "${ input.n == 8 }", Then: &item1, Else: &one}), `{"v":1}`, ""},
		{"fanout toolName, splitExpression, maxConcurrency",
			steps(workflow.Step{Each: &workflow.Each{In: "$input.list", Parallel: 2, Do: &item}}), `[{"v":"x"},{"v":"x"}]`, ""},
		{"fanout index, of equal items", steps(workflow.Step{Each: &workflow.Each{In: "$input.list", Do: &indexed}}),
			`[{"v":0},{"v":1}]`, ""},
		{"fanout mergeTool with results", steps(
			workflow.Step{Each: &workflow.Each{In: "$input.list", Do: &item,
				Merge: &workflow.Call{Tool: "echo", With: map[string]any{"results": "$results"}}}}), `{"results":[{"v":"x"},{"v":"x"}]}`, ""},
		{"loop condition, maxIterations, body, iteration",
			steps(workflow.Step{Loop: &workflow.Loop{While: "${ iteration < 9 }", Max: 2, Do: &counted}}), `[{"v":0},{"v":1}]`, ""},
		{"loop loopResults", steps(workflow.Step{
			Loop: &workflow.Loop{While: "${ len(results) < 1 }", Max: 2, Do: &counted}}), `[{"v":0}]`, ""},
		{"mapping $input.path", steps(echo("", "$input.deep.a.0")), `{"v":"b"}`, ""},
		{"mapping $input", steps(workflow.Step{Call: "echo", With: map[string]any{"n": "${ input.n }"}}), `{"n":7}`, ""},
		{"mapping $stepId.result.path", steps(echo("a", map[string]any{"b": 1}), echo("", "$a.result.v.b")), `{"v":1}`, ""},
		{"mapping $var.result.x is a variable",
			steps(workflow.Step{Set: map[string]any{"result": map[string]any{"x": 5}}}, echo("", "$var.result.x")), `{"v":5}`, ""},
		{"mapping JSON, text", steps(echo("", []any{1, "text"})), `{"v":[1,"text"]}`, ""},
		{"a missing path is no undefined", steps(echo("a", "$input.deep.b")), "there is no member", ""},
		{"options timeout", workflow.Definition{Timeout: time.Second, Steps: []workflow.Step{{ID: "w", Call: "wait"}}},
			"failed at w (timeout)", "w call canceled"},
		{"log of parallel, conditional, fanout, loop", steps(parallel(workflow.All, one), workflow.Step{If: "${ true }", Then: &one},
			workflow.Step{Each: &workflow.Each{In: []any{}, Do: &item}},
			workflow.Step{Loop: &workflow.Loop{While: "${ false }", Max: 1, Do: &one}}), "[]",
			"p/0 call done, p parallel done, 1/then call done, 1 if done, 2 each done, 3 loop done"},
	} {
		t.Run(c.field, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, toolscope.Options{NoStats: true})
				set := b.load(t, map[string]workflow.Definition{"w": c.definition})
				const arguments = `{"n": 7, "list": ["x", "x"], "deep": {"a": ["b"]}}`
				r := set.Run(t.Context(), "w", []byte(arguments))
				got := encoded(r.Output)
				if r.Err != nil {
					got = r.Err.Error()
				}
				if got != c.want && (r.Err == nil || !strings.Contains(got, c.want)) {
					t.Errorf("got %s, want %s", got, c.want)
				}
				if lines := strings.Join(log(r), ", "); c.log != "" && lines != c.log {
					t.Errorf("log: got %q, want %q", lines, c.log)
				}
				// result: success, executionTimeMs, stepsExecuted, logs; history with failures
				last := set.Workflows()[0].LastRuns[0]
				if last.Success != (r.Err == nil) || last.Steps == 0 || last.ID != r.Run.ID || last.DurationMS != r.Run.DurationMS {
					t.Errorf("history: got %+v", last)
				}
				for _, e := range last.Log { // stepId, type, timestamp of each entry
					if e.Step == "" || e.Kind == "" || e.Status == "" || e.Started.Before(last.Started) || last.Workflow != "w" {
						t.Errorf("log: got %+v", e)
					}
				}
				if steps, err := set.DryRun(t.Context(), "w", []byte(arguments)); err != nil || len(set.Workflows()[0].LastRuns) != 1 {
					t.Errorf("options dryRun: got %v, %v", steps, err)
				}
			})
		})
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// TestPatterns runs each kind of step.
func TestPatterns(t *testing.T) {
	fail := workflow.Step{ID: "bad", Call: "fail"}
	skipped := fail
	skipped.OnError = workflow.Skip
	replaced := fail
	replaced.Fallback = map[string]any{"v": "$input.n"}
	generic := fail
	generic.OnError = workflow.Fallback
	byStep := fail
	byStep.FallbackStep = &workflow.Step{Call: "echo", With: map[string]any{"v": "instead"}}
	branches := func(merge workflow.Merge, steps ...workflow.Step) workflow.Step {
		return workflow.Step{ID: "p", Parallel: &workflow.Parallel{Merge: merge, Branches: steps}}
	}
	ok := func(v any) workflow.Step { return echo("", v) }
	broken := workflow.Step{Call: "fail"}
	item := ok("$item")
	for name, c := range map[string]struct {
		steps []workflow.Step
		want  string // the output as JSON, or the error
		log   []string
	}{
		"chain": {
			[]workflow.Step{echo("a", "$input.n"), echo("b", "$a.result.v"), echo("c", "${ b.result.v + 1 }")},
			`{"v":8}`, []string{"a call done", "b call done", "c call done"},
		},
		"skip": {[]workflow.Step{skipped, echo("b", "$bad.ok")}, `{"v":false}`,
			[]string{"bad call skipped", "b call done"}},
		"fallback value": {[]workflow.Step{replaced}, `{"v":7}`, []string{"bad call fallback"}},
		"fallback step":  {[]workflow.Step{byStep}, `{"v":"instead"}`, []string{"bad/fallback call done", "bad call fallback"}},
		"fallback": {[]workflow.Step{generic},
			`{"error":"failed with {}","error_type":"tool_error","fallback":true}`, []string{"bad call fallback"}},
		"stop": {[]workflow.Step{fail, ok(1)}, "failed at bad (tool_error): failed with {}", []string{"bad call failed"}},
		"all": {[]workflow.Step{branches(workflow.All, ok(1), ok(2))}, `[{"v":1},{"v":2}]`,
			[]string{"p/0 call done", "p/1 call done", "p parallel done"}},
		"all with failure": {[]workflow.Step{branches(workflow.All, ok(1), broken)}, "failed at p/1",
			[]string{"p/0 call done", "p/1 call failed", "p parallel failed"}},
		"majority":    {[]workflow.Step{branches(workflow.Majority, ok(1), broken, ok(3))}, `[{"v":1},{"v":3}]`, nil},
		"no majority": {[]workflow.Step{branches(workflow.Majority, ok(1), broken)}, "1 of 2 branches succeeded", nil},
		"agree":       {[]workflow.Step{branches(workflow.Agree, ok(1), ok(2), ok(1))}, `{"v":1}`, nil},
		"disagree": {[]workflow.Step{branches(workflow.Agree, ok(1), ok(2), ok(3))},
			"no answer was given by more than half", nil},
		"first, none": {[]workflow.Step{branches(workflow.First, broken, broken)}, "failed at p/0", nil},
		"if": {[]workflow.Step{{ID: "i", If: "${ input.n == 7 }", Then: &item0, Else: &item1}}, `{"v":"yes"}`,
			[]string{"i/then call done", "i if done"}},
		"else": {[]workflow.Step{{ID: "i", If: "${ input.n == 8 }", Then: &item0, Else: &item1}}, `{"v":"no"}`,
			[]string{"i/else call done", "i if done"}},
		"no else":         {[]workflow.Step{{If: "${ input.n == 8 }", Then: &item0}}, "null", []string{"0 if done"}},
		"not a condition": {[]workflow.Step{{If: "$input.n", Then: &item0}}, "neither true nor false", nil},
		"each": {[]workflow.Step{{ID: "e", Each: &workflow.Each{In: "$input.list", Do: &item}}},
			`[{"v":"x"},{"v":"x"},{"v":"y"}]`, []string{"e/0 call done", "e/1 call done", "e/2 call done", "e each done"}},
		"each, index": {[]workflow.Step{{Each: &workflow.Each{In: "$input.list", Do: &indexed}}},
			`[{"v":0},{"v":1},{"v":2}]`, nil},
		"each with merge": {[]workflow.Step{{ID: "e",
			Each: &workflow.Each{In: "$input.list", Do: &item,
				Merge: &workflow.Call{Tool: "echo", With: map[string]any{"all": "${ map(results, .v) }"}}}}},
			`{"all":["x","x","y"]}`, []string{"e/0 call done", "e/1 call done", "e/2 call done", "e/merge merge done", "e each done"}},
		"each, too many": {[]workflow.Step{{Each: &workflow.Each{In: "$input.list", Do: &item, Max: 2}}},
			"got 3 elements, want at most 2", nil},
		"each, no list": {[]workflow.Step{{Each: &workflow.Each{In: "$input.n", Do: &item}}}, "want a list", nil},
		"loop": {[]workflow.Step{{ID: "l",
			Loop: &workflow.Loop{While: "${ len(results) < 2 }", Do: &counted, Max: 9}}}, `[{"v":0},{"v":1}]`,
			[]string{"l/0 call done", "l/1 call done", "l loop done"}},
		"loop, cap": {[]workflow.Step{{Loop: &workflow.Loop{While: "${ true }", Do: &counted, Max: 3}}},
			`[{"v":0},{"v":1},{"v":2}]`, nil},
		"set": {[]workflow.Step{{Set: map[string]any{"a": "$input.n", "b": 1}},
			{Set: map[string]any{"a": "${ var.a + var.b }"}}, ok("$var.a")}, `{"v":8}`, nil},
		"set in a loop": {[]workflow.Step{{Set: map[string]any{"s": 0}},
			{Loop: &workflow.Loop{While: "${ var.s < 3 }", Max: 9,
				Do: &workflow.Step{Set: map[string]any{"s": "${ var.s + 1 }"}}}}, ok("$var.s")}, `{"v":3}`, nil},
		"set in a branch": {[]workflow.Step{{Set: map[string]any{"s": 0}},
			branches(workflow.All, workflow.Step{Set: map[string]any{"s": 1}}), ok("$var.s")}, `{"v":0}`, nil},
		"block": {[]workflow.Step{{ID: "s", Steps: []workflow.Step{echo("x", 1), echo("y", "$x.result.v")}}},
			`{"v":1}`, []string{"s/x call done", "s/y call done", "s steps done"}},
		"block skipped": {[]workflow.Step{{ID: "s", OnError: workflow.Skip, Steps: []workflow.Step{echo("x", 1), fail2}},
			ok("$s.error.type")}, `{"v":"tool_error"}`, []string{"s/x call done", "s/1 call failed", "s steps skipped", "1 call done"}},
		"a missing path": {[]workflow.Step{echo("a", "$input.nothing")},
			"failed at a (invalid_arguments): v: $input.nothing: there is no member", nil},
		"no optional path": {[]workflow.Step{echo("a", "${ input?.nothing }")}, `{"v":null}`, nil},
		"literals": {[]workflow.Step{ok([]any{"$$5", 1.5, true, nil, map[string]any{"a": "b"}})},
			`{"v":["$5",1.5,true,null,{"a":"b"}]}`, nil},
		"a failed result":  {[]workflow.Step{skipped, ok("$bad.result")}, `{"v":null}`, nil},
		"the error's text": {[]workflow.Step{skipped, ok("$bad.error.message")}, `{"v":"failed with {}"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, toolscope.Options{})
			r := b.one(t, c.steps...).Run(t.Context(), "w", []byte(`{"n": 7, "list": ["x", "x", "y"]}`))
			got := encoded(r.Output)
			if r.Err != nil {
				got = r.Err.Error()
			}
			if got != c.want && (r.Err == nil || !strings.Contains(got, c.want)) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if c.log != nil && !reflect.DeepEqual(log(r), c.log) {
				t.Errorf("log: got %q, want %q", log(r), c.log)
			}
		})
	}
}

var (
	item0, item1 = echo("", "yes"), echo("", "no")
	indexed      = echo("", "$index")
	counted      = echo("", "$iteration")
	fail2        = workflow.Step{Call: "fail"}
)

// Of a race, the first success counts: not a failure before it, and what still runs is canceled.
func TestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := toolkit.ToolFunc(toolkit.Definition{Name: "late", ReadOnly: toolkit.Yes},
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				time.Sleep(time.Second) // so that the first branch has failed
				return toolkit.Result{Output: `{"v":3}`}, nil
			})
		b := newBench(t, toolscope.Options{NoStats: true}, late)
		r := b.one(t, workflow.Step{ID: "p", Parallel: &workflow.Parallel{Merge: workflow.First,
			Branches: []workflow.Step{{Call: "fail"}, {Call: "wait"}, {Call: "late"}}}}).Run(t.Context(), "w", nil)
		if got, want := encoded(r.Output), `{"v":3}`; r.Err != nil || got != want {
			t.Errorf("got %s and %v, want %s", got, r.Err, want)
		}
		want := []string{"p/0 call failed", "p/1 call canceled", "p/2 call done", "p parallel done"}
		if got := log(r); !reflect.DeepEqual(got, want) {
			t.Errorf("log: got %q, want %q", got, want)
		}
	})
}

// A step's own time limit is a failure of the step; the workflow's ends the run, whatever steps say.
func TestTimeLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, toolscope.Options{NoStats: true})
		wait := workflow.Step{ID: "slow", Call: "wait", Timeout: time.Second, OnError: workflow.Skip}
		set := b.load(t, map[string]workflow.Definition{
			"step": {Steps: []workflow.Step{wait, echo("a", "$slow.error.type")}},
			"block": {Steps: []workflow.Step{{ID: "slow", Timeout: time.Second, OnError: workflow.Skip,
				Steps: []workflow.Step{{Call: "wait"}}}, echo("a", "$slow.error.type")}},
			"workflow": {Timeout: time.Second, OnError: workflow.Skip, Steps: []workflow.Step{{Call: "wait"}, echo("a", 1)}},
			"delay":    {Steps: []workflow.Step{{Loop: &workflow.Loop{While: "${ true }", Max: 3, Delay: time.Minute, Do: &counted}}}},
		})
		for _, name := range []string{"step", "block"} {
			if r := set.Run(t.Context(), name, nil); r.Err != nil || encoded(r.Output) != `{"v":"timeout"}` {
				t.Errorf("%s: got %v, %v", name, encoded(r.Output), r.Err)
			}
		}
		if r := set.Run(t.Context(), "workflow", nil); !errors.Is(r.Err, toolkit.ErrTimeout) || r.Run.Calls != 1 {
			t.Errorf("workflow: got %v after %d calls, want a timeout after 1", r.Err, r.Run.Calls)
		}
		start := time.Now()
		if r := set.Run(t.Context(), "delay", nil); r.Err != nil || time.Since(start) != 2*time.Minute {
			t.Errorf("delay: got %v after %v, want 2 minutes", r.Err, time.Since(start))
		}
	})
}

// Values are bounded, and arguments are an object.
func TestValuesAreBounded(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	set := b.one(t, workflow.Step{Set: map[string]any{"s": "0123456789"}}, workflow.Step{Loop: &workflow.Loop{
		While: "${ true }", Max: 1000, Do: &workflow.Step{Set: map[string]any{"s": "${ var.s + var.s }"}}}})
	if r := set.Run(t.Context(), "w", nil); r.Err == nil || !strings.Contains(r.Err.Error(), "larger than 8 MiB") {
		t.Errorf("got %v, want an error", r.Err)
	}
	for _, arguments := range []string{"[1]", "null", "{", "{} {}"} {
		if r := set.Run(t.Context(), "w", []byte(arguments)); toolkit.TypeOf(r.Err) != "invalid_arguments" || r.Run.ID != "" {
			t.Errorf("%s: got %v", arguments, r.Err)
		}
	}
}

// A cancelled run is never skipped over.
func TestACancelledRunEnds(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	if err := b.registry.Register(toolkit.ToolFunc(toolkit.Definition{Name: "cancel"},
		func(context.Context, toolkit.Call) (toolkit.Result, error) {
			cancel()
			return toolkit.Result{}, errors.New("the tool failed for it")
		})); err != nil {
		t.Fatal(err)
	}
	set := b.load(t, map[string]workflow.Definition{"w": {OnError: workflow.Skip, Steps: []workflow.Step{
		{ID: "a", Call: "write", Undo: &workflow.Call{Tool: "revert"}}, {ID: "b", Call: "cancel"}, echo("c", 1),
	}}})
	r := set.Run(ctx, "w", nil)
	if !errors.Is(r.Err, toolkit.ErrCanceled) ||
		!reflect.DeepEqual(log(r), []string{"a call done", "b call canceled", "a undo done"}) {
		t.Errorf("got %v, log %q", r.Err, log(r))
	}
}

// TestDefaultsOfTheInput: members of the input that are missing have the defaults of the schema.
func TestDefaultsOfTheInput(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	set := b.load(t, map[string]workflow.Definition{"w": {
		Input: map[string]any{"type": "object", "properties": map[string]any{
			"n": map[string]any{"type": "integer", "default": 5}, "list": map[string]any{"default": []any{1}}, "m": true}},
		Output: map[string]any{"n": "$input.n", "list": "$input.list"}, Steps: []workflow.Step{echo("a", 1)},
	}})
	for arguments, want := range map[string]string{
		"": `{"list":[1],"n":5}`, "{}": `{"list":[1],"n":5}`, `{"n": 0, "list": null}`: `{"list":null,"n":0}`,
	} {
		if r := set.Run(t.Context(), "w", []byte(arguments)); r.Err != nil || encoded(r.Output) != want {
			t.Errorf("%q: got %s, %v, want %s", arguments, encoded(r.Output), r.Err, want)
		}
	}
}

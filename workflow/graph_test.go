// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/workflow"
)

// The picture of a workflow has each step, what replaces it after a failure and what undoes it, and labels that Mermaid
// can read.
func TestGraph(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	first := echo("", 1)
	item := workflow.Step{Call: "echo", With: map[string]any{"v": "$item"}}
	undone := undoable("a")
	undone.FallbackStep = &workflow.Step{Call: "wait"}
	set := b.one(t,
		undone,
		workflow.Step{ID: "b", If: "${ input.t == \"#<x>\" and\n  input.n > 2 }",
			Then: &workflow.Step{Steps: []workflow.Step{first, echo("c", 2)}}},
		workflow.Step{Each: &workflow.Each{In: []any{1, 2.5, map[string]any{"k": "v"}}, Do: &item}},
		workflow.Step{Each: &workflow.Each{In: "${ 'ä' + '" + strings.Repeat("ä", 100) + "' }", Do: &item,
			Merge: &workflow.Call{Tool: "fail"}}},
		workflow.Step{Loop: &workflow.Loop{While: "${ true }", Max: 3, Do: &first}},
		workflow.Step{Parallel: &workflow.Parallel{Merge: workflow.All, Branches: []workflow.Step{first, first}}},
	)
	want := `flowchart TD
  n1([start])
  n2["a: write"]
  n1 --> n2
  n3["revert"]
  n2 -.->|undo| n3
  n4["wait"]
  n2 -.->|on error| n4
  n5{"b: ${ input.t == #quot;#35;#lt;x#gt;#quot; and input.n #gt; 2 }"}
  n2 --> n5
  n4 --> n5
  n6["echo"]
  n5 -->|yes| n6
  n7["c: echo"]
  n6 --> n7
  n8[/"each of [1,2.5,{#quot;k#quot;:#quot;v#quot;}]"/]
  n7 --> n8
  n5 --> n8
  n9["echo"]
  n8 -->|each| n9
  n10[/"each of ${ 'ä' + '` + strings.Repeat("ä", 61) + `…"/]
  n9 --> n10
  n11["echo"]
  n10 -->|each| n11
  n12["fail"]
  n11 -->|results| n12
  n13{"while ${ true }"}
  n12 --> n13
  n14["echo"]
  n13 -->|at most 3 times| n14
  n14 --> n13
  n15{{"parallel, all"}}
  n13 --> n15
  n16["echo"]
  n15 --> n16
  n17["echo"]
  n15 --> n17
  n18((merge))
  n16 --> n18
  n17 --> n18
  n19([end])
  n18 --> n19
`
	if got := set.Workflows()[0].Graph; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

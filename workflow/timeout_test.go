// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// TestTimeoutsNameWhatWasUndone: the answer of a workflow's tool names the limit, the step and what was undone, whichever
// limit ended the run: the workflow's, a ceiling of the Timeout policy, or that of a workflow in it.
func TestTimeoutsNameWhatWasUndone(t *testing.T) {
	definitions := map[string]workflow.Definition{
		"slow": {Timeout: 2 * time.Second, Steps: []workflow.Step{
			{ID: "draft", Call: "write", Undo: &workflow.Call{Tool: "revert"}}, {ID: "rest", Call: "wait"},
		}},
		"outer": {Steps: []workflow.Step{{ID: "inner", Call: "slow"}}},
		"short": {Timeout: time.Second, Steps: []workflow.Step{{Steps: []workflow.Step{{ID: "inner", Call: "slow"}}}}},
	}
	const slow = "the workflow slow failed at rest (timeout): "
	for name, c := range map[string]struct {
		tool    string
		ceiling time.Duration
		want    []string
	}{
		"its own":   {"slow", 0, []string{slow + "the workflow ran longer than 2s; undone: draft"}},
		"a ceiling": {"slow", time.Second, []string{slow, "one attempt may run for 1s", "; undone: draft"}},
		"an inner one": {"outer", 0, []string{
			"the workflow outer failed at inner (timeout): " + slow + "the workflow ran longer than 2s; undone: draft"}},
		"an outer one": {"short", 0, []string{"the workflow short failed at 0/inner (timeout): the workflow ran longer than 1s: " + slow,
			"; undone: draft"}},
		"a ceiling of both": {"outer", time.Second, []string{
			// Three limits end at once: either that of slow is named first, or that of the tool in it.
			"the workflow outer failed at inner (timeout): ", slow, "one attempt may run for 1s", "; undone: draft"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limits, err := timeout.New(timeout.Options{Max: c.ceiling})
				if err != nil {
					t.Fatal(err)
				}
				b := newBench(t, toolscope.Options{Policies: []middleware.Policy{limits}})
				b.load(t, definitions)
				res, err := b.handler(t.Context(), toolkit.Call{Name: c.tool})
				if err != nil || toolkit.TypeOf(res.Fault) != string(toolkit.ErrTimeout) {
					t.Errorf("got %v and the fault %v, want a timeout", err, res.Fault)
				}
				for _, want := range c.want {
					if !strings.Contains(res.Output, want) {
						t.Errorf("got %q, want %q in it", res.Output, want)
					}
				}
			})
		})
	}
}

// TestALongTimeout: the time for undos, which the tool has beyond that of a run, does not overflow.
func TestALongTimeout(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	set := b.load(t, map[string]workflow.Definition{"w": {Timeout: math.MaxInt64 - time.Second, Steps: []workflow.Step{echo("a", 1)}}})
	if got := set.Tools()[0].Definition().Timeout; got != math.MaxInt64 {
		t.Errorf("got %v, want the longest", got)
	}
}

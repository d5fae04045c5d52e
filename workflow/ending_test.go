// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/shield"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// A process that is asked to end bounds the undos of its runs: one that hangs is cancelled before its own limit, and it and
// the others are named.
func TestUndosOfAProcessThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, toolscope.Options{})
		hangs := undoable("b")
		hangs.Undo = &workflow.Call{Tool: "wait"}
		set := b.load(t, map[string]workflow.Definition{
			"w": {Steps: []workflow.Step{undoable("a"), hangs, undoable("c"), {ID: "rest", Call: "wait"}}},
		})
		asked, ask := context.WithCancel(t.Context())
		why := &toolkit.Error{Kind: toolkit.ErrCanceled, Message: "no time left"}
		end, release := shield.After(asked, 10*time.Second, why)
		defer release()
		time.AfterFunc(time.Second, ask)
		r := set.Run(shield.Until(asked, end), "w", nil)
		if r.Err == nil || !reflect.DeepEqual(r.Run.Undone, []string{"c"}) ||
			!reflect.DeepEqual(r.Run.NotUndone, []string{"b", "a"}) || r.Run.DurationMS != 11_000 ||
			!strings.Contains(r.Err.Error(), "b (canceled: ") {
			t.Errorf("got %v, %q undone and %q not, after %v ms", r.Err, r.Run.Undone, r.Run.NotUndone, r.Run.DurationMS)
		}
	})
}

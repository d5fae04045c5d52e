// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// A tool may make the very call that it answers, and two tools each other's: no caller waits for
// himself. In synctest's bubble a deadlock fails the test.
func TestToolsThatCallTheirDuplicates(t *testing.T) {
	for name, other := range map[string]map[string]string{"itself": {"a": "a"}, "each other": {"a": "b", "b": "a"}} {
		synctest.Test(t, func(t *testing.T) {
			once, err := dedupe.New(dedupe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var handle toolkit.Handler
			type depthKey struct{}
			seen := new(tooltest.Recorder)
			reads := toolkit.Definition{ReadOnly: toolkit.Yes}
			handle = toolkit.Observe(func(string) *toolkit.Definition { return &reads },
				seen)(middleware.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				time.Sleep(time.Millisecond) // so that the others are there
				depth, _ := ctx.Value(depthKey{}).(int)
				if depth == 2 {
					return toolkit.Result{Output: "done"}, nil
				}
				return handle(context.WithValue(ctx, depthKey{}, depth+1),
					toolkit.Call{Name: other[call.Name], Arguments: json.RawMessage(`{}`)})
			}, once))
			ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Batch: "b"})
			var all sync.WaitGroup
			for i := range 4 {
				for tool := range other {
					all.Go(func() {
						res, err := handle(ctx, toolkit.Call{ID: fmt.Sprint(tool, i), Name: tool, Arguments: json.RawMessage(`{}`)})
						if err != nil || res.Output != "done" {
							t.Errorf("%s: got %q, %v", name, res.Output, err)
						}
					})
				}
			}
			all.Wait()
			if got := int(once.(*dedupe.Policy).Stats().Coalesced); got != 3*len(other) {
				t.Errorf("%s: %d calls coalesced, want %d", name, got, 3*len(other))
			}
		})
	}
}

// Who waited for a duplicate that came back suspended, and then runs by himself, has waited: the time
// is none of his tool's.
func TestWaitingForATwinIsNotRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		once, err := dedupe.New(dedupe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seen := new(tooltest.Recorder)
		reads := toolkit.Definition{ReadOnly: toolkit.Yes}
		handle := toolkit.Observe(func(string) *toolkit.Definition { return &reads },
			seen)(once.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			time.Sleep(time.Second)
			return toolkit.Result{Suspended: true}, nil
		}))
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { _, _ = handle(ctx, toolkit.Call{Name: "read"}) })
		}
		all.Wait()
		for i, e := range seen.All() {
			if want := time.Duration(i) * time.Second; e.Disposition.Run != time.Second || e.Disposition.Queue != want {
				t.Errorf("call %d: ran for %v and waited %v, want 1s and %v", i, e.Disposition.Run, e.Disposition.Queue, want)
			}
		}
	})
}

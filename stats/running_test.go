// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// held is a handler whose calls run until they are let go, observed by r.
func held(r *Running, release <-chan struct{}) toolkit.Handler {
	def := &toolkit.Definition{Name: "search"}
	lookup := func(name string) *toolkit.Definition {
		if name == def.Name {
			return def
		}
		return nil
	}
	return toolkit.Observe(lookup, r)(func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		<-release
		return toolkit.Result{}, ctx.Err()
	})
}

func TestRunningCallsHaveAClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, release := NewRunning(nil), make(chan struct{})
		handler := held(r, release)
		secret := "correct-horse-" + strings.Repeat("b", 8)
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s1", Agent: "planner"})
		arguments := json.RawMessage(fmt.Sprintf(`{"q":"x","password":%q}`, secret))
		go func() { _, _ = handler(ctx, toolkit.Call{Name: "search", Arguments: arguments}) }()
		time.Sleep(3 * time.Second)
		go func() { _, _ = handler(ctx, toolkit.Call{Name: "made-up-name"}) }()
		time.Sleep(2 * time.Second)
		calls, more := r.Calls(time.Now())
		if len(calls) != 2 || more != 0 {
			t.Fatalf("got %d calls and %d more, want 2 and 0", len(calls), more)
		}
		if c := calls[0]; c.Tool != "search" || c.RunningMs != 5000 || c.Session != "s1" || c.Agent != "planner" ||
			c.BytesIn != len(arguments) ||
			!strings.Contains(c.Arguments, `"q":"x"`) || strings.Contains(c.Arguments, secret) {
			t.Errorf("got %+v", c)
		}
		if c := calls[1]; c.Tool != UnknownTool || c.RunningMs != 2000 || c.Arguments != "" {
			t.Errorf("a tool that is not registered: got %+v", c)
		}
		close(release)
		synctest.Wait()
		if calls, _ := r.Calls(time.Now()); len(calls) != 0 {
			t.Errorf("after their end: got %+v, want none", calls)
		}
	})
}

func TestRunningIsBounded(t *testing.T) {
	r := NewRunning(nil)
	var ends []func()
	for i := range maxRunning + 50 {
		ctx, running := toolkit.Begin(t.Context(), toolkit.Call{ID: fmt.Sprint(i)}, nil, r)
		_ = ctx
		ends = append(ends, func() { running.End(toolkit.Result{}, nil) })
	}
	if calls, more := r.Calls(time.Now()); len(calls) != maxRunning || more != 50 {
		t.Errorf("got %d and %d more, want %d and 50", len(calls), more, maxRunning)
	}
	for _, end := range ends {
		end()
	}
	if calls, more := r.Calls(time.Now()); len(calls) != 0 || more != 0 {
		t.Errorf("after their end: got %d and %d more, want none", len(calls), more)
	}
}

func TestRunningUnderConcurrency(t *testing.T) {
	r, release := NewRunning(nil), make(chan struct{})
	close(release)
	handler := held(r, release)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				_, _ = handler(t.Context(), toolkit.Call{Name: "search", Arguments: json.RawMessage(`{"a":1}`)})
				if i%20 == 0 {
					r.Calls(time.Now())
				}
			}
		})
	}
	all.Wait()
	if calls, more := r.Calls(time.Now()); len(calls) != 0 || more != 0 {
		t.Errorf("got %d and %d more, want none", len(calls), more)
	}
	if calls, more := (*Running)(nil).Calls(time.Now()); calls != nil || more != 0 {
		t.Error("a nil one knows of calls")
	}
}

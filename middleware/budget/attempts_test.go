// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
)

// failing is a tool that times out so many times, and a policy that calls it again.
func failing(t *testing.T, times int64) (runs *atomic.Int64, tool toolkit.Handler, again middleware.Policy) {
	t.Helper()
	again, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, Tools: []string{"two", "free"},
		Attempts: 6, Budget: retry.Budget{Burst: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	runs = new(atomic.Int64)
	return runs, func(context.Context, toolkit.Call) (toolkit.Result, error) {
		if runs.Add(1) <= times {
			return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrTimeout}
		}
		return toolkit.Result{Output: "ran"}, nil
	}, again
}

// TestAttemptsBeyondTheFirstArePaidFor: one that the budget has not enough for is not made, and what was
// reserved for one that was not needed is there again.
func TestAttemptsBeyondTheFirstArePaidFor(t *testing.T) {
	for _, c := range []struct {
		fails int64
		told  string
		runs  int64
		left  string // of a cost of 5, a call of 2 that runs once
	}{
		{0, "", 1, ""},
		{1, "", 2, "cost session"},
		{2, "cost", 2, "cost session"},
	} {
		synctest.Test(t, func(t *testing.T) {
			runs, tool, again := failing(t, c.fails)
			r := newRig(t, budget.Options{Session: budget.Limits{Cost: 5}}, tool, again)
			s := toolkit.Session{ID: "s"}
			r.want(c.told, s, "two")
			if runs.Load() != c.runs {
				t.Errorf("%d failures: got %d attempts, want %d", c.fails, runs.Load(), c.runs)
			}
			r.want(c.left, s, "two")
			runs.Store(100)
			for range 3 { // what costs nothing is tried as often as may be
				r.want("", s, "free")
			}
		})
	}
}

// TestAToolsOwnCallsPayForThemselves: a call that a tool makes asks its own budget, or none, and not that
// of the call it is made in.
func TestAToolsOwnCallsPayForThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs, tool, again := failing(t, 3)
		inner := toolkit.Observe(lookup)(middleware.Wrap(tool, again))
		outer := newRig(t, budget.Options{Session: budget.Limits{Cost: 2}},
			func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				return inner(ctx, toolkit.Call{Name: "free"})
			})
		outer.want("", toolkit.Session{ID: "s"}, "two")
		if runs.Load() != 4 {
			t.Errorf("got %d attempts of the inner call, want 4", runs.Load())
		}
	})
}

// TestRetriesNeverExceedABudget: a caller that retries at once, no more runs than there is money for.
func TestRetriesNeverExceedABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs, tool, again := failing(t, 1<<60)
		r := newRig(t, budget.Options{Session: budget.Limits{Cost: 41}, Tenant: budget.Limits{Cost: 100}}, tool, again)
		var all sync.WaitGroup
		for n := range 60 {
			s := toolkit.Session{Tenant: "t", ID: fmt.Sprint(n % 3)}
			all.Go(func() { _, _ = r.handle(toolkit.WithSession(t.Context(), s), toolkit.Call{Name: "two"}) })
		}
		all.Wait()
		if runs.Load() != 50 {
			t.Errorf("got %d attempts at 2 each, want all that 100 pay for: 50", runs.Load())
		}
	})
}

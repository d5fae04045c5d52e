// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// Each attempt has its own clock, waits are no running time, and a budget pays for each
// attempt.
func TestAttemptsTimeAndCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		again, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, Attempts: 3, BaseDelay: time.Hour,
			MaxDelay: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		money, err := budget.New(budget.Options{Session: budget.Limits{Cost: 6, Time: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		def := toolkit.Definition{Name: "slow", ReadOnly: toolkit.Yes, Cost: 1, Timeout: 10 * time.Second}
		var seen tooltest.Recorder
		runs := 0
		h := toolkit.Observe(func(string) *toolkit.Definition { return &def },
			&seen)(middleware.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if runs++; runs%3 == 0 {
				return toolkit.Result{Output: "at last"}, nil
			}
			return heeds(ctx, call)
		}, policy(t, timeout.Options{}), again, money))
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
		for n, want := range []string{"at last", "at last", "of 6 there is 0 left, and this call costs 1"} {
			res, err := h(ctx, toolkit.Call{Name: "slow"})
			if n == 2 {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("a third call: got %q, %v", res.Output, err)
				}
				continue
			}
			if err != nil || res.Output != want {
				t.Errorf("call %d: got %q, %v", n, res.Output, err)
			}
			e := seen.TakeAll()[0]
			if s := e.Disposition; s.Attempts != 3 || s.Run != 20*time.Second || s.Backoff == 0 {
				t.Errorf("call %d: got %d attempts, ran for %v, waited for %v, want 3, 20s and some hours", n, s.Attempts, s.Run, s.Backoff)
			}
		}
	})
}

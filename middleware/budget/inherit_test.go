// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/toolkit"
)

// With other limits no caller starts at zero: what was used up counts, and so does what runs meanwhile.
func TestOtherLimitsForgetNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := toolkit.Session{Tenant: "t", ID: "s"}
		ctx := toolkit.WithSession(t.Context(), s)
		release := make(chan struct{})
		tool := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.ID == "waits" {
				<-release
			}
			return toolkit.Result{}, nil
		}
		call := func(p *budget.Policy, id string) string {
			_, err := middleware.Wrap(tool, p)(ctx, toolkit.Call{ID: id, Name: "x"})
			switch {
			case err == nil:
				return ""
			case errors.Is(err, toolkit.ErrBudgetExceeded):
				return "refused"
			}
			return fmt.Sprint(err)
		}
		want := func(p *budget.Policy, want string) {
			t.Helper()
			if got := call(p, ""); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		first := policy(t, budget.Options{Session: budget.Limits{Calls: 3}})
		want(first, "")
		want(first, "")
		go call(first, "waits")
		synctest.Wait()
		want(first, "refused")

		more := policy(t, budget.Options{Session: budget.Limits{Calls: 4}, Tenant: budget.Limits{Calls: 9}})
		more.Inherit(first)
		want(more, "")
		want(more, "refused")

		time.Sleep(time.Hour) // no caller counts time yet
		timed := policy(t, budget.Options{Session: budget.Limits{Calls: 100, Time: time.Minute}})
		timed.Inherit(more)
		want(timed, "")
		time.Sleep(2 * time.Minute) // of the call that began under the first one
		want(timed, "refused")
		close(release)
		synctest.Wait()

		less := policy(t, budget.Options{Session: budget.Limits{Calls: 5}})
		less.Inherit(timed)
		want(less, "refused")
		if got := less.Stats(); got != (budget.Stats{Accounts: 1}) {
			t.Errorf("got %+v, want one account", got)
		}
	})
}

func TestWhatIsForgottenIsCounted(t *testing.T) {
	p := policy(t, budget.Options{Session: budget.Limits{Calls: 1}, Keep: 16})
	handle := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }, p)
	for i := range 100 {
		_, _ = handle(toolkit.WithSession(t.Context(), toolkit.Session{ID: fmt.Sprint(i)}), toolkit.Call{Name: "x"})
	}
	if s := p.Stats(); s.Accounts > 16 || s.Accounts+int(s.Forgotten) != 100 {
		t.Errorf("got %+v, want at most 16 and the others forgotten", s)
	}
}

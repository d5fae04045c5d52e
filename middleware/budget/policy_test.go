// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/toolkit"
)

func TestCallsOfTurnSessionAndTenant(t *testing.T) {
	r := newRig(t, budget.Options{Turn: budget.Limits{Calls: 2}, Session: budget.Limits{Calls: 3},
		Tenant: budget.Limits{Calls: 5}}, nil)
	first, second := toolkit.Session{Tenant: "t", ID: "1", Turn: 1}, toolkit.Session{Tenant: "t", ID: "2", Turn: 1}
	r.want("", first, "x")
	r.want("", first, "x")
	r.want("calls turn", first, "x")
	first.Turn = 2
	r.want("", first, "x")
	r.want("calls session", first, "x")
	first.Turn = 3
	r.want("calls session", first, "x")
	r.want("", second, "x")
	r.want("", second, "x")
	second.Turn = 2
	r.want("calls tenant", second, "x")
	second.Tenant = "u" // another tenant's session of the same id
	r.want("", second, "x")
}

func TestTurnsAreTheAgentsOrElseBatches(t *testing.T) {
	r := newRig(t, budget.Options{Turn: budget.Limits{Calls: 1}}, nil)
	r.want("", toolkit.Session{ID: "s", Turn: 1, Batch: "b1"}, "x")
	r.want("calls turn", toolkit.Session{ID: "s", Turn: 1, Batch: "b2"}, "x")
	r.want("", toolkit.Session{ID: "s", Turn: 1, Agent: "other"}, "x")
	r.want("", toolkit.Session{ID: "s", Batch: "b1"}, "x")
	r.want("calls turn", toolkit.Session{ID: "s", Batch: "b1"}, "x")
	r.want("", toolkit.Session{ID: "s", Batch: "b2"}, "x")
}

func TestWhatHasNoScopeIsLetThrough(t *testing.T) {
	r := newRig(t, budget.Options{Turn: budget.Limits{Calls: 1}, Session: budget.Limits{Calls: 2},
		Tenant: budget.Limits{Calls: 2}}, nil)
	for range 3 {
		r.want("unscoped", toolkit.Session{}, "x")
		r.want("unscoped", toolkit.Session{Turn: 7}, "x")
	}
	r.want("unscoped", toolkit.Session{ID: "s"}, "x") // counts for the session
	r.want("unscoped", toolkit.Session{ID: "s", Turn: 1}, "x")
	r.want("calls session", toolkit.Session{ID: "s", Turn: 2}, "x")
	if _, err := r.handle(t.Context(), toolkit.Call{Name: "x"}); err != nil {
		t.Errorf("without a session: got %v", err)
	}
	if tags := r.seen.TakeAll()[0].Disposition.Tags; len(tags) != 1 || tags[0] != (toolkit.Tag{Key: "budget", Value: "unscoped"}) {
		t.Errorf("without a session: got %v", tags)
	}
}

func TestCost(t *testing.T) {
	s := toolkit.Session{ID: "s"}
	r := newRig(t, budget.Options{Session: budget.Limits{Cost: 3}}, nil)
	for range 10 {
		r.want("", s, "tenth")
	}
	r.want("", s, "two")
	r.want("cost session", s, "tenth") // 10 × 0.1 + 2 is 3, to the last bit
	r.want("", s, "free")
	r.want("", toolkit.Session{ID: "r"}, "two")
	r.want("cost session", toolkit.Session{ID: "r"}, "two")
	r.want("", toolkit.Session{ID: "r"}, "tenth")
}

func TestRefusalsSayWhatIsUsedUp(t *testing.T) {
	for _, c := range []struct {
		options budget.Options
		tool    string
		before  int
		want    string
	}{
		{budget.Options{Turn: budget.Limits{Calls: 2}}, "free", 2,
			`tool "free": budget exceeded: the budget of a turn is used up: 2 calls of 2; go on with what you have; the ` +
				`next turn has a budget of its own`},
		{budget.Options{Session: budget.Limits{Cost: 0.25}}, "tenth", 2,
			`tool "tenth": budget exceeded: the budget of a session does not suffice: of 0.25 there is 0.05 left, and ` +
				`this call costs 0.1; go on with what you have`},
		{budget.Options{Tenant: budget.Limits{Time: time.Nanosecond}}, "free", 1,
			`tool "free": budget exceeded: the budget of a tenant is used up: its calls ran for 1ns, all they may; go on ` +
				`with what you have`},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, c.options, func(context.Context, toolkit.Call) (toolkit.Result, error) {
				time.Sleep(time.Second)
				return toolkit.Result{}, nil
			})
			ctx := toolkit.WithSession(t.Context(), toolkit.Session{Tenant: "t", ID: "s", Turn: 1})
			for range c.before {
				if _, err := r.handle(ctx, toolkit.Call{Name: c.tool}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := r.handle(ctx, toolkit.Call{Name: c.tool}); err == nil || err.Error() != c.want {
				t.Errorf("\ngot  %v\nwant %s", err, c.want)
			}
		})
	}
}

// Only what reaches a tool is paid for, and each attempt of it.
func TestWhatAnAttemptCosts(t *testing.T) {
	s := toolkit.Session{ID: "s"}
	note := func(change func(*toolkit.Disposition)) toolkit.Handler {
		return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Record.Note(change)
			return toolkit.Result{}, nil
		}
	}
	for name, c := range map[string]struct {
		tool toolkit.Handler
		want int // how many of the cost of 2 are let through, of 12 and 6 calls
	}{
		"executed":       {nil, 6},
		"refused within": {note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused }), 100},
		"second attempt": {note(func(s *toolkit.Disposition) { s.Attempts = 2 }), 3},
		"third refused":  {note(func(s *toolkit.Disposition) { s.Attempts, s.Outcome = 3, toolkit.OutcomeRefused }), 3},
		"all refused": {note(func(s *toolkit.Disposition) {
			s.Attempts, s.Refused, s.Outcome = 3, 3,
				toolkit.OutcomeRefused
		}), 100},
		"second one ran":   {note(func(s *toolkit.Disposition) { s.Attempts, s.Refused = 3, 2 }), 6},
		"hardly any money": {note(func(s *toolkit.Disposition) { s.Attempts = math.MaxUint16 }), 1},
	} {
		r := newRig(t, budget.Options{Session: budget.Limits{Cost: 12, Calls: 6}}, c.tool)
		let := 0
		for let < 100 {
			if _, err := r.handle(toolkit.WithSession(t.Context(), s), toolkit.Call{Name: "two"}); err != nil {
				break
			}
			let++
		}
		if let != c.want {
			t.Errorf("%s: %d calls were let through, want %d", name, let, c.want)
		}
	}
}

func TestUnobservedCallsHaveTheirCostByLookup(t *testing.T) {
	h := policy(t, budget.Options{Session: budget.Limits{Cost: 3}, Lookup: lookup}).Wrap(nothing)
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	for i := range 2 {
		if _, err := h(ctx, toolkit.Call{Name: "two"}); errors.Is(err, toolkit.ErrBudgetExceeded) != (i == 1) {
			t.Errorf("call %d: got %v", i+1, err)
		}
	}
}

// Hits and refusals of outer policies never get here.
func TestHitsAndRefusalsCostNothing(t *testing.T) {
	stored := middleware.At(middleware.StageCache, func(next toolkit.Handler) toolkit.Handler {
		first := true
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if first {
				first = false
				return next(ctx, call)
			}
			return toolkit.Result{Output: "stored"}, nil
		}
	})
	r := newRig(t, budget.Options{Session: budget.Limits{Calls: 1}}, nil, stored)
	for range 5 {
		r.want("", toolkit.Session{ID: "s"}, "x")
	}
}

func TestTimeCountsRunningOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := toolkit.Session{ID: "s"}
		r := newRig(t, budget.Options{Session: budget.Limits{Time: 10 * time.Second}},
			func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
				time.Sleep(time.Hour) // in a queue
				call.Record.Note(func(s *toolkit.Disposition) { s.Queue += time.Hour })
				time.Sleep(4 * time.Second)
				return toolkit.Result{}, nil
			})
		r.want("", s, "x")
		r.want("", s, "x")
		r.want("", s, "x") // 2 seconds are left: it may run, and is not cut short
		r.want("time session", s, "x")
	})
}

// Time of calls that still run counts already, each of them.
func TestTimeCountsWhileItPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := toolkit.Session{ID: "s"}
		r := newRig(t, budget.Options{Session: budget.Limits{Time: 10 * time.Second}},
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				time.Sleep(time.Minute)
				return toolkit.Result{}, nil
			})
		ctx := toolkit.WithSession(t.Context(), s)
		for range 2 {
			go func() { _, _ = r.handle(ctx, toolkit.Call{Name: "x"}) }()
		}
		time.Sleep(4999 * time.Millisecond)
		go func() { _, _ = r.handle(ctx, toolkit.Call{Name: "x"}) }()
		synctest.Wait()
		if n := r.seen.Len(); n != 0 {
			t.Errorf("%d calls have ended, want 0: 2 ms are left", n)
		}
		time.Sleep(time.Millisecond)
		r.want("time session", s, "x")
		time.Sleep(time.Hour)
	})
}

func TestPanicAndGoexitAreSettled(t *testing.T) {
	end := func() { panic("boom") }
	h := policy(t, budget.Options{Session: budget.Limits{Calls: 3, Time: time.Hour}}).Wrap(
		func(context.Context, toolkit.Call) (toolkit.Result, error) {
			end()
			return toolkit.Result{}, nil
		})
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s"})
	for range 2 {
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			_, _ = h(ctx, toolkit.Call{Name: "x"})
		}()
		<-done
		end = runtime.Goexit
	}
	end = func() {}
	for i := range 2 {
		if _, err := h(ctx, toolkit.Call{Name: "x"}); errors.Is(err, toolkit.ErrBudgetExceeded) != (i == 1) {
			t.Errorf("call %d after two that did not return: got %v", i+1, err)
		}
	}
}

func TestOptionsThatContradict(t *testing.T) {
	for _, c := range []struct {
		options budget.Options
		want    string
	}{
		{budget.Options{}, "budget: Options.Turn, Session, Tenant: got no limit, want at least one"},
		{budget.Options{Turn: budget.Limits{Calls: -1}}, "budget: Options.Turn.Calls: got -1, want 1 or more, or 0 for no limit"},
		{budget.Options{Session: budget.Limits{Time: -1}},
			"budget: Options.Session.Time: got -1ns, want a time above 0, or 0 for no limit"},
		{budget.Options{Tenant: budget.Limits{Cost: math.NaN()}},
			"budget: Options.Tenant.Cost: got NaN, want a number above 0, at most 1e+09, or 0 for no limit"},
		{budget.Options{Tenant: budget.Limits{Cost: math.Inf(1)}},
			"budget: Options.Tenant.Cost: got +Inf, want a number above 0, at most 1e+09, or 0 for no limit"},
		{budget.Options{Turn: budget.Limits{Calls: 9}, Tenant: budget.Limits{Calls: 8}},
			"budget: Options.Turn.Calls: got 9, more than Tenant.Calls, want at most 8"},
		{budget.Options{Session: budget.Limits{Cost: 0.5}, Tenant: budget.Limits{Cost: 0.25}},
			"budget: Options.Session.Cost: got 0.5, more than Tenant.Cost, want at most 0.25"},
		{budget.Options{Turn: budget.Limits{Time: time.Hour}, Session: budget.Limits{Time: time.Minute}},
			"budget: Options.Turn.Time: got 1h0m0s, more than Session.Time, want at most 1m0s"},
		{budget.Options{Turn: budget.Limits{Calls: 1}, Keep: -1}, "budget: Options.Keep: got -1, want more than 0, or 0 for 10000"},
		{budget.Options{Turn: budget.Limits{Calls: 1}, Idle: -1}, "budget: Options.Idle: got -1ns, want more than 0, or 0 for 24h0m0s"},
	} {
		if _, err := budget.New(c.options); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

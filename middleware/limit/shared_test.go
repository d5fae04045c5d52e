// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/limit/limittest"
	"github.com/toolscope/toolscope/toolkit"
)

func TestRatesOfOneProcess(t *testing.T) {
	limittest.Run(t, func() limit.Rates { return limit.NewRates(0) })
}

// awayRates is a store that can be switched off.
type awayRates struct {
	limit.Rates
	away bool
}

func (a *awayRates) Take(ctx context.Context, asks []limit.Ask) (int, time.Duration, error) {
	if a.away {
		return 0, 0, errors.New("no answer")
	}
	return a.Rates.Take(ctx, asks)
}

func TestPoliciesShareRates(t *testing.T) {
	store := &awayRates{Rates: limit.NewRates(0)}
	handler := func(when limit.WhenAway, wait time.Duration) (middleware.Policy, toolkit.Handler) {
		p, err := limit.New(limit.Options{Rate: limit.Rate{
			Global: toolkit.RateLimit{MaxCalls: 2, Window: time.Minute}, Store: store, WhenAway: when, MaxWait: wait,
		}})
		if err != nil {
			t.Fatal(err)
		}
		return p, p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "ran"}, nil })
	}
	p, one := handler(limit.GoLocal, 0)
	_, two := handler(limit.Refuse, 10*time.Millisecond)
	call := toolkit.Call{Name: "tool"}
	kind := func(h toolkit.Handler) string {
		_, err := h(t.Context(), call)
		if err == nil {
			return ""
		}
		return toolkit.TypeOf(err)
	}
	for i, want := range []string{"", "", "rate_limited"} {
		if got := kind([]toolkit.Handler{one, two}[i%2]); got != want {
			t.Errorf("call %d: got %q, want %q", i, got, want)
		}
	}
	if got := kind(two); got != "rate_limited" {
		t.Errorf("a call that waits: got %q, want it refused, as the wait is longer than it may be", got)
	}
	store.away = true
	if got := kind(two); got != "overloaded" {
		t.Errorf("store away, refuse: got %q, want overloaded", got)
	}
	// One call was counted here before, so one more is admitted.
	if got := kind(one) + kind(one); got != "rate_limited" {
		t.Errorf("store away, local: got %q, want one call admitted and one refused", got)
	}
	problems := p.(interface{ Problems() []string })
	if len(problems.Problems()) != 1 {
		t.Error("the policy reports no problem while the store is away")
	}
	store.away = false
	kind(one)
	if len(problems.Problems()) != 0 {
		t.Error("the policy reports a problem after the store has answered")
	}
}

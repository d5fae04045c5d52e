// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package limittest has the tests that any store of rate limits must pass:
//
//	func TestRates(t *testing.T) {
//		limittest.Run(t, func() limit.Rates { return newStore(t) })
//	}
package limittest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

// Run runs the tests, each on an empty store that newStore makes.
func Run(t *testing.T, newStore func() limit.Rates) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, limit.Rates)
	}{
		{"a window lets as many in as it may", window},
		{"all windows or none", allOrNone},
		{"windows are apart", apart},
		{"all at once", concurrent},
		{"the window slides", slides},
		{"limits that differ", differ},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore()) })
	}
}

func ask(scope limit.Scope, tenant, name string, calls int, window time.Duration) limit.Ask {
	return limit.Ask{Scope: scope, Tenant: tenant, Name: name, Limit: toolkit.RateLimit{MaxCalls: calls, Window: window}}
}

func take(t *testing.T, s limit.Rates, asks ...limit.Ask) (blocked int, after time.Duration) {
	t.Helper()
	blocked, after, err := s.Take(context.Background(), asks)
	if err != nil {
		t.Fatalf("Take: %v", err)
	}
	return blocked, after
}

func window(t *testing.T, s limit.Rates) {
	a := ask(limit.ScopeGlobal, "", "", 3, time.Minute)
	for i := range 3 {
		if blocked, _ := take(t, s, a); blocked != -1 {
			t.Fatalf("call %d: got blocked by %d, want it counted", i, blocked)
		}
	}
	if blocked, after := take(t, s, a); blocked != 0 || after <= 30*time.Second || after > time.Minute {
		t.Errorf("got blocked by %d for %v, want by 0 for about a minute", blocked, after)
	}
	if blocked, _ := take(t, s); blocked != -1 {
		t.Errorf("no window: got blocked by %d, want -1", blocked)
	}
}

func allOrNone(t *testing.T, s limit.Rates) {
	wide, narrow := ask(limit.ScopeGlobal, "", "", 2, time.Minute), ask(limit.ScopeTool, "", "tool", 1, time.Minute)
	take(t, s, wide, narrow)
	for range 5 {
		if blocked, _ := take(t, s, wide, narrow); blocked != 1 {
			t.Fatalf("got blocked by %d, want by the second window", blocked)
		}
	}
	if blocked, _ := take(t, s, wide); blocked != -1 {
		t.Error("a call that the second window blocked was counted in the first")
	}
	long := ask(limit.ScopeKey, "t", "k", 1, time.Hour)
	take(t, s, long)
	if blocked, after := take(t, s, wide, narrow, long); blocked != 2 || after <= time.Minute {
		t.Errorf("got blocked by %d for %v, want by the window that allows the call last", blocked, after)
	}
}

func apart(t *testing.T, s limit.Rates) {
	for _, a := range []limit.Ask{
		ask(limit.ScopeTool, "", "x", 1, time.Minute), ask(limit.ScopeTool, "", "y", 1, time.Minute),
		ask(limit.ScopeKey, "", "x", 1, time.Minute), ask(limit.ScopeKey, "x", "", 1, time.Minute),
		ask(limit.ScopeKey, "x", "y", 1, time.Minute), ask(limit.ScopeKey, "xy", "", 1, time.Minute),
		ask(limit.ScopeKey, "x\"\"y", "", 1, time.Minute),
	} {
		if blocked, _ := take(t, s, a); blocked != -1 {
			t.Errorf("%+v: got blocked, want a window of its own", a)
		}
	}
}

func concurrent(t *testing.T, s limit.Rates) {
	a := ask(limit.ScopeGlobal, "", "", 20, time.Minute)
	var counted atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				if blocked, _, err := s.Take(context.Background(), []limit.Ask{a}); err != nil {
					t.Error(err)
				} else if blocked == -1 {
					counted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := counted.Load(); n != 20 {
		t.Errorf("got %d calls counted, want 20", n)
	}
}

func slides(t *testing.T, s limit.Rates) {
	a := ask(limit.ScopeGlobal, "", "", 2, 300*time.Millisecond)
	take(t, s, a)
	take(t, s, a)
	began := time.Now()
	for {
		blocked, after := take(t, s, a)
		if blocked == -1 {
			break
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal("the window never opened again")
		}
		<-time.After(after)
	}
}

// differ has two processes that share a window and limit it differently, as while a configuration changes.
func differ(t *testing.T, s limit.Rates) {
	long, short := ask(limit.ScopeGlobal, "", "", 3, time.Hour), ask(limit.ScopeGlobal, "", "", 1, time.Microsecond)
	for i, a := range []limit.Ask{long, short, long} {
		for { // until a microsecond has passed
			if blocked, _ := take(t, s, a); blocked == -1 {
				break
			} else if a == long {
				t.Fatalf("call %d: got it blocked, want it counted", i)
			}
		}
	}
	for i := range 2 {
		if blocked, after := take(t, s, long); blocked != 0 || after < 50*time.Minute {
			t.Errorf("call %d: got blocked by %d for %v, want for about an hour: three began in it", i, blocked, after)
		}
		for blocked := 0; blocked != -1; blocked, _ = take(t, s, short) {
		}
	}
	if blocked, after := take(t, s, ask(limit.ScopeGlobal, "", "", 5, 2*time.Hour)); blocked != 0 || after < time.Hour {
		t.Errorf("got blocked by %d for %v, want for about two hours: all calls count", blocked, after)
	}
}

func over(t *testing.T, s limit.Rates) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := s.Take(ctx, []limit.Ask{ask(limit.ScopeGlobal, "", "", 1, time.Minute)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

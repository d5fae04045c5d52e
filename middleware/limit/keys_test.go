// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestUnkeyedCallsHaveNoLimitPerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerKey: 1},
			Rate: limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: 1, Window: time.Hour}}})
		release := make(chan struct{})
		var seen tooltest.Recorder
		for range 3 {
			go observed(p, toolkit.Definition{}, holding(release), &seen)(t.Context(), toolkit.Call{})
		}
		synctest.Wait()
		if s := p.Stats(); s.Running != 3 || s.Unkeyed != 3 {
			t.Errorf("got %+v, want 3 running, 3 without a key", s)
		}
		close(release)
		synctest.Wait()
		for _, e := range seen.All() {
			if len(e.Disposition.Tags) != 1 || tags(e)["limit"] != "unscoped" {
				t.Errorf("got %v, want unscoped, once", e.Disposition.Tags)
			}
		}
	})
}

func TestKeysAreTheHostsToSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{
			Concurrency: limit.Concurrency{PerKey: 1, Queue: -1},
			Key:         func(_ context.Context, call toolkit.Call) string { return call.Name[:3] },
		})
		release := make(chan struct{})
		go p.Wrap(holding(release))(t.Context(), toolkit.Call{Name: "db_read"})
		synctest.Wait()
		if _, err := p.Wrap(quick)(t.Context(), toolkit.Call{Name: "db_write"}); !errors.Is(err, toolkit.ErrOverloaded) {
			t.Errorf("got %v, want overloaded", err)
		}
		if _, err := p.Wrap(quick)(t.Context(), toolkit.Call{Name: "web_get"}); err != nil {
			t.Error(err)
		}
		close(release)
	})
}

// A tool that calls tools through the same policy would wait for its own slot.
func TestExemptToolsTakeNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{Global: 1}, Exempt: []string{"agent"}})
		var h toolkit.Handler
		h = p.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.Name == "agent" {
				return h(ctx, toolkit.Call{Name: "read"})
			}
			return toolkit.Result{Output: "read"}, nil
		})
		if res, err := h(t.Context(), toolkit.Call{Name: "agent"}); err != nil || res.Output != "read" {
			t.Errorf("got %q, %v", res.Output, err)
		}
	})
}

// A gate is not forgotten while a call is on its way to it, however many others there are.
func TestAGateOnTheWayIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerKey: 1, PerTool: 1}})
		busy, release := make(chan struct{}), make(chan struct{})
		var inside counter
		search := p.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			inside.enter()
			defer inside.now.Add(-1)
			return holding(release)(ctx, call)
		})
		go p.Wrap(holding(busy))(session(t.Context(), "a"), toolkit.Call{Name: "other"})
		synctest.Wait()
		go search(session(t.Context(), "a"), toolkit.Call{Name: "search"}) // waits for a's other call
		synctest.Wait()
		for i := range 600 {
			p.Wrap(quick)(session(t.Context(), fmt.Sprint(i)), toolkit.Call{Name: fmt.Sprint("tool", i)})
		}
		go p.Wrap(holding(release))(session(t.Context(), "c"), toolkit.Call{Name: "one too many"})
		synctest.Wait()
		p.Wrap(quick)(session(t.Context(), "b"), toolkit.Call{Name: "search"}) // would forget the gate now
		another := make(chan struct{})
		go p.Wrap(holding(another))(session(t.Context(), "d"), toolkit.Call{Name: "another"}) // and this one take it
		synctest.Wait()
		go search(session(t.Context(), "b"), toolkit.Call{Name: "search"})
		synctest.Wait()
		close(another)
		synctest.Wait()
		close(busy)
		synctest.Wait()
		if n := inside.most.Load(); n != 1 {
			t.Errorf("%d searches at once, want 1", n)
		}
		close(release)
	})
}

func TestManyKeysLeaveNothingBehind(t *testing.T) {
	const n = 50_000 // five times the keys that are remembered
	p := policy(t, limit.Options{
		Concurrency: limit.Concurrency{PerKey: 2, PerTool: 2},
		Rate:        limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: 2, Window: time.Hour}},
		Key:         func(_ context.Context, call toolkit.Call) string { return call.ID },
	})
	h := p.Wrap(quick)
	h(t.Context(), toolkit.Call{Name: strings.Repeat("x", 1<<20)}) // a model's idea of a name
	if _, tools := limit.Gates(p); tools != 0 {
		t.Errorf("%d gates of tools are kept, want none of such a name", tools)
	}
	for i := range n {
		if _, err := h(t.Context(), toolkit.Call{Name: fmt.Sprint("tool", i), ID: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if s := p.Stats(); s.Forgotten < uint64(n-10_000-16) || s.Running != 0 {
		t.Errorf("got %+v, want at most %d keys remembered", s, 10_000)
	}
	if keys, tools := limit.Gates(p); keys > 257 || tools > 257 {
		t.Errorf("%d gates of keys and %d of tools are kept, want at most 257 of each", keys, tools)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/toolkit"
)

// Whatever is called at once: no budget is exceeded, none is used up before
// its time, and in the end what ran is what was counted.
func TestABurstNeverExceedsABudget(t *testing.T) {
	const perTurn, perSession, perTenant = 7, 20, 90
	var ran, running, peak atomic.Int64
	type owner struct {
		id   string
		turn int
	}
	var mu sync.Mutex
	ranOf := map[owner]int{}
	r := newRig(t, budget.Options{
		Turn: budget.Limits{Calls: perTurn}, Session: budget.Limits{Calls: perSession},
		Tenant: budget.Limits{Calls: perTenant, Cost: 100},
	}, func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if call.Arguments != nil { // reaches no tool: given back
			call.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
			return toolkit.Result{}, toolkit.ErrCircuitOpen
		}
		peak.Store(max(peak.Load(), running.Add(1)))
		defer running.Add(-1)
		ran.Add(1)
		s := toolkit.SessionFrom(ctx)
		mu.Lock()
		ranOf[owner{s.ID, s.Turn}]++
		ranOf[owner{s.ID, 0}]++
		mu.Unlock()
		return toolkit.Result{}, nil
	})
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(5, uint64(g)))
			for range 300 {
				s := toolkit.Session{Tenant: "t", ID: strconv.Itoa(rng.IntN(6)), Turn: 1 + rng.IntN(4)}
				call := toolkit.Call{Name: []string{"free", "tenth"}[rng.IntN(2)]}
				if rng.IntN(2) == 0 {
					call.Arguments = []byte("{}")
				}
				_, err := r.handle(toolkit.WithSession(context.Background(), s), call)
				if err != nil && !errors.Is(err, toolkit.ErrBudgetExceeded) && !errors.Is(err, toolkit.ErrCircuitOpen) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	wg.Wait()
	for o, n := range ranOf {
		if most := map[bool]int{true: perSession, false: perTurn}[o.turn == 0]; n > most {
			t.Errorf("session %s, turn %d: %d calls ran, want at most %d", o.id, o.turn, n, most)
		}
	}
	if ran.Load() > perTenant {
		t.Errorf("%d calls ran, want at most %d", ran.Load(), perTenant)
	}
	// One after the other, what is left can be had, to the last call.
	for i := range 6 {
		for turn := 1; turn <= 4; turn++ {
			for range perTurn {
				_, _ = r.handle(toolkit.WithSession(t.Context(), toolkit.Session{Tenant: "t", ID: strconv.Itoa(i), Turn: turn}),
					toolkit.Call{Name: "free"})
			}
		}
	}
	if ran.Load() != perTenant {
		t.Errorf("%d calls ran in the end, want all %d: what was given back must be there again", ran.Load(), perTenant)
	}
}

func TestManySessions(t *testing.T) {
	const many = 100_000 // a hundred times what is kept
	p := policy(t, budget.Options{Session: budget.Limits{Calls: 1}, Turn: budget.Limits{Calls: 1}, Keep: 1000})
	h := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	for i := range many {
		if _, err := h(toolkit.WithSession(context.Background(), toolkit.Session{ID: strconv.Itoa(i), Turn: 1}),
			toolkit.Call{}); err != nil {
			t.Fatalf("session %d: got %v", i, err)
		}
	}
	if n := p.Stats().Accounts; n > 2*1008 {
		t.Errorf("%d accounts are kept, want at most 2000 and what rounding adds", n)
	}
}

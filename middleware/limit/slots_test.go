// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

// counter counts who is inside, and the most there ever were.
type counter struct{ now, most atomic.Int64 }

func (c *counter) enter() {
	n := c.now.Add(1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
}

// Whatever the interleaving: never more than the limits run, everybody comes through or is
// refused, and nothing is abandoned by those who gave up, panicked or ended their
// goroutine.
func TestSlotsHoldWhateverTheInterleaving(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			order := limit.Order(seed % 2)
			options := limit.Concurrency{Global: 7, PerTool: 4, PerKey: 3, Tools: map[string]int{"tool0": 1, "tool3": 0},
				Queue: 400, QueuePerKey: -1, Order: order}
			p := policy(t, limit.Options{Concurrency: options})
			var all counter
			tools, keys := make([]counter, 4), make([]counter, 5)
			var ran, refused, gone atomic.Int64
			h := p.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				var tool, key, end int
				fmt.Sscanf(call.ID, "%d %d %d", &tool, &key, &end)
				for _, c := range []*counter{&all, &tools[tool], &keys[key]} {
					c.enter()
					defer c.now.Add(-1)
				}
				ran.Add(1)
				for range end {
					runtime.Gosched()
				}
				switch end {
				case 1:
					panic("boom")
				case 2:
					runtime.Goexit()
				}
				return toolkit.Result{}, nil
			})
			const calls = 2000
			var wg sync.WaitGroup
			for g := range calls {
				random := rand.New(rand.NewPCG(seed, uint64(g)))
				wg.Go(func() {
					defer func() { recover() }()
					tool, key, end := random.IntN(4), random.IntN(5), random.IntN(8)
					ctx, cancel := context.WithCancel(session(t.Context(), fmt.Sprint(key)))
					defer cancel()
					if random.IntN(3) == 0 {
						wg.Go(func() {
							for range random.IntN(50) {
								runtime.Gosched()
							}
							cancel()
						})
					}
					_, err := h(ctx, toolkit.Call{Name: fmt.Sprintf("tool%d", tool), ID: fmt.Sprint(tool, key, end)})
					switch {
					case errors.Is(err, toolkit.ErrOverloaded):
						refused.Add(1)
					case errors.Is(err, toolkit.ErrCanceled):
						gone.Add(1)
					case err != nil:
						t.Errorf("got %v", err)
					}
				})
			}
			wg.Wait()
			if sum := ran.Load() + refused.Load() + gone.Load(); sum != calls {
				t.Errorf("%d ran, %d refused, %d gone: got %d calls, want %d", ran.Load(), refused.Load(), gone.Load(), sum, calls)
			}
			if most := all.most.Load(); most > 7 {
				t.Errorf("%d calls at once, want at most 7", most)
			}
			for i := range tools {
				if most, want := tools[i].most.Load(), []int64{1, 4, 4, 7}[i]; most > want {
					t.Errorf("%d calls of tool%d at once, want at most %d", most, i, want)
				}
			}
			for i := range keys {
				if most := keys[i].most.Load(); most > 3 {
					t.Errorf("%d calls of session %d at once, want at most 3", most, i)
				}
			}
			if s := p.Stats(); s.Running != 0 || s.Waiting != 0 {
				t.Errorf("at the end: got %+v, want nothing", s)
			}
			stillWhole(t, p)
		})
	}
}

// stillWhole fills the policy to its limits: no slot was lost.
func stillWhole(t *testing.T, p *limit.Policy) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := p.Wrap(holding(release))
		for i := range 7 {
			go h(session(t.Context(), fmt.Sprint("late", i/3)), toolkit.Call{Name: fmt.Sprint("other", i/4)})
		}
		synctest.Wait()
		if s := p.Stats(); s.Running != 7 || s.Waiting != 0 {
			t.Errorf("filled to its limits: got %+v, want 7 running, none waiting", s)
		}
		close(release)
	})
}

// line begins calls one after the other, ids as "key number", while another holds the only
// slot, and returns the order they ran in.
func line(t *testing.T, o limit.Order, ids ...string) (ran []string) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{Global: 1, Order: o}})
		release := make(chan struct{})
		go p.Wrap(holding(release))(t.Context(), toolkit.Call{})
		synctest.Wait()
		h := p.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			ran = append(ran, call.ID)
			return toolkit.Result{}, nil
		})
		for _, id := range ids {
			go h(session(t.Context(), id[:1]), toolkit.Call{ID: id})
			synctest.Wait()
		}
		close(release)
		synctest.Wait()
	})
	return ran
}

func TestWhoComesFirst(t *testing.T) {
	came := []string{"a1", "a2", "a3", "a4", "b1", "b2", "c1"}
	for order, want := range map[limit.Order]string{
		limit.FIFO:       "a1 a2 a3 a4 b1 b2 c1",
		limit.RoundRobin: "a1 b1 c1 a2 b2 a3 a4",
	} {
		if got := strings.Join(line(t, order, came...), " "); got != want {
			t.Errorf("order %d: got %s, want %s", order, got, want)
		}
	}
}

// With k keys waiting, the n-th call of a key is served within n*k turns, a caller that came
// before it and however many calls others have.
func TestNoKeyStarves(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		keys := 1 + random.IntN(5)
		var came []string
		number := map[byte]int{}
		for range 60 {
			key := byte('a' + random.IntN(keys)*random.IntN(2))
			number[key]++
			came = append(came, fmt.Sprintf("%c%d", key, number[key]))
		}
		served := map[byte]int{}
		for turn, id := range line(t, limit.RoundRobin, came...) {
			var key byte
			var n int
			fmt.Sscanf(id, "%c%d", &key, &n)
			if turn >= n*len(number) {
				t.Errorf("seed %d: %s ran in turn %d, want before %d", seed, id, turn, n*len(number))
			}
			if served[key]++; served[key] != n {
				t.Errorf("seed %d: %s ran as the key's number %d", seed, id, served[key])
			}
		}
	}
}

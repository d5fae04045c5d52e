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
	"time"

	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// counter counts who is inside, and the most there ever were.
type counter struct{ now, most atomic.Int64 }

func (c *counter) enter() {
	n := c.now.Add(1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
}

// Whatever the interleaving: never more than the limits run, everybody comes through or is
// refused, and nothing is left behind by those who gave up, panicked or ended their
// goroutine.
func TestSlotsHoldWhateverTheInterleaving(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			order := limit.Order(seed % 2)
			options := limit.Concurrency{Global: 7, PerTool: 4, PerKey: 3, Tools: map[string]int{"tool0": 1, "tool3": 0}, Queue: 400, QueuePerKey: -1, Order: order}
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
		limit.FIFO:    "a1 a2 a3 a4 b1 b2 c1",
		limit.ByTurns: "a1 b1 c1 a2 b2 a3 a4",
	} {
		if got := strings.Join(line(t, order, came...), " "); got != want {
			t.Errorf("order %d: got %s, want %s", order, got, want)
		}
	}
}

// With k keys waiting, the n-th call of a key is served within n*k turns, whoever came
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
		for turn, id := range line(t, limit.ByTurns, came...) {
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

func TestAFullToolHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{Global: 3, Tools: map[string]int{"slow": 1}}})
		release := make(chan struct{})
		slow := p.Wrap(holding(release))
		for i := range 5 {
			go slow(session(t.Context(), fmt.Sprint(i)), toolkit.Call{Name: "slow"})
		}
		synctest.Wait()
		if _, err := p.Wrap(quick)(t.Context(), toolkit.Call{Name: "fast"}); err != nil {
			t.Error(err)
		}
		if s := p.Stats(); s.Running != 1 || s.Waiting != 4 {
			t.Errorf("got %+v, want one running and four waiting", s)
		}
		close(release)
		synctest.Wait()
		if s := p.Stats(); s.Running != 0 || s.Waiting != 0 {
			t.Errorf("got %+v, want nobody", s)
		}
	})
}

func TestWaitIsMeasuredAndTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen tooltest.Recorder
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerTool: 1}})
		h := observed(p, toolkit.Definition{}, func(context.Context, toolkit.Call) (toolkit.Result, error) {
			time.Sleep(3 * time.Second)
			return toolkit.Result{}, nil
		}, &seen)
		for range 2 {
			go h(t.Context(), toolkit.Call{Name: "x"})
			synctest.Wait()
		}
		time.Sleep(7 * time.Second)
		first, second := seen.All()[0], seen.All()[1]
		if first.Served.Queue != 0 || len(first.Served.Tags) != 0 {
			t.Errorf("who found a slot: got %v, %v, want nothing told", first.Served.Queue, first.Served.Tags)
		}
		if s := second.Served; s.Queue != 3*time.Second || s.Run != 3*time.Second || s.Outcome != toolkit.OutcomeExecuted {
			t.Errorf("who waited: got queue %v, run %v, %v, want 3s, 3s, executed", s.Queue, s.Run, s.Outcome)
		}
		if got := tags(second); got["limit"] != "concurrency" || got["limit.scope"] != "tool" || len(got) != 2 {
			t.Errorf("who waited: got tags %v", got)
		}
	})
}

func TestWhoIsRefused(t *testing.T) {
	why := errors.New("user pressed stop")
	for _, c := range []struct {
		name    string
		options limit.Concurrency
		waiting int
		ctx     func(context.Context) (context.Context, context.CancelFunc)
		want    toolkit.Kind
		cause   error
		after   time.Duration
		scope   limit.Scope
	}{
		{name: "nobody may wait", options: limit.Concurrency{Global: 1, Queue: -1}, want: toolkit.ErrOverloaded, scope: "global"},
		{name: "the queue is full", options: limit.Concurrency{PerTool: 1, Queue: 2}, waiting: 2, want: toolkit.ErrOverloaded, scope: "tool"},
		{name: "the key's share of the queue is full", options: limit.Concurrency{PerKey: 1, Queue: 100, QueuePerKey: 2}, waiting: 2, want: toolkit.ErrOverloaded, scope: "key"},
		{name: "the share is an eighth", options: limit.Concurrency{PerKey: 1, Queue: 17}, waiting: 2, want: toolkit.ErrOverloaded, scope: "key"},
		{name: "too long", options: limit.Concurrency{Global: 1, MaxWait: 5 * time.Second}, want: toolkit.ErrOverloaded, after: 5 * time.Second, scope: "global"},
		{name: "too long by default", options: limit.Concurrency{Global: 1}, want: toolkit.ErrOverloaded, after: time.Minute, scope: "global"},
		{name: "cancelled", options: limit.Concurrency{Global: 1}, want: toolkit.ErrCanceled, cause: why, after: 2 * time.Second, scope: "global",
			ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				go func() { time.Sleep(2 * time.Second); cancel(why) }()
				return ctx, func() { cancel(nil) }
			}},
		{name: "deadline", options: limit.Concurrency{Global: 1, MaxWait: -1}, want: toolkit.ErrTimeout, cause: context.DeadlineExceeded, after: 4 * time.Minute, scope: "global",
			ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 4*time.Minute)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen tooltest.Recorder
				p := policy(t, limit.Options{Concurrency: c.options})
				release := make(chan struct{})
				ctx := session(t.Context(), "s")
				for range 1 + c.waiting {
					go p.Wrap(holding(release))(ctx, toolkit.Call{Name: "x"})
				}
				synctest.Wait()
				mine := ctx
				if c.ctx != nil {
					var cancel context.CancelFunc
					mine, cancel = c.ctx(ctx)
					defer cancel()
				}
				_, err := observed(p, toolkit.Definition{}, quick, &seen)(mine, toolkit.Call{Name: "x"})
				if got := toolkit.TypeOf(err); got != string(c.want) {
					t.Errorf("got %v (%s), want %s", err, got, c.want)
				}
				if c.cause != nil && !errors.Is(err, c.cause) {
					t.Errorf("got %v, want the cause %v", err, c.cause)
				}
				if e := refusal(err); c.want == toolkit.ErrOverloaded && (e == nil || e.Scope != c.scope || e.Running != 1 || e.RetryAfter() != 0) {
					t.Errorf("got %+v, want scope %s, 1 running", e, c.scope)
				}
				e := seen.All()[0]
				if e.Served.Outcome != toolkit.OutcomeRefused || e.Served.Queue != c.after || tags(e)["limit.scope"] != string(c.scope) {
					t.Errorf("got %v, queue %v, %v, want refused, %v, %s", e.Served.Outcome, e.Served.Queue, e.Served.Tags, c.after, c.scope)
				}
				close(release)
				synctest.Wait()
				if s := p.Stats(); s.Running != 0 || s.Waiting != 0 {
					t.Errorf("at the end: got %+v, want nobody", s)
				}
			})
		})
	}
}

// A caller who is cancelled in the very moment it gets the slot gives it back.
func TestASlotGrantedTooLateIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{Global: 1}})
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		go p.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			<-release
			cancel() // the slot is free as soon as this returns
			return toolkit.Result{}, nil
		})(t.Context(), toolkit.Call{})
		synctest.Wait()
		ran := false
		go p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { ran = true; return toolkit.Result{}, nil })(ctx, toolkit.Call{})
		synctest.Wait()
		close(release)
		synctest.Wait()
		if s := p.Stats(); ran || s.Running != 0 || s.Waiting != 0 {
			t.Errorf("ran: %t, %+v: want that the call did not run, and nobody there", ran, s)
		}
	})
}

func TestUnkeyedCallsHaveNoLimitPerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerKey: 1}, Rate: limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: 1, Window: time.Hour}}})
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
			if len(e.Served.Tags) != 1 || tags(e)["limit"] != "unscoped" {
				t.Errorf("got %v, want unscoped, once", e.Served.Tags)
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

func TestAMillionKeysLeaveNothingBehind(t *testing.T) {
	n := 1_000_000
	if testing.Short() || raceEnabled {
		n = 50_000
	}
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
	if s := p.Stats(); s.Forgotten < uint64(n-limit.DefaultMaxKeys-16) || s.Running != 0 {
		t.Errorf("got %+v, want at most %d keys remembered", s, limit.DefaultMaxKeys)
	}
	if keys, tools := limit.Gates(p); keys > 257 || tools > 257 {
		t.Errorf("%d gates of keys and %d of tools are kept, want at most 257 of each", keys, tools)
	}
}

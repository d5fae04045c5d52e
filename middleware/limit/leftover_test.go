// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// deaf is a policy that leaves the tool "deaf" behind after a second.
func deaf(t testing.TB) middleware.Policy {
	t.Helper()
	p, err := timeout.New(timeout.Options{Default: time.Second, Abandon: []string{"deaf"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A slot protects what the tool uses, and the tool uses it until it has ended: not until its call has.
func TestAToolAbandonedKeepsItsSlot(t *testing.T) {
	for name, chain := range map[string]func(p *limit.Policy, tool toolkit.Handler) toolkit.Handler{
		"the limit outside": func(p *limit.Policy, tool toolkit.Handler) toolkit.Handler {
			return middleware.Wrap(tool, p, deaf(t))
		},
		"the time limit outside": func(p *limit.Policy, tool toolkit.Handler) toolkit.Handler {
			return toolkit.Chain(tool, deaf(t).Wrap, p.Wrap)
		},
		"an error wrapped in between": func(p *limit.Policy, tool toolkit.Handler) toolkit.Handler {
			return toolkit.Chain(tool, p.Wrap, func(next toolkit.Handler) toolkit.Handler {
				return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
					res, err := next(ctx, call)
					return res, errors.Join(errors.New("between"), err)
				}
			}, deaf(t).Wrap)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerTool: 1, Global: 2, MaxWait: 5 * time.Second}})
				var inside counter
				release := make(chan struct{})
				h := chain(p, func(context.Context, toolkit.Call) (toolkit.Result, error) {
					inside.enter()
					defer inside.now.Add(-1)
					<-release
					return toolkit.Result{Output: "late"}, nil
				})
				if _, err := h(t.Context(), toolkit.Call{ID: "1", Name: "deaf"}); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("got %v, want a timeout", err)
				}
				if s := p.Stats(); s.Running != 1 || name != "the time limit outside" && s.Abandoned != 1 {
					t.Errorf("abandoned: got %+v, want one that runs", s)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if name != "the time limit outside" { // there the second one is left waiting, as the first one's tool is
					_, err := h(ctx, toolkit.Call{ID: "2", Name: "deaf"})
					if !errors.Is(err, toolkit.ErrOverloaded) ||
						!strings.Contains(err.Error(), "and as many do, 1 of them abandoned by a time limit: try again later") {
						t.Errorf("the second: got %v, want it refused", err)
					}
				}
				var waiting sync.WaitGroup
				waiting.Go(func() {
					if res, err := h(ctx, toolkit.Call{ID: "3", Name: "deaf"}); res.Output != "late" {
						t.Errorf("the third: got %v, %v, want that it runs when the first one's tool has ended", res.Output, err)
					}
				})
				synctest.Wait()
				close(release)
				waiting.Wait()
				synctest.Wait()
				if s := p.Stats(); s != (limit.Stats{}) || inside.most.Load() != 1 {
					t.Errorf("at the end: got %+v, %d at once, want nothing and 1", s, inside.most.Load())
				}
			})
		})
	}
}

func TestASlotThatIsHeldIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerTool: 1}})
		var seen tooltest.Recorder
		release := make(chan struct{})
		h := toolkit.Observe(nil, &seen)(middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			<-release
			return toolkit.Result{}, nil
		}, p, deaf(t)))
		_, _ = h(t.Context(), toolkit.Call{Name: "deaf"})
		close(release)
		synctest.Wait()
		if got := seen.All()[0].Disposition.Tags; len(got) == 0 || got[len(got)-1] != (toolkit.Tag{Key: "limit", Value: "held"}) {
			t.Errorf("got the tags %v, want limit=held", got)
		}
	})
}

// A tool that calls another one which is abandoned has ended when it returns.
func TestACallerOfAToolAbandonedHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerTool: 1}})
		release := make(chan struct{})
		var h toolkit.Handler
		h = middleware.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.Name == "agent" {
				return h(ctx, toolkit.Call{ID: "2", Name: "deaf"})
			}
			<-release
			return toolkit.Result{}, nil
		}, p, deaf(t))
		if _, err := h(t.Context(), toolkit.Call{ID: "1", Name: "agent"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want a timeout", err)
		}
		if s := p.Stats(); s.Running != 1 || s.Abandoned != 1 {
			t.Errorf("got %+v, want the slot of the inner call alone", s)
		}
		close(release)
		synctest.Wait()
	})
}

// Whatever the interleaving of ends and time limits, never more tools run than there are slots, further
// attempts included, and none is lost.
func TestSlotsHoldForToolsAbandoned(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			p := policy(t, limit.Options{Concurrency: limit.Concurrency{PerTool: 3, MaxWait: 4 * time.Second}})
			again, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, Tools: []string{"deaf"}})
			if err != nil {
				t.Fatal(err)
			}
			var inside counter
			h := middleware.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
				inside.enter()
				defer inside.now.Add(-1)
				time.Sleep(time.Duration(call.Arguments[0]) * time.Second / 4) // 1 s is the limit: both end at once
				if call.Arguments[0] == 7 {
					panic("late")
				}
				return toolkit.Result{}, nil
			}, p, again, deaf(t))
			random := rand.New(rand.NewPCG(seed, 1))
			var calls sync.WaitGroup
			for range 200 {
				takes, begins, lasts := byte(random.IntN(10)), time.Duration(random.IntN(40))*time.Second/4,
					time.Duration(random.IntN(20))*time.Second/4
				calls.Go(func() {
					defer func() { _ = recover() }()
					time.Sleep(begins)
					ctx, cancel := context.WithTimeout(t.Context(), lasts)
					defer cancel()
					_, _ = h(ctx, toolkit.Call{Name: "deaf", Arguments: []byte{takes}})
				})
			}
			calls.Wait()
			time.Sleep(time.Minute)
			if s := p.Stats(); s != (limit.Stats{}) || inside.most.Load() != 3 || inside.now.Load() != 0 {
				t.Errorf("seed %d: got %+v, %d inside, %d at most, want none, none and 3", seed, s, inside.now.Load(), inside.most.Load())
			}
		})
	}
}

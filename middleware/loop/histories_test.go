// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/loop/looptest"
	"github.com/toolscope/toolscope/toolkit"
)

func TestHistoriesOfOneProcess(t *testing.T) { looptest.Run(t, loop.NewHistories) }

type awayHistories struct {
	loop.Histories
	away atomic.Bool
}

func (a *awayHistories) Add(ctx context.Context, k loop.HistoryKey, event []byte, after uint64) (loop.Events, error) {
	if a.away.Load() {
		return loop.Events{}, errors.New("no answer")
	}
	return a.Histories.Add(ctx, k, event, after)
}

// TestProcessesNoticeLoopsAsOneDoes makes the same random calls in one process, and in one of three for each: each call
// ends the same.
func TestProcessesNoticeLoopsAsOneDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		o := loop.Options{Default: loop.Thresholds{Signal: 2, Advice: 3, Stop: 4}, Window: 16}
		alone := newRig(t, o)
		o.Histories = &awayHistories{Histories: loop.NewHistories()}
		fleet := []*rig{newRig(t, o), newRig(t, o), newRig(t, o)}
		for i := range 100 {
			arguments := fmt.Sprintf(`{"n":%d}`, random.IntN(3))
			fails := random.IntN(4) == 0
			answer := func(toolkit.Call) (toolkit.Result, error) {
				if fails {
					return toolkit.Result{}, errors.New("failed")
				}
				return toolkit.Result{Output: "x"}, nil
			}
			one := fleet[random.IntN(len(fleet))]
			one.answer, alone.answer = answer, answer
			call := toolkit.Call{Name: "read", Arguments: []byte(arguments)}
			ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
			res, err := one.handle(ctx, call)
			want, wantErr := alone.handle(ctx, call)
			if res.Output != want.Output || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("call %d: got %q, %v, want %q, %v as in one process", i, res.Output, err, want.Output, wantErr)
			}
		}
	}
}

// TestHistoriesGoOnHereWhileTheyAreAway stops a loop of one process while the store does not answer.
func TestHistoriesGoOnHereWhileTheyAreAway(t *testing.T) {
	store := &awayHistories{Histories: loop.NewHistories()}
	o := loop.Options{Default: loop.Thresholds{Stop: 4}, Histories: store}
	p := policy(t, o)
	ran := 0
	handle := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { ran++; return toolkit.Result{}, nil })
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	for i := range 6 {
		store.away.Store(i == 1 || i == 2)
		_, err := handle(ctx, toolkit.Call{Name: "read"})
		if i == 2 && len(p.Problems()) != 1 || i == 3 && len(p.Problems()) != 0 {
			t.Errorf("call %d: got the problems %q", i, p.Problems())
		}
		if want := i == 3; want != (toolkit.TypeOf(err) == "loop_detected") && i < 4 {
			t.Errorf("call %d: got %v, want it refused: %t", i, err, want)
		}
	}
	errs := 0.0
	p.Figures(func(_ string, value float64) { errs = value })
	if errs != 2 {
		t.Errorf("got %v store_errors, want 2", errs)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

func TestAToolThatNeverReturnsIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, timeout.Options{Default: time.Second, Abandon: []string{"deaf"}, MaxAbandoned: 2})
		release := make(chan struct{})
		h, seen := observed(p, toolkit.Definition{Name: "deaf"}, func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			<-release
			if call.Record.Note(func(s *toolkit.Disposition) { s.Queue = time.Hour }); call.Arguments[0] != '{' {
				t.Error("the arguments were changed below the tool")
			}
			return toolkit.Result{Output: "too late"}, nil
		})
		for i := range 2 {
			arguments := []byte(`{}`)
			start := time.Now()
			res, err := h(t.Context(), toolkit.Call{Name: "deaf", Arguments: arguments})
			clear(arguments)
			if !errors.Is(err, context.DeadlineExceeded) ||
				!strings.Contains(err.Error(), "it ran for 1s, and one attempt may run for 1s; it does not heed being "+
					"stopped and was abandoned") || res.Output != "" {
				t.Errorf("got %v, %v", res.Output, err)
			}
			if took := time.Since(start); took != time.Second || p.Abandoned() != i+1 {
				t.Errorf("it took %v, %d are abandoned, want 1s and %d", took, p.Abandoned(), i+1)
			}
			e := seen.All()[0]
			if got := tags(t, seen); got["timeout.abandoned"] != "true" || got["timeout.limit"] != "1s" ||
				got["error.type"] != "timeout" || e.Disposition.Queue != 0 || e.Disposition.Run != time.Second {
				t.Errorf("got %v, %v in the queue, ran for %v", got, e.Disposition.Queue, e.Disposition.Run)
			}
		}
		_, err := h(t.Context(), toolkit.Call{Name: "deaf", Arguments: []byte(`{}`)})
		if got := tags(t, seen); !errors.Is(err, toolkit.ErrOverloaded) || got["outcome"] != "refused" ||
			got["error.type"] != "overloaded" {
			t.Errorf("one more than there may be: got %v, %v", err, got)
		}
		close(release)
		synctest.Wait()
		if got := p.Abandoned(); got != 0 {
			t.Errorf("%d are abandoned after all have ended", got)
		}
		if res, err := h(t.Context(), toolkit.Call{Name: "deaf", Arguments: []byte(`{}`)}); err != nil || res.Output != "too late" {
			t.Errorf("with room again: got %v, %v", res.Output, err)
		}
		if e := seen.TakeAll()[0]; e.Disposition.Queue != time.Hour {
			t.Errorf("what was noted in time did not come home: %v", e.Disposition)
		}
	})
}

func TestPanicAndGoexitAreCarriedOver(t *testing.T) {
	p := policy(t, timeout.Options{Abandon: []string{"x"}})
	boom := errors.New("boom")
	h := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { panic(boom) })
	func() {
		defer func() {
			if got := recover(); got != boom {
				t.Errorf("got %v, want the same value", got)
			}
		}()
		_, _ = h(t.Context(), toolkit.Call{Name: "x"})
		t.Error("the panic was swallowed")
	}()

	h = p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { runtime.Goexit(); panic("unreachable") })
	ended, value := make(chan bool), any(nil)
	go func() {
		returned := false
		defer func() { value = recover(); ended <- returned }()
		_, _ = h(context.Background(), toolkit.Call{Name: "x"})
		returned = true
	}()
	if <-ended || value != nil {
		t.Errorf("runtime.Goexit did not go on (%v)", value)
	}
}

// A panic that comes when the caller has left must not end the program.
func TestALatePanicIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, timeout.Options{Default: time.Second, Abandon: []string{"x"}})
		h := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			time.Sleep(time.Minute)
			panic("no caller hears")
		})
		if _, err := h(t.Context(), toolkit.Call{Name: "x"}); !errors.Is(err, toolkit.ErrTimeout) || p.Abandoned() != 1 {
			t.Errorf("got %v, %d abandoned", err, p.Abandoned())
		}
		time.Sleep(time.Hour)
		if p.Abandoned() != 0 {
			t.Errorf("%d abandoned", p.Abandoned())
		}
	})
}

// Whatever the times: each call gets its own answer or a timeout, there are never
// more goroutines than allowed, and in the end none is left.
func TestAbandonedCallsAddUp(t *testing.T) {
	const most = 8
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, timeout.Options{Default: 10 * time.Millisecond, Abandon: []string{"x"}, MaxAbandoned: most})
		var running, peak atomic.Int64
		h := p.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			if n := running.Add(1); n > peak.Load() {
				peak.Store(n)
			}
			defer running.Add(-1)
			time.Sleep(time.Duration(len(call.Arguments)) * time.Millisecond)
			return toolkit.Result{Output: call.ID}, nil
		})
		var answered, timedOut, refused atomic.Int64
		var wg sync.WaitGroup
		for g := range 20 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(7, uint64(g)))
				for range 100 {
					time.Sleep(time.Duration(rng.IntN(30)) * time.Millisecond)
					id := string(rune('a' + g))
					res, err := h(t.Context(), toolkit.Call{ID: id, Name: "x", Arguments: make([]byte, rng.IntN(21))})
					switch {
					case err == nil && res.Output == id:
						answered.Add(1)
					case errors.Is(err, toolkit.ErrTimeout):
						timedOut.Add(1)
					case errors.Is(err, toolkit.ErrOverloaded):
						refused.Add(1)
					default:
						t.Errorf("got %q, %v", res.Output, err)
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Second)
		if a, o, r := answered.Load(), timedOut.Load(), refused.Load(); a+o+r != 2000 || a == 0 || o == 0 || r == 0 {
			t.Errorf("%d answered, %d timed out, %d refused: want some of each, 2000 together", a, o, r)
		}
		if peak.Load() > most || running.Load() != 0 || p.Abandoned() != 0 {
			t.Errorf("%d ran at once, want at most %d; %d run, %d are abandoned, want 0", peak.Load(), most, running.Load(), p.Abandoned())
		}
	})
}

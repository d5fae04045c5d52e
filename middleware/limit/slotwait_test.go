// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

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
			t.Errorf("got %+v, want no caller", s)
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
		if first.Disposition.Queue != 0 || len(first.Disposition.Tags) != 0 {
			t.Errorf("who found a slot: got %v, %v, want nothing told", first.Disposition.Queue, first.Disposition.Tags)
		}
		if s := second.Disposition; s.Queue != 3*time.Second || s.Run != 3*time.Second || s.Outcome != toolkit.OutcomeExecuted {
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
		{name: "no caller may wait", options: limit.Concurrency{Global: 1, Queue: -1}, want: toolkit.ErrOverloaded, scope: "global"},
		{name: "the queue is full", options: limit.Concurrency{PerTool: 1, Queue: 2}, waiting: 2,
			want: toolkit.ErrOverloaded, scope: "tool"},
		{name: "the key's share of the queue is full", options: limit.Concurrency{PerKey: 1, Queue: 100, QueuePerKey: 2},
			waiting: 2, want: toolkit.ErrOverloaded, scope: "key"},
		{name: "the share is an eighth", options: limit.Concurrency{PerKey: 1, Queue: 17}, waiting: 2,
			want: toolkit.ErrOverloaded, scope: "key"},
		{name: "too long", options: limit.Concurrency{Global: 1, MaxWait: 5 * time.Second}, want: toolkit.ErrOverloaded,
			after: 5 * time.Second, scope: "global"},
		{name: "too long by default", options: limit.Concurrency{Global: 1}, want: toolkit.ErrOverloaded,
			after: time.Minute, scope: "global"},
		{name: "cancelled", options: limit.Concurrency{Global: 1}, want: toolkit.ErrCanceled, cause: why,
			after: 2 * time.Second, scope: "global",
			ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				go func() { time.Sleep(2 * time.Second); cancel(why) }() // in a bubble
				return ctx, func() { cancel(nil) }
			}},
		{name: "deadline", options: limit.Concurrency{Global: 1, MaxWait: -1}, want: toolkit.ErrTimeout,
			cause: context.DeadlineExceeded, after: 4 * time.Minute, scope: "global",
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
				if e := refusal(err); c.want == toolkit.ErrOverloaded &&
					(e == nil || e.Scope != c.scope || e.Running != 1 || e.RetryAfter() != 0) {
					t.Errorf("got %+v, want scope %s, 1 running", e, c.scope)
				}
				e := seen.All()[0]
				if e.Disposition.Outcome != toolkit.OutcomeRefused || e.Disposition.Queue != c.after ||
					tags(e)["limit.scope"] != string(c.scope) {
					t.Errorf("got %v, queue %v, %v, want refused, %v, %s", e.Disposition.Outcome, e.Disposition.Queue,
						e.Disposition.Tags, c.after, c.scope)
				}
				close(release)
				synctest.Wait()
				if s := p.Stats(); s.Running != 0 || s.Waiting != 0 {
					t.Errorf("at the end: got %+v, want no caller", s)
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
		go p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { ran = true; return toolkit.Result{}, nil })(
			ctx, toolkit.Call{})
		synctest.Wait()
		close(release)
		synctest.Wait()
		if s := p.Stats(); ran || s.Running != 0 || s.Waiting != 0 {
			t.Errorf("ran: %t, %+v: want that the call did not run, and no caller there", ran, s)
		}
	})
}

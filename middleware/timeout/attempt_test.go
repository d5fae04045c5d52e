// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnAttemptIsATimeout holds attempts against context.WithTimeoutCause, whatever happens and a caller that
// asks in whatever order. What ends a context first tells; of two things that no caller looked between
// either may.
func TestAnAttemptIsATimeout(t *testing.T) {
	gone := errors.New("the caller has gone")
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		synctest.Test(t, func(t *testing.T) {
			type key struct{}
			ctx, cancelCaller := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
			if r.IntN(2) == 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, time.Duration(1+2*r.IntN(9))*time.Second/2) // never just as long
				defer stop()
			}
			l := newLimit(5 * time.Second)
			a := l.attempt(ctx)
			want, cancel := context.WithTimeoutCause(ctx, l.of, l.cause)
			var causes []error // that want may have had since a was last seen without an end
			var children []context.Context
			var pending atomic.Int64 // functions that wait for a's end
			for range 12 {
				switch r.IntN(6) {
				case 0, 1:
					time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
				case 2:
					cancelCaller(gone)
				case 3:
					if r.IntN(3) == 0 {
						cancel()
						a.end()
						causes = append(causes, context.Canceled)
					}
				}
				synctest.Wait()
				for _, c := range []context.Context{want, ctx} {
					if c.Err() != nil {
						causes = append(causes, c.Err(), context.Cause(c))
					}
				}
				got, seen := error(nil), true
				switch r.IntN(6) {
				case 0:
					got = a.Err()
				case 1:
					got = context.Cause(a)
				case 2:
					select {
					case <-a.Done():
						got = a.Err()
					default:
					}
				case 3:
					child, stop := context.WithCancel(a)
					defer stop()
					children = append(children, child)
					got = context.Cause(child)
				case 4:
					pending.Add(1)
					context.AfterFunc(a, func() { pending.Add(-1) })
					seen = false
				default:
					seen = false
				}
				if seen && (got == nil) != (want.Err() == nil) {
					t.Fatalf("seed %d: got %v, want %v", seed, got, want.Err())
				}
				if got != nil && !slices.Contains(causes, got) {
					t.Fatalf("seed %d: got %v, want one of %v", seed, got, causes)
				}
				d1, _ := a.Deadline()
				d2, _ := want.Deadline()
				if !d1.Equal(d2) || a.Value(key{}) != "value" {
					t.Fatalf("seed %d: got %v and %v, want %v and the caller's value", seed, d1, a.Value(key{}), d2)
				}
			}
			cancel()
			a.end()
			synctest.Wait()
			if n := pending.Load(); a.Err() == nil || n != 0 {
				t.Fatalf("seed %d: got %v and %d functions that were not called, want an end and none", seed, a.Err(), n)
			}
			for _, child := range children {
				if child.Err() == nil {
					t.Fatalf("seed %d: a context made from it did not end", seed)
				}
			}
			cancelCaller(nil)
		})
	}
}

// TestTheFirstDeadlineTells: a tool that never looked at its context overran its own limit, and then its caller's.
func TestTheFirstDeadlineTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimit(time.Second)
		for callers, own := range map[time.Duration]bool{500 * time.Millisecond: false, 2 * time.Second: true} {
			ctx, cancel := context.WithTimeout(t.Context(), callers)
			a := l.attempt(ctx)
			time.Sleep(3 * time.Second)
			if got := context.Cause(a) == l.cause; got != own || a.Err() != context.DeadlineExceeded {
				t.Errorf("the caller's after %v: got %v, the limit's own: %t", callers, context.Cause(a), got)
			}
			a.end()
			cancel()
		}
	})
}

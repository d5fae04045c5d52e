// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
)

// broken is a store that fails, panics or hangs on demand.
type broken struct {
	*encoding
	get, set, add atomic.Pointer[string]
}

func (s *broken) breakdown(ctx context.Context, how *atomic.Pointer[string]) error {
	if how.Load() == nil {
		return nil
	}
	switch *how.Load() {
	case "fails":
		return errors.New("connection refused")
	case "panics":
		panic("broken store")
	case "waits":
		<-ctx.Done()
		return ctx.Err()
	}
	time.Sleep(time.Hour) // hangs, whatever its context
	return errors.New("gave up")
}

func (s *broken) Get(ctx context.Context, k cache.Key) (*cache.Entry, uint64, error) {
	if err := s.breakdown(ctx, &s.get); err != nil {
		return nil, 0, err
	}
	return s.encoding.Get(ctx, k)
}

func (s *broken) Set(ctx context.Context, k cache.Key, e *cache.Entry, keep time.Duration) error {
	if err := s.breakdown(ctx, &s.set); err != nil {
		return err
	}
	return s.encoding.Set(ctx, k, e, keep)
}

func (s *broken) Add(ctx context.Context, w cache.Write, n uint64) error {
	if err := s.breakdown(ctx, &s.add); err != nil {
		return err
	}
	return s.encoding.Add(ctx, w, n)
}

func TestTheCallGoesOnWithoutAStoreThatFails(t *testing.T) {
	for _, how := range []string{"fails", "panics", "waits", "hangs"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &broken{encoding: newEncoding()}
				b := newBench(t, cache.Options{Store: s, StoreTimeout: time.Second}, reads, writes)
				b.do(t, a, call("", "read", "{}"))
				b.want(t, a, call("", "read", "{}"), "run 1", hit)
				bound := func(what string, c toolkit.Call, waits int) {
					start := time.Now()
					_, e := b.do(t, a, c)
					if d := time.Since(start); e.Disposition.Outcome != executed || tags(e) == "" || d > time.Duration(waits)*time.Second {
						t.Errorf("%s %s: got %v, %q after %v, want that it ran, told, after at most %d s", what, how,
							e.Disposition.Outcome, tags(e), d, waits)
					}
				}
				s.get.Store(&how)
				bound("Get", call("", "read", "{}"), 1)
				s.get.Store(nil)
				s.set.Store(&how)
				bound("Set", call("", "read", `{"n":1}`), 1)
				s.set.Store(nil)
				b.want(t, a, call("", "read", "{}"), "run 1", hit)

				// A write that the store did not count makes it untrusted, for all that was stored.
				s.add.Store(&how)
				bound("Add", call("", "write", "{}"), 2)
				s.add.Store(nil)
				b.want(t, a, call("", "read", "{}"), fmt.Sprint("run ", b.runs+1), executed)
				time.Sleep(2 * time.Hour)
				b.do(t, a, call("", "read", "{}"))
				b.want(t, a, call("", "read", "{}"), fmt.Sprint("run ", b.runs), hit)
				if n := b.cache.Stats().StoreErrors; n != 4 {
					t.Errorf("%s: %d errors of the store counted, want 4", how, n)
				}
			})
		})
	}
}

// At most 64 look-ups hang: then calls do not wait at all.
func TestAStoreThatHangsHoldsFewGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		how := "hangs"
		s := &broken{encoding: newEncoding()}
		s.get.Store(&how)
		b := newBench(t, cache.Options{Store: s, StoreTimeout: time.Second}, reads)
		start := time.Now()
		for i := range 200 {
			b.do(t, a, call("", "read", fmt.Sprintf(`{"i":%d}`, i)))
		}
		if d := time.Since(start); d != 64*time.Second || b.runs != 200 {
			t.Errorf("%d runs after %v, want 200 after 64 s", b.runs, d)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestSharedStoresShareAnswersAndWrites(t *testing.T) {
	s := newEncoding()
	one, two := newBench(t, cache.Options{Store: s, StoreTimeout: time.Minute}, reads, writes),
		newBench(t, cache.Options{Store: s, StoreTimeout: time.Minute}, reads, writes)
	one.do(t, a, call("first", "read", `{"x":1,"y":2}`))
	two.want(t, a, call("", "read", `{"y":2,"x":1}`), "run 1", hit)
	two.do(t, a, call("", "write", "{}"))
	one.want(t, a, call("", "read", `{"x":1,"y":2}`), "run 2", executed)
}

// named is a store that remembers what arguments answers were stored for.
type named struct {
	*encoding
	stored map[string]string // results by arguments
}

func (s *named) Set(ctx context.Context, k cache.Key, e *cache.Entry, keep time.Duration) error {
	s.stored[string(k.Arguments.AppendCanonical(nil))] = e.Result.Output
	return s.encoding.Set(ctx, k, e, keep)
}

// TestAnAnswerIsStoredForTheArgumentsItIsOf: also if the observers saw the call end, and another begin,
// before its handler returned.
func TestAnAnswerIsStoredForTheArgumentsItIsOf(t *testing.T) {
	s := &named{newEncoding(), map[string]string{}}
	c, err := cache.New(cache.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	begin := func(arguments string) (toolkit.Call, *toolkit.Running) {
		call := toolkit.Call{Name: "read", Arguments: []byte(arguments)}
		_, running := toolkit.Begin(ctx, call, &reads, spans{})
		call.Record = running.Record()
		return call, running
	}
	first, running := begin(`{"path":"first"}`)
	handle := c.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		running.End(toolkit.Result{}, nil)
		second, other := begin(`{"path":"second"}`)
		_, _ = second.Record.Identity(second)
		defer other.End(toolkit.Result{}, nil)
		return toolkit.Result{Output: "of the first"}, nil
	})
	if _, err := handle(ctx, first); err != nil {
		t.Fatal(err)
	}
	if len(s.stored) != 1 || s.stored[`{"path":"first"}`] != "of the first" {
		t.Errorf("got %v stored, want the first call's answer for its own arguments", s.stored)
	}
}

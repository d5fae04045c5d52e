// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/dedupe/dedupetest"
	"github.com/toolscope/toolscope/toolkit"
)

func TestFlightsOfOneProcess(t *testing.T) {
	dedupetest.Run(t, dedupe.NewFlights)
}

type awayFlights struct{ dedupe.Flights }

var errNoAnswer = errors.New("no answer")

func (awayFlights) Join(context.Context, dedupe.FlightKey, string, time.Duration, bool) (dedupe.Joined, error) {
	return dedupe.Joined{}, errNoAnswer
}
func (awayFlights) AddWrites(context.Context, []string, uint64) error { return errNoAnswer }

// watched is a handler whose calls are recorded.
func watched(t *testing.T, o dedupe.Options, tool *toolkit.Definition, run toolkit.Handler) toolkit.Handler {
	t.Helper()
	p, err := dedupe.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return toolkit.Observe(func(string) *toolkit.Definition { return tool }, spans{})(p.Wrap(run))
}

func TestPoliciesShareFlights(t *testing.T) {
	reads := &toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes}
	for _, c := range []struct {
		name    string
		flights func() dedupe.Flights
		history time.Duration
		runs    int64 // of two calls at once, and one after
	}{
		{"shared", dedupe.NewFlights, 0, 2},
		{"with a history", dedupe.NewFlights, time.Minute, 1},
		{"away", func() dedupe.Flights { return awayFlights{} }, time.Minute, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			var runs atomic.Int64
			var fence atomic.Bool
			both := make(chan struct{})
			run := func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				runs.Add(1)
				_, ok := dedupe.Fence(ctx)
				fence.Store(ok)
				select {
				case <-both: // the other call waits, or runs as well
				case <-time.After(50 * time.Millisecond):
				}
				return toolkit.Result{Output: "answer"}, nil
			}
			o := dedupe.Options{Flights: c.flights(), History: c.history, Tools: []string{"read"}}
			ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
			var wg sync.WaitGroup
			ask := func(h toolkit.Handler) {
				res, err := h(ctx, toolkit.Call{Name: "read", Arguments: []byte("{}")})
				if err != nil || res.Output != "answer" {
					t.Errorf("%s: got %q, %v, want the answer", c.name, res.Output, err)
				}
			}
			for range 2 {
				wg.Go(func() { ask(watched(t, o, reads, run)) })
			}
			wg.Wait()
			close(both)
			ask(watched(t, o, reads, run))
			if n := runs.Load(); n != c.runs {
				t.Errorf("%s: got %d runs, want %d", c.name, n, c.runs)
			}
			if fence.Load() != (c.name != "away") {
				t.Errorf("%s: got a fence: %t", c.name, fence.Load())
			}
		})
	}
}

// TestAWriteOfAnotherProcessEndsAHistory writes in one policy and reads in another.
func TestAWriteOfAnotherProcessEndsAHistory(t *testing.T) {
	flights := dedupe.NewFlights()
	runs := 0
	handler := func(d *toolkit.Definition) toolkit.Handler {
		return watched(t, dedupe.Options{Flights: flights, History: time.Minute}, d,
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				runs++
				return toolkit.Result{Output: "x"}, nil
			})
	}
	read := func() {
		t.Helper()
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
		h := handler(&toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes})
		if _, err := h(ctx, toolkit.Call{Name: "read", Arguments: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	read()
	read()
	if runs != 1 {
		t.Fatalf("got %d runs, want 1: the second call is a duplicate", runs)
	}
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	if _, err := handler(&toolkit.Definition{Name: "write", ReadOnly: toolkit.No})(ctx, toolkit.Call{Name: "write"}); err != nil {
		t.Fatal(err)
	}
	read()
	if runs != 3 {
		t.Errorf("got %d runs, want 3: the read after the write runs", runs)
	}
	read()
	if runs != 3 {
		t.Errorf("got %d runs, want 3: its answer is shared", runs)
	}
}

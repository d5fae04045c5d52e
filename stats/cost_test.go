// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A tool whose definition is replaced by a dearer one costs, for each call, what it
// cost when the call was made.
func TestCostIsThePriceAtTheTimeOfTheCall(t *testing.T) {
	r := newRecorder(t)
	cheap, dear := &toolkit.Definition{Name: "search", Cost: 0.25}, &toolkit.Definition{Name: "search", Cost: 3}
	attempts := func(n uint16) func(*toolkit.Ended) { return func(e *toolkit.Ended) { e.Disposition.Attempts = n } }
	record(r,
		call(cheap, time.Millisecond, in("s", 1)),
		call(dear, time.Millisecond, in("s", 1), attempts(2)),
		call(cheap, time.Millisecond, in("s", 1), attempts(1)), // begun before the replacement, ended after
		call(dear, time.Microsecond, in("s", 1), with(toolkit.OutcomeCacheHit)),
		call(dear, 0, in("s", 1), with(toolkit.OutcomeRefused), failing("rate_limited", "later")),
	)
	const want = 0.25 + 2*3 + 0.25
	s := r.Summary(Window{})
	if got := s.Tools[0].Cost; got != want {
		t.Errorf("the tool's cost: got %v, want %v", got, want)
	}
	if got := r.Sessions(0)[0].Cost; got != want {
		t.Errorf("the session's cost: got %v, want %v", got, want)
	}
	if got := r.Health(Window{}).CostPerSession; got != want {
		t.Errorf("the cost of a session: got %v, want %v", got, want)
	}
}

func TestCostThatIsNoPriceIsNone(t *testing.T) {
	r := newRecorder(t)
	for _, cost := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		record(r, call(&toolkit.Definition{Name: "t", Cost: cost}, time.Millisecond, in("s", 1)))
	}
	record(r, call(nil, time.Millisecond))
	if got := r.Summary(Window{}).Overall; got.Calls != 6 || got.Cost != 0 {
		t.Errorf("got %d calls for %v, want 6 for 0", got.Calls, got.Cost)
	}
}

func TestCostIsExactUnderConcurrency(t *testing.T) {
	r := newRecorder(t)
	tools := []*toolkit.Definition{{Name: "t", Cost: 0.5}, {Name: "t", Cost: 2}}
	const goroutines, each = 8, 2000
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				record(r, call(tools[(g+i)%2], time.Millisecond, in("s", 1)))
				if i%500 == 0 {
					r.Summary(Window{})
				}
			}
		})
	}
	all.Wait()
	const want = goroutines * each / 2 * 2.5
	if got := r.Summary(Window{}).Overall.Cost; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := r.Sessions(0)[0].Cost; got != want {
		t.Errorf("of the session: got %v, want %v", got, want)
	}
}

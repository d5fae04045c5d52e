// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Without its monotonic part a clock may jump: time never runs backwards, and
// never overflows.
func TestAccountAndClockJumps(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	a := new(account)
	at := func(d time.Duration) { a.pass(start.Add(d)) }
	at(0)
	a.reserve(0)
	at(3 * time.Second)
	at(-time.Hour) // back
	at(5 * time.Second)
	if a.ran != 5*time.Second {
		t.Errorf("one call ran for %v, want 5s", a.ran)
	}
	a.settle(0, 1, 1, time.Minute) // waits that no caller can have had
	if a.ran != 0 || a.running != 0 || a.calls != 1 {
		t.Errorf("got %v, %d running, %d calls", a.ran, a.running, a.calls)
	}
	for range 1_000_000 {
		a.reserve(math.MaxInt64 / 4)
	}
	at(290 * 365 * 24 * time.Hour)
	if a.ran != math.MaxInt64 || a.cost < 0 || a.over(Limits{Time: math.MaxInt64}, 0) != "time" ||
		a.over(Limits{Cost: maxCost}, 1) != "cost" {
		t.Errorf("got %v, cost %d", a.ran, a.cost)
	}
}

// However reserving, settling and time interleave, what is counted is what a
// plain sum of the calls gives.
func TestAccountAgainstAModel(t *testing.T) {
	type running struct {
		cost     int64
		reserved int // attempts
		since    time.Time
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		a, now := new(account), time.Unix(1_000_000, 0)
		var calls, cost int64
		var ran time.Duration
		var open []running
		for range 100 {
			now = now.Add(time.Duration(rng.IntN(1000)) * time.Millisecond)
			a.pass(now)
			if len(open) == 0 || rng.IntN(2) == 0 {
				c := int64(rng.IntN(10))
				a.reserve(c)
				open = append(open, running{c, 1, now})
			} else if i := rng.IntN(len(open)); rng.IntN(3) == 0 {
				a.again(open[i].cost)
				open[i].reserved++
			} else {
				took, attempts := now.Sub(open[i].since), rng.IntN(4)
				waited := time.Duration(rng.Int64N(int64(took) + 1))
				a.settle(open[i].cost, open[i].reserved, attempts, waited)
				ran += took - waited
				cost += open[i].cost * int64(attempts)
				calls += int64(min(attempts, 1))
				open = append(open[:i], open[i+1:]...)
			}
			wantCalls, wantCost, wantRan := calls+int64(len(open)), cost, ran
			for _, o := range open {
				wantCost += o.cost * int64(o.reserved)
				wantRan += now.Sub(o.since)
			}
			if a.calls != wantCalls || a.cost != wantCost || a.ran != wantRan || a.running != int64(len(open)) {
				t.Fatalf("got %d calls, cost %d, %v, %d running; want %d, %d, %v, %d", a.calls, a.cost, a.ran, a.running,
					wantCalls, wantCost, wantRan, len(open))
			}
		}
	}
}

func TestUnitsAreExact(t *testing.T) {
	for cost, want := range map[float64]int64{0: 0, -1: 0, math.NaN(): 0, 0.1: 1e8, 1e-12: 1, 2.5: 25e8,
		math.Inf(1): 2e18, math.MaxFloat64: 2e18} {
		if got := units(cost); got != want {
			t.Errorf("%v: got %d, want %d", cost, got, want)
		}
	}
}

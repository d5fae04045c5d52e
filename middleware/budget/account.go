// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"math"
	"sync"
	"time"
)

// An account is what was used up of one budget. Its lock is held by a caller that calls
// its methods.
type account struct {
	mu      sync.Mutex
	calls   int64
	cost    int64         // reserved and used, in units
	ran     time.Duration // until since
	running int64
	since   time.Time
}

// pass counts the time that has passed for the calls that run. A clock that goes
// back counts as one that stands.
func (a *account) pass(now time.Time) {
	d := now.Sub(a.since)
	if d <= 0 && a.running > 0 {
		return
	}
	if a.running > 0 {
		if d > (math.MaxInt64-a.ran)/time.Duration(a.running) {
			a.ran = math.MaxInt64
		} else {
			a.ran += d * time.Duration(a.running)
		}
	}
	a.since = now
}

// inherit readies an account for another policy; timed is whether the one before counted its time. If it
// did not, the time that has passed since it last did belongs to no call.
func (a *account) inherit(timed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !timed {
		a.since = time.Now()
	}
}

// over is what of l would be exceeded by one more call of that cost: "calls", "time",
// "cost"; "" if nothing would.
func (a *account) over(l Limits, cost int64) string {
	switch {
	case l.Calls > 0 && a.calls >= int64(l.Calls):
		return "calls"
	case l.Time > 0 && a.ran >= l.Time:
		return "time"
	case l.Cost > 0 && cost > 0 && cost > units(l.Cost)-a.cost:
		return "cost"
	}
	return ""
}

// reserve counts one more call.
func (a *account) reserve(cost int64) {
	a.calls++
	a.running++
	a.cost = plus(a.cost, cost)
}

// again reserves the cost of one more attempt.
func (a *account) again(cost int64) { a.cost = plus(a.cost, cost) }

// settle ends a call whose cost was reserved for a number of attempts; the tool ran that many times.
func (a *account) settle(cost int64, reserved, ran int, waited time.Duration) {
	a.running--
	a.ran = max(0, a.ran-waited)
	if ran == 0 {
		a.calls--
	}
	for range reserved {
		a.cost -= cost
	}
	for range ran {
		a.cost = plus(a.cost, cost)
	}
}

// plus adds costs up to far beyond what any budget has.
func plus(a, b int64) int64 { return min(a+b, math.MaxInt64/2) }

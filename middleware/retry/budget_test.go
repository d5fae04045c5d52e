// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A caller that calls and fails when: in any stretch of time there are no more retries than its
// first attempts and its time have paid for, and what was saved up.
func TestRetriesNeverMultiplyAStorm(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := Budget{Ratio: []float64{-1, 0.1, 0.25, 1}[random.IntN(4)], PerSecond: []float64{-1, 0.5, 3}[random.IntN(3)],
			Burst: 1 + random.IntN(20)}
		began := time.Unix(1000, 0)
		bucket := newBucket(b, began)
		type event struct {
			at    time.Time
			retry bool
		}
		var events []event
		now := began
		for range 3000 {
			now = now.Add(time.Duration(random.IntN(int(50 * time.Millisecond))))
			if random.IntN(2) == 0 {
				bucket.deposit()
				events = append(events, event{at: now})
			} else if bucket.withdraw(now) {
				events = append(events, event{now, true})
			}
		}
		for range 200 {
			i := random.IntN(len(events))
			j := i + random.IntN(len(events)-i)
			first, retries := 0, 0
			for _, e := range events[i : j+1] {
				if e.retry {
					retries++
				} else {
					first++
				}
			}
			span := events[j].at.Sub(events[i].at).Seconds()
			most := float64(b.Burst) + max(0, b.Ratio)*float64(first) + max(0, b.PerSecond)*span
			if float64(retries) > most+1e-3 {
				t.Fatalf("seed %d, %+v: %d retries for %d calls in %.3f s, want at most %.3f", seed, b, retries, first, span, most)
			}
		}
	}
}

func TestTenCallsPayForARetry(t *testing.T) {
	now := time.Unix(1000, 0)
	b := newBucket(Budget{Ratio: 0.1, PerSecond: -1, Burst: 1}, now)
	if !b.withdraw(now) || b.withdraw(now) {
		t.Fatal("want one retry saved up, and no more")
	}
	for range 9 {
		b.deposit()
	}
	if b.withdraw(now) {
		t.Error("nine calls paid for a retry")
	}
	b.deposit()
	if !b.withdraw(now) {
		t.Error("ten calls did not pay for a retry")
	}
}

func TestAClockThatJumpsPaysForNothing(t *testing.T) {
	now := time.Unix(1000, 0)
	b := newBucket(Budget{Ratio: -1, PerSecond: 1, Burst: 1}, now)
	b.withdraw(now)
	for _, jump := range []time.Duration{-time.Hour, 0, 999 * time.Millisecond} {
		if b.withdraw(now.Add(jump)) {
			t.Errorf("%v after the last retry: got another one, want one a second", jump)
		}
	}
	if !b.withdraw(now.Add(1<<62)) || b.withdraw(now.Add(1<<62)) {
		t.Error("after a jump ahead: want one retry, as saved up at most")
	}
}

func TestBackoffGrowsAndIsBounded(t *testing.T) {
	for _, c := range []struct {
		n    int
		want time.Duration
	}{{1, 100}, {2, 200}, {3, 400}, {4, 800}, {5, 1000}, {6, 1000}, {63, 1000}, {64, 1000}, {100, 1000}} {
		var sum, most time.Duration
		for range 4000 {
			d := backoff(100, 1000, c.n)
			if d < 0 || d > c.want {
				t.Fatalf("after attempt %d: got %v, want 0 to %v", c.n, d, c.want)
			}
			sum, most = sum+d, max(most, d)
		}
		if mean := float64(sum) / 4000; math.Abs(mean/float64(c.want)-0.5) > 0.06 || most < c.want*9/10 {
			t.Errorf("after attempt %d: got mean %.0f, most %v, want half of %v, and nearly all", c.n, mean, most, c.want)
		}
	}
	for n := 1; n <= maxAttempts; n++ {
		if d := backoff(math.MaxInt64, math.MaxInt64, n); d < 0 {
			t.Errorf("after attempt %d: got %v", n, d)
		}
	}
}

type hostile struct{ error }

func (hostile) RetryAfter() time.Duration { panic("no") }

func TestAnErrorThatPanicsAsksForNothing(t *testing.T) {
	if got := askedFor(hostile{}); got != 0 {
		t.Errorf("got %v", got)
	}
}

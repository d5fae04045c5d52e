// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// The window against a list of all calls: it lets in a caller that may, tells the rest when they may,
// and never lets more begin in any window.
func TestWindowAgreesWithAListOfAllCalls(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		l := toolkit.RateLimit{MaxCalls: 1 + random.IntN(20), Window: time.Duration(1 + random.IntN(1000))}
		var w window
		w.set(l, maxLog)
		var began []time.Duration
		var now time.Duration
		for range 2000 {
			now += time.Duration(random.IntN(1 + 3*int(l.Window)/l.MaxCalls))
			inside := 0
			for i := len(began) - 1; i >= 0 && began[i] > now-l.Window; i-- {
				inside++
			}
			wait := w.wait(now)
			if may := inside < l.MaxCalls; may != (wait == 0) {
				t.Fatalf("seed %d: %d of %d calls in the window: got wait %v", seed, inside, l.MaxCalls, wait)
			}
			if wait > 0 {
				if oldest := began[len(began)-l.MaxCalls]; now+wait != oldest+l.Window {
					t.Fatalf("seed %d: got wait %v, want %v", seed, wait, oldest+l.Window-now)
				}
				continue
			}
			w.addCall(now)
			began = append(began, now)
		}
		checkWindows(t, l, began)
	}
}

// checkWindows fails if more calls than allowed began in any window.
func checkWindows(t *testing.T, l toolkit.RateLimit, began []time.Duration) {
	t.Helper()
	for i := l.MaxCalls; i < len(began); i++ {
		if span := began[i] - began[i-l.MaxCalls]; span < l.Window {
			t.Fatalf("%d calls began within %v, want at most %d in %v", l.MaxCalls+1, span, l.MaxCalls, l.Window)
		}
	}
}

// A limit of very many calls keeps its promise in less memory.
func TestLargeLimitsAreDivided(t *testing.T) {
	l := toolkit.RateLimit{MaxCalls: 1000, Window: time.Second}
	var w window
	w.set(l, 64)
	if w.max > 64 {
		t.Fatalf("remembers %d calls, want at most 64", w.max)
	}
	var began []time.Duration
	random := rand.New(rand.NewPCG(1, 2))
	for now := time.Duration(0); now < 5*time.Second; now += time.Duration(random.IntN(int(200 * time.Microsecond))) {
		if w.wait(now) == 0 {
			w.addCall(now)
			began = append(began, now)
		}
	}
	checkWindows(t, l, began)
	if per := len(began) / 5; per < 900 {
		t.Errorf("%d calls a second, want nearly 1000", per)
	}
	if len(w.log) > 64 {
		t.Errorf("%d entries, want at most 64", len(w.log))
	}
}

// A definition that is replaced changes the limit; calls before that still count.
func TestALimitThatChanges(t *testing.T) {
	var w window
	w.set(toolkit.RateLimit{MaxCalls: 5, Window: 100}, maxLog)
	for now := range time.Duration(5) {
		w.addCall(now)
	}
	w.set(toolkit.RateLimit{MaxCalls: 2, Window: 50}, maxLog)
	if got := w.wait(10); got != 3+50-10 {
		t.Errorf("two in 50, the last at 3 and 4: at 10 got wait %d, want 43", got)
	}
	w.set(toolkit.RateLimit{MaxCalls: 3, Window: 1000}, maxLog)
	if got := w.wait(10); got != 0 {
		t.Errorf("three in 1000: at 10 got wait %d, want 0", got)
	}
	w.addCall(10)
	if got := w.wait(11); got != 3+1000-11 {
		t.Errorf("got wait %d, want 992", got)
	}
}

// A clock that jumps back keeps callers waiting, and lets no more in.
func TestAClockThatJumps(t *testing.T) {
	var w window
	w.set(toolkit.RateLimit{MaxCalls: 1, Window: 10}, maxLog)
	w.addCall(1000)
	if got := w.wait(-1 << 62); got <= 0 {
		t.Errorf("got wait %d after a jump back, want one", got)
	}
	if got := w.wait(1 << 62); got != 0 {
		t.Errorf("got wait %d after a jump ahead, want none", got)
	}
}

// No caller overtakes those who wait, though the window would let them in.
func TestNobodyOvertakesThoseWhoWait(t *testing.T) {
	var w window
	w.set(toolkit.RateLimit{MaxCalls: 2, Window: 10}, maxLog)
	first, second := &turn{at: &w, wake: make(chan struct{}, 1)}, &turn{at: &w, wake: make(chan struct{}, 1)}
	first.stand(&w)
	second.stand(&w)
	ws := windows{&w}
	for name, me := range map[string]*turn{"a newcomer": nil, "the second": second} {
		if blocking, _ := ws.try(0, me); blocking != &w {
			t.Errorf("%s began before the first who waits", name)
		}
	}
	if blocking, _ := ws.try(0, first); blocking != nil {
		t.Error("the first could not begin")
	}
	first.leave()
	if len(second.wake) != 1 {
		t.Error("the second was not woken")
	}
	if blocking, _ := ws.try(0, second); blocking != nil {
		t.Error("the second could not begin")
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package dedupetest has the tests that any store of flights must pass:
//
//	func TestFlights(t *testing.T) {
//		dedupetest.Run(t, func() dedupe.Flights { return newFlights(t) })
//	}
package dedupetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/dedupe"
)

// Run runs the tests, each on an empty store that newFlights makes.
func Run(t *testing.T, newFlights func() dedupe.Flights) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, dedupe.Flights)
	}{
		{"one leads, and all get its answer", leads},
		{"a lease lapses", lapses},
		{"a lease is renewed", renewed},
		{"an answer can be passed over", anew},
		{"writes are counted", writes},
		{"all at once", concurrent},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newFlights()) })
	}
}

const lease = time.Minute

func key(name string) dedupe.FlightKey {
	return dedupe.FlightKey{Name: name, Counters: []string{"any", "file"}}
}

func join(t *testing.T, f dedupe.Flights, k dedupe.FlightKey, token string, lease time.Duration, anew bool) dedupe.Joined {
	t.Helper()
	j, err := f.Join(context.Background(), k, token, lease, anew)
	if err != nil {
		t.Fatalf("Join: %v", err)
	}
	return j
}

func finish(t *testing.T, f dedupe.Flights, k dedupe.FlightKey, token, answer string) bool {
	t.Helper()
	held, err := f.Finish(context.Background(), k, token, []byte(answer), time.Minute)
	if err != nil {
		t.Fatalf("Finish: %v", err)
	}
	return held
}

func leads(t *testing.T, f dedupe.Flights) {
	k := key("k")
	if j := join(t, f, k, "one", lease, false); !j.Leads || j.Fence == 0 || j.Answer != nil || j.Stamp != 0 {
		t.Fatalf("got %+v, want the lead with a fence", j)
	}
	if j := join(t, f, k, "two", lease, false); j.Leads || j.Answer != nil {
		t.Fatalf("got %+v, want neither the lead nor an answer", j)
	}
	if j := join(t, f, key("other"), "two", lease, false); !j.Leads {
		t.Errorf("another key: got %+v, want the lead", j)
	}
	if finish(t, f, k, "two", "wrong") {
		t.Error("who does not lead has finished")
	}
	if !finish(t, f, k, "one", "answer \x00") {
		t.Error("who leads has not finished")
	}
	if j := join(t, f, k, "two", lease, false); j.Leads || string(j.Answer) != "answer \x00" {
		t.Errorf("got %+v, want the answer", j)
	}
	if finish(t, f, k, "one", "again") {
		t.Error("got a second end of a lease")
	}
}

func lapses(t *testing.T, f dedupe.Flights) {
	k := key("k")
	first := join(t, f, k, "one", 50*time.Millisecond, false)
	deadline := time.Now().Add(10 * time.Second)
	for {
		if j := join(t, f, k, "two", lease, false); j.Leads {
			if j.Fence <= first.Fence {
				t.Errorf("got the fence %d after %d, want a higher one", j.Fence, first.Fence)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the lease never lapsed")
		}
		<-time.After(5 * time.Millisecond)
	}
	if held, err := f.Renew(context.Background(), k, "one", lease); held || err != nil {
		t.Errorf("got %t, %v, want no renewal of a lease that lapsed", held, err)
	}
	if finish(t, f, k, "one", "late") {
		t.Error("got the answer of who lost its lease stored")
	}
	if j := join(t, f, k, "three", lease, false); j.Answer != nil {
		t.Errorf("got %q, want nothing", j.Answer)
	}
}

func renewed(t *testing.T, f dedupe.Flights) {
	const short = 200 * time.Millisecond
	for i := range 20 { // on a busy machine a lease may lapse before it is renewed
		k, other := key(fmt.Sprint("k", i)), key(fmt.Sprint("other", i))
		join(t, f, k, "one", short, false)
		held, err := f.Renew(context.Background(), k, "one", time.Hour)
		if err != nil {
			t.Fatalf("Renew: %v", err)
		}
		if !held {
			continue
		}
		join(t, f, other, "one", short, false)
		for !join(t, f, other, "two", lease, false).Leads { // until a lease that is as long, and began later, has lapsed
			<-time.After(10 * time.Millisecond)
		}
		if j := join(t, f, k, "two", lease, false); j.Leads {
			t.Error("a lease that was renewed has lapsed")
		}
		return
	}
	t.Fatal("no lease was renewed, want one that is held")
}

func anew(t *testing.T, f dedupe.Flights) {
	k := key("k")
	join(t, f, k, "one", lease, false)
	finish(t, f, k, "one", "old")
	if j := join(t, f, k, "two", lease, true); !j.Leads {
		t.Fatalf("got %+v, want the lead", j)
	}
	if j := join(t, f, k, "three", lease, false); j.Leads || j.Answer != nil {
		t.Errorf("got %+v, want to wait for the new answer", j)
	}
	if j := join(t, f, k, "four", lease, true); j.Leads {
		t.Error("got the lead, which another has")
	}
	finish(t, f, k, "two", "")
	if j := join(t, f, k, "three", lease, false); !j.Leads {
		t.Error("got no lead after a flight without an answer")
	}
}

func writes(t *testing.T, f dedupe.Flights) {
	k := key("k")
	add := func(n uint64, counters ...string) {
		if err := f.AddWrites(context.Background(), counters, n); err != nil {
			t.Fatal(err)
		}
	}
	add(5, "any")
	add(1<<24+1, "any", "file")
	add(100, "other")
	add(^uint64(0), "file")
	if j := join(t, f, k, "one", lease, false); j.Stamp != 5+2*(1<<24+1)-1 {
		t.Errorf("got the stamp %d, want %d", j.Stamp, 5+2*(1<<24+1)-1)
	}
}

func concurrent(t *testing.T, f dedupe.Flights) {
	var runs atomic.Int64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 10 {
				leadOrWait(t, f, key(fmt.Sprint("key", i)), fmt.Sprint(g, "-", i), &runs)
			}
		})
	}
	wg.Wait()
	if n := runs.Load(); n != 10 {
		t.Errorf("got %d runs, want 10", n)
	}
}

// leadOrWait runs if it has the lead, and otherwise asks until there is an answer.
func leadOrWait(t *testing.T, f dedupe.Flights, k dedupe.FlightKey, token string, runs *atomic.Int64) {
	for {
		j, err := f.Join(context.Background(), k, token, lease, false)
		switch {
		case err != nil:
			t.Error(err)
			return
		case j.Leads:
			runs.Add(1)
			_, _ = f.Finish(context.Background(), k, token, []byte(k.Name), time.Minute)
			return
		case j.Answer != nil:
			if string(j.Answer) != k.Name {
				t.Errorf("got %q, want %q", j.Answer, k.Name)
			}
			return
		}
	}
}

func over(t *testing.T, f dedupe.Flights) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Join(ctx, key("k"), "one", lease, false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

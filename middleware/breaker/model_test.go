// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A model is what a circuit is by its description: it keeps every call.
type model struct {
	o           *Options
	state       State
	since       time.Duration
	calls       []counted
	row         int // failures in a row
	failedAt    time.Duration
	passed      int
	trying      int
	lastProbeAt time.Duration
}

type counted struct {
	at     time.Duration
	failed bool
}

func (m *model) become(s State, now time.Duration) {
	m.state, m.since, m.passed, m.trying = s, now, 0, 0
	if s == Closed {
		m.calls, m.row = nil, 0
	}
}

func (m *model) may(now time.Duration) bool {
	if m.state == Open && now >= m.since+m.o.OpenFor {
		m.become(HalfOpen, now)
	}
	switch {
	case m.state == Closed:
		return true
	case m.state == Open:
		return false
	case m.trying+m.passed >= m.o.Probes:
		if now < m.lastProbeAt+m.o.OpenFor {
			return false
		}
		m.trying = 0
	}
	m.trying++
	m.lastProbeAt = now
	return true
}

func (m *model) ended(now time.Duration, v verdict) {
	if m.state == HalfOpen {
		m.trying--
	}
	if v == nothing {
		return
	}
	if v == success {
		m.row = 0
	} else {
		if now-m.failedAt > m.o.Window {
			m.row = 0
		}
		m.row++
		m.failedAt = now
	}
	if m.state == HalfOpen {
		if v == failure {
			m.become(Open, now)
		} else if m.passed++; m.passed >= m.o.Probes {
			m.become(Closed, now)
		}
		return
	}
	m.calls = append(m.calls, counted{now, v == failure})
	length := m.o.Window / parts
	m.calls = slices.DeleteFunc(m.calls, func(c counted) bool { return c.at/length <= now/length-parts })
	failures := 0
	for _, c := range m.calls {
		if c.failed {
			failures++
		}
	}
	byRow := m.o.Consecutive > 0 && m.row >= m.o.Consecutive
	byRate := m.o.Rate > 0 && len(m.calls) >= m.o.MinCalls && float64(failures) >= m.o.Rate*float64(len(m.calls))
	if v == failure && (byRow || byRate) {
		m.become(Open, now)
	}
}

// Call after call, the circuit does what the model does.
func TestACircuitAgreesWithItsModel(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 5))
		o, err := Options{
			Consecutive: []int{-1, 2, 4}[random.IntN(3)],
			Rate:        []float64{0.3, 0.5, 1}[random.IntN(3)],
			MinCalls:    1 + random.IntN(10),
			Window:      time.Duration(10 * (1 + random.IntN(50))),
			OpenFor:     time.Duration(1 + random.IntN(50)),
			Probes:      1 + random.IntN(3),
		}.resolve()
		if err != nil {
			t.Fatal(err)
		}
		c, m := &circuit{}, &model{o: &o}
		var now time.Duration
		for i := range 1000 {
			now += time.Duration(random.IntN(8))
			ticket, refused, _ := c.ask(&o, func() time.Duration { return now })
			if may := m.may(now); may != (refused == nil) {
				t.Fatalf("seed %d, call %d at %d: got %v, want leave: %t (%+v)", seed, i, now, refused, may, o)
			}
			if refused != nil {
				if refused.After <= 0 || refused.After > o.OpenFor {
					t.Fatalf("seed %d, call %d: try again after %v", seed, i, refused.After)
				}
				continue
			}
			now += time.Duration(random.IntN(3))
			v := verdict(random.IntN(3))
			c.settle(&o, now, ticket, v, "timeout")
			m.ended(now, v)
			if c.state != m.state || c.probing != m.trying || c.passed != m.passed {
				t.Fatalf("seed %d, call %d at %d: got %v, %d try, %d passed, want %v, %d, %d (%+v)", seed, i, now, c.state,
					c.probing, c.passed, m.state, m.trying, m.passed, o)
			}
		}
	}
}

// Whatever the interleaving of calls that succeed, fail, panic, end their goroutine or are
// cancelled: no more than Probes try at once, and in the end no caller tries, and a circuit
// whose tool is well again closes.
func TestProbesHoldWhateverTheInterleaving(t *testing.T) {
	const probes = 3
	p, err := New(Options{Consecutive: 3, Probes: probes, OpenFor: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	var now atomic.Int64
	p.now = func() time.Duration { return time.Duration(now.Load()) }
	var most, trying atomic.Int64
	h := p.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		if call.ID == "probe" {
			defer trying.Add(-1)
			for n := trying.Add(1); n > most.Load(); n = trying.Load() {
				most.Store(n)
			}
		}
		for range rand.IntN(20) {
			runtime.Gosched()
		}
		switch rand.IntN(6) {
		case 0:
			panic("boom")
		case 1:
			runtime.Goexit()
		case 2:
			return toolkit.Result{}, context.Canceled
		case 3:
			return toolkit.Result{}, errors.New("down")
		}
		return toolkit.Result{}, nil
	})
	for round := range 40 {
		// Open it, let the time pass, and have everybody try.
		c := p.table.make("x", p.now())
		c.mu.Lock()
		c.become(Open, p.now())
		c.mu.Unlock()
		now.Add(int64(time.Hour))
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				defer func() { recover() }()
				h(t.Context(), toolkit.Call{Name: "x", ID: "probe"})
			})
			if s := p.States()[0]; s.State == HalfOpen && s.Probing > probes {
				t.Errorf("round %d: %d try, want at most %d", round, s.Probing, probes)
			}
		}
		wg.Wait()
		if s := p.States()[0]; s.Probing != 0 {
			t.Fatalf("round %d: got %+v, want no caller trying", round, s)
		}
	}
	now.Add(int64(time.Hour))
	well := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	for range probes {
		if _, err := well(t.Context(), toolkit.Call{Name: "x"}); err != nil {
			t.Error(err)
		}
	}
	if s := p.States()[0]; s.State != Closed {
		t.Errorf("got %+v, want closed", s)
	}
}

// A clock that jumps back freezes time until it has come to where it was; one that jumps
// ahead ends waits. Neither panics, or keeps a circuit open for longer than told.
func TestAClockThatJumps(t *testing.T) {
	p, err := New(Options{Consecutive: 1, OpenFor: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Hour
	p.now = func() time.Duration { return now }
	ended := errors.New("down")
	h := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, ended })
	call := toolkit.Call{Name: "x"}
	h(t.Context(), call)
	for _, c := range []struct {
		at   time.Duration
		want string
	}{{-1 << 62, "1m0s"}, {0, "1m0s"}, {time.Hour + time.Second, "59s"}, {time.Hour, "59s"}} {
		now = c.at
		_, err := h(t.Context(), call)
		var why *Error
		if !errors.As(err, &why) || fmt.Sprint(why.After) != c.want || p.States()[0].RetryIn != why.After {
			t.Errorf("at %v: got %v, %+v, want that it opens in %s", c.at, err, p.States()[0], c.want)
		}
	}
	now, ended = 1<<62, nil
	if _, err := h(t.Context(), call); err != nil || p.States()[0].State != Closed {
		t.Errorf("far ahead: got %v, %+v", err, p.States()[0])
	}
}

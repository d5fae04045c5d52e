// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/toolkit"
)

// made is one call of a sequence: which one, and what came of it.
type made struct {
	call, came int
	failed     bool
}

func (m made) tool() string { return []string{"read a", "read b"}[m.call%2] }

// model says what the last call of a sequence is part of, by the words of the
// package's comment.
type model struct {
	window int // how many calls are compared, the new one included
	all    []made
	times  []int // for each call
	repeat []int
	errors []int
	same   []int
}

func (m *model) addCall(c made) (found loop.Loop, times int) {
	i, before := len(m.all), -1
	for j, o := range m.all {
		if o.call == c.call && j > i-m.window {
			before, times = j, m.times[j]+1
		}
	}
	repeat := 1
	if before >= 0 && (before == i-1 || m.all[before].came == c.came) {
		repeat = m.repeat[before] + 1
	}
	failures, same := 0, 0
	if c.failed {
		failures = 1
	} else {
		same = 1
	}
	for j := i - 1; j >= 0; j-- {
		o := m.all[j]
		if o.tool() != c.tool() {
			continue
		}
		if o.came == c.came && c.failed {
			failures = m.errors[j] + 1
		} else if o.came == c.came && o.call != c.call {
			same = m.same[j] + 1
		} else if o.came == c.came {
			same = m.same[j]
		}
		break
	}
	m.all, m.times, m.repeat = append(m.all, c), append(m.times, times), append(m.repeat, repeat)
	m.errors, m.same = append(m.errors, failures), append(m.same, same)

	cycle, length := m.cycle()
	if cycle > 0 && repeat <= cycle+1 {
		repeat = 0
	}
	for _, l := range []loop.Loop{
		{Kind: loop.Repeat, Count: repeat}, {Kind: loop.Cycle, Count: cycle, Length: length},
		{Kind: loop.Failure, Count: failures}, {Kind: loop.NoProgress, Count: same},
	} {
		if l.Count >= 2 {
			l.Action, l.Tool = loop.Signal, c.tool()
			return l, times
		}
	}
	return loop.Loop{}, times
}

func (m *model) cycle() (count, length int) {
	last := len(m.all) - 1
	for p := 2; p <= 8; p++ {
		alike, run := true, 0
		for j := last; j > last-p && j >= 0; j-- {
			alike = alike && m.all[j].call == m.all[last].call
		}
		for j := last; j >= p && m.all[j] == m.all[j-p]; j-- {
			run++
		}
		if n := 1 + run/p; !alike && n >= 2 && n > count {
			count, length = n, p
		}
	}
	return count, length
}

func TestLoopsAgainstAModel(t *testing.T) {
	kinds := map[loop.Kind]int{}
	for round := range 300 {
		rng := rand.New(rand.NewPCG(11, uint64(round)))
		var told loop.Loop
		window := []int{16, 1024}[round%2]
		r := newRig(t, loop.Options{Window: window, Default: loop.Thresholds{Signal: 2, Advice: -1},
			OnLoop: func(_ context.Context, l loop.Loop) { told = l }})
		m, pattern := &model{window: window}, []made(nil)
		for i := range 200 {
			if i%25 == 0 { // another pattern that goes round, more or less
				pattern = pattern[:0]
				for range 1 + rng.IntN(9) {
					call := rng.IntN(6)
					pattern = append(pattern, made{call, call % 3, rng.IntN(4) == 0})
				}
			}
			c := pattern[i%len(pattern)]
			if rng.IntN(12) == 0 {
				c.came += 3
			}
			if rng.IntN(12) == 0 {
				c.call = rng.IntN(6)
			}
			if rng.IntN(40) == 0 {
				c.call = 6 + rng.IntN(30) // seldom made
			}
			if c.failed {
				c.came += 100 // no failure is like a success
			}
			r.answer = func(toolkit.Call) (toolkit.Result, error) {
				if c.failed {
					return toolkit.Failure(errors.New("broken" + string(rune('a'+c.came%100)))), nil
				}
				return toolkit.Result{Output: strconv.Itoa(c.came)}, nil
			}
			told = loop.Loop{}
			if _, _, err := r.call(c.tool(), strconv.Itoa(c.call)); err != nil {
				t.Fatal(err)
			}
			want, times := m.addCall(c)
			if told != want {
				t.Fatalf("round %d, call %d: got %+v, want %+v, after %+v", round, i, told, want, m.all)
			}
			if got := int(r.seen.TakeAll()[0].Disposition.Repeat); got != times {
				t.Fatalf("round %d, call %d: made %d times before, want %d", round, i, got, times)
			}
			kinds[told.Kind]++
		}
	}
	for _, k := range []loop.Kind{loop.Repeat, loop.Cycle, loop.Failure, loop.NoProgress, ""} {
		if kinds[k] < 100 {
			t.Errorf("%d calls of kind %q: the test says nothing about it", kinds[k], k)
		}
	}
}

// Many agents at once, in many goroutines each: every one of the calls is counted,
// and none for another's session.
func TestConcurrentCallsAddUp(t *testing.T) {
	const sessions, goroutines, calls = 5, 8, 200
	var told [sessions]atomic.Int64
	p := policy(t, loop.Options{OnLoop: func(ctx context.Context, l loop.Loop) {
		id, _ := strconv.Atoi(toolkit.SessionFrom(ctx).ID)
		told[id].Add(1)
	}})
	var repeats [sessions]sync.Map
	h := toolkit.Observe(nil, ends{func(e *toolkit.Ended) {
		id, _ := strconv.Atoi(e.Info.Session.ID)
		if _, twice := repeats[id].LoadOrStore(e.Disposition.Repeat, true); twice {
			t.Errorf("session %d: two calls were made %d times before", id, e.Disposition.Repeat)
		}
	}})(middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "x"}, nil }, p))
	var wg sync.WaitGroup
	for id := range sessions {
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: strconv.Itoa(id)})
		for range goroutines {
			wg.Go(func() {
				for range calls {
					if res, err := h(ctx, toolkit.Call{Name: "x"}); err != nil || res.Output[0] != 'x' {
						t.Errorf("got %q, %v", res.Output, err)
					}
				}
			})
		}
	}
	wg.Wait()
	for id := range sessions {
		if n := told[id].Load(); n != goroutines*calls-2 {
			t.Errorf("session %d: %d calls were reported, want all %d but the first two", id, n, goroutines*calls)
		}
	}
}

// ends is an observer of ends.
type ends struct{ end func(*toolkit.Ended) }

func (ends) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (ends) Wants(context.Context) bool                { return false }
func (o ends) End(_ context.Context, e *toolkit.Ended) { o.end(e) }

// More calls at once than are remembered: counts are lost, nothing else.
func TestCallsThatOutliveTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, loop.Options{Window: 16})
		var mu sync.Mutex
		r.answer = func(call toolkit.Call) (toolkit.Result, error) {
			mu.Unlock() // of handle's below
			time.Sleep(time.Duration(len(call.Arguments)) * time.Second)
			mu.Lock()
			return toolkit.Result{Output: "late"}, nil
		}
		for i := range 100 {
			go func() {
				mu.Lock()
				defer mu.Unlock()
				_, _ = r.handle(toolkit.WithSession(context.Background(), r.session), toolkit.Call{Name: "x", Arguments: make([]byte, i%40)})
			}()
		}
		time.Sleep(time.Hour)
		if n := r.seen.Len(); n != 100 {
			t.Errorf("%d calls have ended, want 100", n)
		}
	})
}

func TestManySessionsAndIdleOnes(t *testing.T) {
	const many = 100_000 // a hundred times what is kept
	p := policy(t, loop.Options{Sessions: 1000, Idle: time.Minute})
	h := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	for i := range many {
		if _, err := h(toolkit.WithSession(context.Background(), toolkit.Session{ID: strconv.Itoa(i)}),
			toolkit.Call{Name: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.Kept(); n > 1008 {
		t.Errorf("%d sessions are kept, want at most 1000 and what rounding adds", n)
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, loop.Options{Default: loop.Thresholds{Signal: 2}, Idle: time.Minute})
		r.calls("x 1")
		time.Sleep(time.Minute)
		wantTold(t, r.calls("x 1"), "repeat 2 signal")
		time.Sleep(time.Minute + 1)
		wantTold(t, r.calls("x 1"), "")
	})
}

// Large outputs count by their head, their tail and their length.
func TestLargeOutputs(t *testing.T) {
	large := func(n int) string { return fmt.Sprintf("%0*d", 200_000, n) }
	r := newRig(t, loop.Options{Default: loop.Thresholds{Signal: 2}})
	for i, want := range []string{"", "", "no_progress 2 signal"} {
		r.answer = func(call toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: large(min(i, 1))}, nil }
		wantTold(t, r.calls("read "+strconv.Itoa(i)), want)
	}
}

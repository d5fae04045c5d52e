// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

func TestSessionsAndLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "search", Cost: 0.25}
		for i := range 6 {
			record(r, call(tool, 100*time.Millisecond, in("s1", 1+i/2), sampled(byte(i+1)), func(e *toolkit.Ended) {
				e.Call.Arguments = []byte(`{"q":"same"}`)
				e.Disposition.Repeat = uint16(i)
				if i == 5 {
					e.Disposition.Outcome, e.Disposition.Run, e.ErrorType = toolkit.OutcomeRefused, 0, string(toolkit.ErrLoopDetected)
				}
			}))
			time.Sleep(time.Second)
		}
		record(r, call(tool, time.Second, in("s2", 0), failing("timeout", "late")),
			call(tool, time.Second, in("s2", 0), failing("timeout", "late")))
		record(r, call(tool, time.Second)) // without a session

		got := r.Sessions(0)
		if len(got) != 2 || got[0].Session != "s2" || got[1].Session != "s1" {
			t.Fatalf("got %+v, want s2 and s1", got)
		}
		s1, s2 := got[1], got[0]
		if s1.Calls != 6 || s1.Executed != 5 || s1.Refused != 1 || s1.Looped != 5 || s1.Turns != 3 ||
			s1.CallsPerTurn != 2 || s1.Cost != 1.25 || s1.RunMs != 500 || s1.Agent != "agent" {
			t.Errorf("s1: got %+v", s1)
		}
		if s2.Streak != 2 || s2.WorstStreak != 2 || s2.Errors != 2 {
			t.Errorf("s2: got %+v, want a streak of 2", s2)
		}
		loops := r.Loops()
		if len(loops) != 1 {
			t.Fatalf("got loops %+v, want one", loops)
		}
		if l := loops[0]; l.Times != 6 || l.Stopped != 1 || l.Session != "s1" || l.Tool != "search" ||
			l.TraceID[:2] != "06" || l.LastSeen.Sub(l.FirstSeen) != 4*time.Second {
			t.Errorf("got %+v", l)
		}
	})
}

func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registered := []toolkit.Definition{{Name: "slow"}, {Name: "quick"}, {Name: "never"}}
		r := newRecorder(t, Options{Registered: func() []toolkit.Definition { return registered }})
		record(r, call(&registered[0], 3*time.Second, in("s", 2)),
			call(&registered[1], time.Second, in("s", 2), failing("timeout", "late")),
			call(&registered[1], 0, in("s", 2), with(toolkit.OutcomeRefused), failing("rate_limited", "slow down")))
		h := r.Health(Window{Last: time.Minute})
		if len(h.Unused) != 1 || h.Unused[0] != "never" {
			t.Errorf("unused: got %v, want never", h.Unused)
		}
		if len(h.Streaks) != 1 || h.Streaks[0] != (Streak{"quick", 2, 2}) {
			t.Errorf("streaks: got %+v, want quick with 2", h.Streaks)
		}
		if len(h.TimeShare) != 2 || h.TimeShare[0].Tool != "slow" || h.TimeShare[0].Share < 0.74 || h.TimeShare[0].Share > 0.76 {
			t.Errorf("time shares: got %+v, want slow with three quarters", h.TimeShare)
		}
		if h.Sessions != 1 || h.CallsPerSession != 3 || h.CallsPerTurn != 1.5 {
			t.Errorf("got %+v, want one session with 3 calls in 2 turns", h)
		}
	})
}

func TestRecentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t, Options{MaxRecent: 16})
		a, b := &toolkit.Definition{Name: "a"}, &toolkit.Definition{Name: "b"}
		for i := range 20 {
			record(r, call(a, time.Duration(i)*time.Millisecond, in("s", i)))
		}
		record(r, call(b, 2*time.Second, failing("timeout", "late"), sampled(7)),
			call(b, 0, with(toolkit.OutcomeCacheHit), func(e *toolkit.Ended) {
				e.Disposition.Origin = toolkit.SpanRef{TraceID: [16]byte{7}, SpanID: [8]byte{7}}
				e.Disposition.Age = time.Minute
			}))
		for _, c := range []struct {
			f    Filter
			want int
		}{
			{Filter{}, 16}, {Filter{Tool: "b"}, 2}, {Filter{Outcome: "cache_hit"}, 1}, {Filter{ErrorType: "timeout"}, 1},
			{Filter{ErrorsOnly: true}, 1}, {Filter{Session: "s"}, 14}, {Filter{MinDuration: time.Second}, 1}, {Filter{Limit: 3}, 3},
			{Filter{After: 20}, 2}, {Filter{Before: 10}, 3}, {Filter{Tool: "c"}, 0},
		} {
			if got := r.Recent(c.f); len(got) != c.want {
				t.Errorf("%+v: got %d calls, want %d", c.f, len(got), c.want)
			}
		}
		x, ok := r.Call(21)
		if !ok || x.Tool != "b" || x.Error != "late" || x.RunMs != 2000 || !x.Sampled || x.TraceID[:2] != "07" ||
			x.ErrorGroup != r.Snapshot(Window{}).Errors[0].ID {
			t.Errorf("got %+v, %v", x, ok)
		}
		if x, _ = r.Call(22); x.OriginTraceID[:2] != "07" || x.AgeMs != 60_000 {
			t.Errorf("got %+v, want where the answer came from", x)
		}
		if _, ok := r.Call(1); ok || r.LastID() != 22 {
			t.Errorf("the first of 22 calls is still there, or the last ID is %d", r.LastID())
		}
	})
}

func TestExemplars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "t"}
		for i := range 200 {
			record(r, call(tool, time.Duration(1+i)*time.Millisecond, sampled(byte(1+i))))
			record(r, call(tool, time.Hour/2)) // slower, but not sampled
			time.Sleep(200 * time.Millisecond)
		}
		s := r.Summary(Window{}).Tools[0]
		if len(s.Slowest) != 5 || s.Slowest[0].DurationMs != 200 || s.Slowest[4].DurationMs != 196 {
			t.Errorf("got slowest %+v, want 200 to 196 ms", s.Slowest)
		}
		for range 60_000 {
			record(r, call(tool, 30*time.Millisecond, sampled(250)))
		}
		if x := r.Summary(Window{}).Tools[0].NearP99; x == nil || x.DurationMs < 15 || x.DurationMs > 60 {
			t.Errorf("near p99: got %+v, want a call of about 30 ms", x)
		}
	})
}

func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "t"}
		e := call(tool, time.Second)
		for range 5 {
			r.Begin(t.Context(), e.Call, &e.Info)
		}
		for range 3 {
			r.End(t.Context(), e)
		}
		check := func(running, peak int64) {
			t.Helper()
			s := r.Summary(Window{Last: time.Minute})
			if len(s.Tools) != 1 || s.Tools[0].InFlight != running || s.Tools[0].Peak != peak {
				t.Errorf("got %+v, want %d running and a peak of %d", s.Tools, running, peak)
			}
		}
		check(2, 5)
		time.Sleep(10 * time.Minute)
		check(2, 2)
	})
}

// heapInUse is how many bytes are in use after a collection.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("feeds 200,000 of each thing")
	}
	r := newRecorder(t, Options{MaxTools: 50, MaxSessions: 100, MaxErrorGroups: 50, MaxLoops: 20, MaxRecent: 100})
	before := heapInUse()
	const n = sampleSize / 5 // a thousand times what may be kept
	e := call(nil, time.Millisecond)
	for i := range n {
		e.Info.Tool = &toolkit.Definition{Name: fmt.Sprint("tool", i)}
		e.Info.Session = &toolkit.Session{ID: fmt.Sprint("session", i)}
		e.Disposition.Repeat = 1
		e.Disposition.Run = time.Duration(i) * 3 * time.Microsecond
		failing("tool_error", word(i)+" failed")(e)
		record(r, e)
	}
	after := heapInUse()
	l := r.Limits()
	if grown := after - before; grown > l.Bytes+1<<20 {
		t.Errorf("the heap grew by %d bytes, Limits says %d", grown, l.Bytes)
	}
	if l.Tools != 50 || l.Sessions > l.MaxSessions || l.ErrorGroups != 50 || l.Loops != 20 {
		t.Errorf("got %+v", l)
	}
	if l.Bytes > l.MaxBytes {
		t.Errorf("got %d bytes, want at most %d", l.Bytes, l.MaxBytes)
	}
	s := r.Summary(Window{})
	if s.Overall.Calls != n || s.Overall.Errors != n {
		t.Errorf("got %d calls and %d errors, want %d of both", s.Overall.Calls, s.Overall.Errors, n)
	}
	other := r.Snapshot(Window{}).Tool(Other)
	if other == nil || other.Calls() != n-50 {
		t.Errorf("other: got %+v, want %d calls", other, n-50)
	}
}

// TestLatestSessions: the first of many sessions are those that all of them begin with.
func TestLatestSessions(t *testing.T) {
	for _, sessions := range []int{0, 1, 5, 400} {
		r := newRecorder(t, Options{MaxSessions: 4096})
		for i := range sessions {
			e := call(&toolkit.Definition{Name: "t"}, time.Millisecond, in(fmt.Sprint("s", i), 1))
			e.End = e.End.Add(time.Duration(i*7919%100) * time.Second) // some at the same time
			record(r, e)
		}
		all := r.Sessions(0)
		if len(all) != sessions || r.Limits().Sessions != sessions || r.Health(Window{}).Sessions != sessions {
			t.Errorf("got %d sessions, %d of them counted, want %d", len(all), r.Limits().Sessions, sessions)
		}
		for i := 1; i < len(all); i++ {
			if all[i].LastSeen.After(all[i-1].LastSeen) {
				t.Errorf("session %d was seen after the one before it", i)
			}
		}
		for _, n := range []int{1, 2, 12, 399, 1000} {
			got := r.Sessions(n)
			want := all[:min(n, len(all))]
			if !slices.EqualFunc(got, want, func(a, b SessionStats) bool {
				return a.Session == b.Session &&
					a.LastSeen.Equal(b.LastSeen)
			}) {
				t.Errorf("the latest %d of %d are not those that all begin with", n, sessions)
			}
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// only is the one element of a list, or the zero value without one.
func only[T any](list []T) (one T) {
	for _, one = range list {
	}
	return one
}

// newRecorder makes a recorder that is closed when the test ends, with the default options if none
// are given.
func newRecorder(t testing.TB, o ...Options) *Recorder {
	t.Helper()
	r, err := New(only(o))
	return closedAtEnd(t, r, err)
}

// closedAtEnd closes a recorder that was just made when the test ends.
func closedAtEnd(t testing.TB, r *Recorder, err error) *Recorder {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// call is a call that has ended, for tests to change before it is recorded.
func call(tool *toolkit.Definition, run time.Duration, change ...func(e *toolkit.Ended)) *toolkit.Ended {
	now := time.Now()
	e := &toolkit.Ended{
		Info: toolkit.CallInfo{Tool: tool, Start: now.Add(-run)}, Disposition: toolkit.Disposition{Run: run},
		Start: now.Add(-run), End: now, ArgumentsBytes: 10, ResultBytes: 100,
	}
	for _, c := range change {
		c(e)
	}
	return e
}

func failing(kind, text string) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) { e.ErrorType, e.Err = kind, errors.New(text) }
}

func with(o toolkit.Outcome) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) { e.Disposition.Outcome = o; e.Disposition.Run = 0 }
}

func sampled(n byte) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) {
		e.Info.Span = toolkit.SpanRef{TraceID: [16]byte{n}, SpanID: [8]byte{n}, Sampled: true}
	}
}

func in(session string, turn int) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) { e.Info.Session = &toolkit.Session{ID: session, Agent: "agent", Turn: turn} }
}

func record(r *Recorder, calls ...*toolkit.Ended) {
	for _, e := range calls {
		r.Begin(context.Background(), e.Call, &e.Info)
		r.End(context.Background(), e)
	}
}

func TestOutcomesAreCountedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "search", Cost: 0.5}
		record(r,
			call(tool, 100*time.Millisecond),
			call(tool, 200*time.Millisecond, func(e *toolkit.Ended) { e.ResultBytes = 0; e.Disposition.Attempts = 3 }),
			call(tool, 300*time.Millisecond, failing("timeout", "deadline")),
			call(tool, time.Microsecond, with(toolkit.OutcomeCacheHit)),
			call(tool, time.Microsecond, with(toolkit.OutcomeCoalesced)),
			call(tool, time.Microsecond, with(toolkit.OutcomeRepeated)),
			call(tool, time.Microsecond, with(toolkit.OutcomeRefused), failing("permission_denied", "no")),
			call(tool, 50*time.Millisecond, func(e *toolkit.Ended) {
				e.Disposition.Queue, e.Disposition.Approval, e.Disposition.Backoff = time.Second, 2*time.Second, 3*time.Second
				e.Result.Suspended = true
			}),
			call(nil, time.Second, with(toolkit.OutcomeRefused), failing("unknown_tool", "who?")),
		)
		r.AddContent(tool, 4, 2)
		s := r.Summary(Window{Last: time.Minute})
		if len(s.Tools) != 2 {
			t.Fatalf("got tools %+v, want search and _unknown", s.Tools)
		}
		got := s.Tools[0]
		type figures struct {
			Calls, Executed, Failed, Errors, Hits, Coalesced, Repeated, Refused, Retries, Empty, Suspended, In, Out,
			Redactions, Truncations uint64
			Cost float64
		}
		want := figures{8, 4, 1, 2, 1, 1, 1, 1, 2, 1, 1, 80, 700, 4, 2, 3}
		have := figures{got.Calls, got.Executed, got.Failed, got.Errors, got.CacheHits, got.Coalesced, got.Repeated, got.Refused,
			got.Retries, got.Empty, got.Suspended, got.BytesIn, got.BytesOut, got.Redactions, got.Truncations, got.Cost}
		if have != want {
			t.Errorf("got  %+v\nwant %+v", have, want)
		}
		if got.P50Ms < 99.9 || got.P50Ms > 100.1 {
			t.Errorf("p50: got %v ms, want 100: hits and refusals must not be in it", got.P50Ms)
		}
		for name, w := range map[string]*Wait{"queue 1000": got.Queue, "approval 2000": got.Approval, "backoff 3000": got.Backoff} {
			var label string
			var wantMs float64
			fmt.Sscan(name, &label, &wantMs)
			if w == nil || w.Count != 1 || w.MaxMs < wantMs*0.99 || w.MaxMs > wantMs*1.01 {
				t.Errorf("%s: got %+v, want one wait of %v ms", label, w, wantMs)
			}
		}
		if o := s.Tools[1]; o.Tool != UnknownTool || o.Refused != 1 || o.ErrorTypes[0] != (TypeCount{"unknown_tool", 1}) {
			t.Errorf("_unknown: got %+v, want one refusal as unknown_tool", o)
		}
		if s.Overall.Calls != 9 || s.Overall.Errors != 3 {
			t.Errorf("overall: got %d calls and %d errors, want 9 and 3", s.Overall.Calls, s.Overall.Errors)
		}
	})
}

func TestCountsAreExactUnderConcurrency(t *testing.T) {
	const goroutines, each = 2000 / raceSaving, 50
	r := newRecorder(t)
	tools := make([]*toolkit.Definition, 8)
	for i := range tools {
		tools[i] = &toolkit.Definition{Name: fmt.Sprintf("tool%d", i)}
	}
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					r.Summary(Window{Last: time.Minute})
					r.Recent(Filter{Limit: 10})
					r.Sessions(0)
				}
			}
		})
	}
	readers.Go(func() { // seals far more often than every ten seconds
		for {
			select {
			case <-stop:
				return
			default:
				r.sealing.Lock()
				r.put(r.opened, time.Now().UnixNano())
				r.sealing.Unlock()
			}
		}
	})
	for g := range goroutines {
		writers.Go(func() {
			for i := range each {
				e := call(tools[(g+i)%len(tools)], time.Duration(g*each+i)*time.Microsecond, in(fmt.Sprint("s", g%16), 0), sampled(byte(g)))
				if i%10 == 0 {
					failing("tool_error", fmt.Sprintf("row %d failed", i))(e)
				}
				record(r, e)
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	s := r.Summary(Window{})
	if s.Overall.Executed != goroutines*each || s.Overall.Errors != goroutines*each/10 || s.Overall.InFlight != 0 {
		t.Errorf("got %d executed, %d errors, %d running, want %d, %d, 0", s.Overall.Executed, s.Overall.Errors,
			s.Overall.InFlight, goroutines*each, goroutines*each/10)
	}
	if s.Overall.BytesOut != goroutines*each*100 {
		t.Errorf("bytes out: got %d, want %d", s.Overall.BytesOut, goroutines*each*100)
	}
	var calls uint64
	for _, x := range r.Sessions(0) {
		calls += x.Calls
	}
	if calls != goroutines*each {
		t.Errorf("sessions: got %d calls, want %d", calls, goroutines*each)
	}
}

// A tool's first calls may fail while an interval is sealed.
func TestErrorsOfANewToolAreInTheInterval(t *testing.T) {
	const rounds, tools = 20, 200
	for range rounds {
		r := newRecorder(t)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range tools {
				record(r, call(&toolkit.Definition{Name: fmt.Sprint("tool", i)}, time.Millisecond, failing("tool_error", "no")))
			}
		}()
		for sealing := true; sealing; {
			select {
			case <-done:
				sealing = false
			default:
			}
			r.sealing.Lock()
			r.put(r.opened, time.Now().UnixNano())
			r.sealing.Unlock()
		}
		if got := r.Summary(Window{}).Overall; got.Executed != tools || got.Errors != tools {
			t.Fatalf("got %d calls and %d errors, want %d of both", got.Executed, got.Errors, tools)
		}
	}
}

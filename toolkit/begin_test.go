// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/internal/counters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestFirstEndWins(t *testing.T) {
	var seen tooltest.Recorder
	tool := named("tool")
	_, running := toolkit.Begin(t.Context(), toolkit.Call{Name: "tool"}, &tool, &seen, nil)
	var wins sync.Map
	var ends sync.WaitGroup
	for i := range 50 {
		ends.Go(func() {
			if running.End(toolkit.Result{Output: strconv.Itoa(i)}, nil) {
				wins.Store(i, true)
			}
		})
	}
	ends.Wait()
	won := 0
	wins.Range(func(i, _ any) bool {
		won++
		if got := seen.All()[0].Result.Output; got != strconv.Itoa(i.(int)) {
			t.Errorf("the end that won said %v, told %s", i, got)
		}
		return true
	})
	if won != 1 || seen.Len() != 1 || seen.Open() != 0 {
		t.Errorf("got %d winners, %d ends told, %d open, want 1, 1, 0", won, seen.Len(), seen.Open())
	}
	if running.Record().Live() {
		t.Error("the record lives after the end")
	}
}

func TestEndTellsAsAHandlerDoes(t *testing.T) {
	failure := errors.New("no")
	for _, tt := range []struct {
		name   string
		res    toolkit.Result
		err    error
		ending toolkit.Ending
		want   string
	}{
		{"success", toolkit.Result{}, nil, toolkit.EndingReturned, ""},
		{"fault", toolkit.Result{Fault: failure}, nil, toolkit.EndingReturned, "tool_error"},
		{"error", toolkit.Result{}, failure, toolkit.EndingFailed, "tool_error"},
		{"timeout", toolkit.Result{}, context.DeadlineExceeded, toolkit.EndingFailed, "timeout"},
		{"panic", toolkit.Result{}, &toolkit.PanicError{Value: 1}, toolkit.EndingFailed, "panic"},
		{"suspended", toolkit.Result{Suspended: true}, nil, toolkit.EndingReturned, ""},
	} {
		var seen tooltest.Recorder
		_, running := toolkit.Begin(t.Context(), toolkit.Call{}, nil, &seen)
		running.End(tt.res, tt.err)
		if e := seen.All()[0]; e.Ending != tt.ending || e.ErrorType != tt.want || e.Result.Suspended != tt.res.Suspended {
			t.Errorf("%s: told %v, want %v and %q", tt.name, e, tt.ending, tt.want)
		}
	}
}

func TestChunksAndProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen tooltest.Recorder
		_, running := toolkit.Begin(t.Context(), toolkit.Call{}, nil, &seen)
		time.Sleep(2 * time.Second)
		running.Chunk(10)
		running.Progress(0.5)
		time.Sleep(3 * time.Second)
		running.Chunk(5)
		running.Chunk(-1)
		running.Progress(0.75)
		running.End(toolkit.Result{}, nil)
		running.Chunk(1000)
		running.Progress(1)
		e := seen.All()[0]
		if e.FirstChunk != 2*time.Second || e.Chunks != 3 || e.ChunkBytes != 15 || e.Progress != 0.75 || e.Duration() != 5*time.Second {
			t.Errorf(
				"got first chunk after %v, %d chunks, %d bytes, progress %v, want 2s, 3, 15, 0.75", e.FirstChunk,
				e.Chunks, e.ChunkBytes, e.Progress,
			)
		}
	})
}

func TestRunningIsSafeForConcurrentUse(t *testing.T) {
	var seen tooltest.Recorder
	_, running := toolkit.Begin(t.Context(), toolkit.Call{}, nil, &seen)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			running.Chunk(1)
			running.Progress(0.5)
			running.Record().Note(func(s *toolkit.Disposition) { s.Attempts++ })
		})
	}
	wg.Wait()
	running.End(toolkit.Result{}, nil)
	if e := seen.All()[0]; e.Chunks != 200 || e.ChunkBytes != 200 || e.Disposition.Attempts != 200 {
		t.Errorf("got %d chunks, %d bytes, %d notes, want 200 each", e.Chunks, e.ChunkBytes, e.Disposition.Attempts)
	}
}

func TestNilRunningWorks(t *testing.T) {
	var r *toolkit.Running
	r.Chunk(1)
	r.Progress(1)
	if r.End(toolkit.Result{}, nil) || r.Record().Live() {
		t.Error("a nil Running ended something")
	}
}

// abandoned is how many calls were abandoned until now, with those that earlier tests left for
// the collector.
func abandoned() uint64 {
	for n := counters.AbandonedCalls.Load(); ; n = counters.AbandonedCalls.Load() {
		for range 3 {
			runtime.GC()
			time.Sleep(time.Millisecond) // cleanups run beside
		}
		if counters.AbandonedCalls.Load() == n {
			return n
		}
	}
}

// A Running that is unreachable is closed by the collector.
func TestForgottenCallIsClosedAsAbandoned(t *testing.T) {
	before := abandoned()
	ended := make(chan toolkit.Ended, 1)
	observer := funcs{end: func(_ context.Context, e *toolkit.Ended) { ended <- *e }}
	ctx, _ := toolkit.Begin(t.Context(), toolkit.Call{ID: "forgotten"}, nil, observer)
	for {
		runtime.GC()
		select {
		case e := <-ended:
			if e.Call.ID != "forgotten" || e.Ending != toolkit.EndingAbandoned || e.ErrorType != toolkit.TypeOther || e.ResultBytes != -1 {
				t.Errorf("told %v, want the forgotten call as abandoned", e)
			}
			if got := counters.AbandonedCalls.Load() - before; got != 1 {
				t.Errorf("got %d counted, want 1", got)
			}
			runtime.KeepAlive(ctx) // a context that lives on keeps nothing open
			return
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the call was never closed")
		}
	}
}

// An ended call that becomes garbage is not closed again.
func TestEndedCallIsNotAbandoned(t *testing.T) {
	before := abandoned()
	var seen tooltest.Recorder
	for range 100 {
		_, running := toolkit.Begin(t.Context(), toolkit.Call{}, nil, &seen)
		running.End(toolkit.Result{}, nil)
	}
	runtime.GC()
	runtime.GC()
	if seen.Len() != 100 || counters.AbandonedCalls.Load() != before {
		t.Errorf("got %d ends and %d abandoned, want 100 and 0", seen.Len(), counters.AbandonedCalls.Load()-before)
	}
}

func TestOpenCallsAreBounded(t *testing.T) {
	const more = 5
	before := abandoned()
	var seen tooltest.Recorder
	running := make([]*toolkit.Running, 0, toolkit.MaxOpen+more)
	for i := range cap(running) {
		_, r := toolkit.Begin(t.Context(), toolkit.Call{ID: strconv.Itoa(i)}, nil, &seen)
		running = append(running, r)
	}
	if toolkit.OpenCalls() != toolkit.MaxOpen || counters.AbandonedCalls.Load()-before != more {
		t.Errorf(
			"got %d open and %d abandoned, want %d and %d", toolkit.OpenCalls(),
			counters.AbandonedCalls.Load()-before, toolkit.MaxOpen, more,
		)
	}
	for i, e := range seen.TakeAll() {
		if e.Call.ID != strconv.Itoa(i) || e.Ending != toolkit.EndingAbandoned {
			t.Errorf("closed %v as number %d, want the oldest first", e, i)
		}
	}
	for i, r := range running {
		if r.End(toolkit.Result{}, nil) != (i >= more) {
			t.Fatalf("End of call %d: got %v", i, i < more)
		}
	}
	if toolkit.OpenCalls() != 0 {
		t.Errorf("got %d open at the end, want 0", toolkit.OpenCalls())
	}
}

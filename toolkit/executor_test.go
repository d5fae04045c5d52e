// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// numbered makes calls of one name with the ids 0, 1, 2, ….
func numbered(name string, n int) []toolkit.Call {
	calls := make([]toolkit.Call, n)
	for i := range calls {
		calls[i] = toolkit.Call{ID: strconv.Itoa(i), Name: name}
	}
	return calls
}

func TestExecutorAnswersInOrderWithinItsLimit(t *testing.T) {
	for _, parallel := range []int{0, 1, 2, 7, 100, -1} {
		t.Run(strconv.Itoa(parallel), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 20
				var running, most atomic.Int64
				e := &toolkit.Executor{Parallel: parallel, Handler: func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
					now := running.Add(1)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					i, _ := strconv.Atoi(call.ID)
					time.Sleep(time.Duration(n-i) * time.Second) // the last ones are ready first
					running.Add(-1)
					return toolkit.Result{Output: "answer " + call.ID}, nil
				}}
				answers := e.Execute(t.Context(), numbered("tool", n)...)
				for i, a := range answers {
					if id := strconv.Itoa(i); a.CallID != id || a.Name != "tool" || a.Result.Output != "answer "+id {
						t.Errorf("place %d: got %v", i, a)
					}
				}
				want := int64(n)
				if parallel > 0 {
					want = min(want, int64(parallel))
				}
				if len(answers) != n || most.Load() != want {
					t.Errorf("got %d answers and %d calls at once, want %d and %d", len(answers), most.Load(), n, want)
				}
			})
		})
	}
}

// Each call has the whole of its time from when it runs, however long it waited.
func TestExecutorTimesEachCallFromWhenItRuns(t *testing.T) {
	for _, tt := range []struct {
		name           string
		executor, tool time.Duration
		want           time.Duration // when the call's context is canceled; 0 is never
	}{
		{"the default", 0, 0, toolkit.DefaultTimeout},
		{"the executor's", 10 * time.Second, 0, 10 * time.Second},
		{"the tool's if shorter", 10 * time.Second, 3 * time.Second, 3 * time.Second},
		{"the executor's if shorter", 10 * time.Second, 30 * time.Second, 10 * time.Second},
		{"the tool's against none", -1, 3 * time.Second, 3 * time.Second},
		{"none", -1, 0, 0},
		{"the tool wants none", 10 * time.Second, -1, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := tooltest.Slow(toolkit.Definition{Name: "slow", Timeout: tt.tool}, time.Hour)
				tools := registry(t, slow)
				e := &toolkit.Executor{Handler: tools.Handle, Tools: tools.Lookup, Parallel: 1, Timeout: tt.executor}
				start := time.Now()
				answers := e.Execute(t.Context(), numbered("slow", 3)...)
				took, each := time.Since(start), tt.want
				if each == 0 {
					each = time.Hour
				}
				if took != 3*each {
					t.Errorf("three calls in turn took %v, want %v", took, 3*each)
				}
				for _, a := range answers {
					if got := toolkit.TypeOf(a.Result.Fault); got != map[bool]string{true: "timeout", false: ""}[tt.want > 0] {
						t.Errorf("call %s: got %q", a.CallID, got)
					}
				}
			})
		})
	}
}

func TestSlowCallStopsOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := registry(t, tooltest.Slow(named("slow"), time.Hour), tooltest.Slow(named("quick"), time.Second))
		e := &toolkit.Executor{Handler: tools.Handle, Timeout: time.Minute}
		var cause error
		e.Handler = func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			res, err := tools.Handle(ctx, call)
			if call.Name == "slow" {
				cause = context.Cause(ctx)
			}
			return res, err
		}
		answers := e.Execute(t.Context(), toolkit.Call{Name: "slow"}, toolkit.Call{Name: "quick"})
		if !errors.Is(answers[0].Result.Fault, context.DeadlineExceeded) || answers[1].Result.Fault != nil ||
			answers[1].Result.Output != "done" {
			t.Errorf("got %v, want a timeout and an answer", answers)
		}
		if want := `tool "slow": timeout: ran longer than 1m0s`; cause == nil || cause.Error() != want {
			t.Errorf("the context's cause: got %v, want %q", cause, want)
		}
	})
}

func TestExecutorSurvivesItsTools(t *testing.T) {
	failure := errors.New("no such table")
	tools := registry(t,
		tooltest.Echo(named("echo")),
		tooltest.Failing(named("fails"), failure),
		tooltest.Panicking(named("panics"), failure),
		toolkit.ToolFunc(named("exits"), func(context.Context, toolkit.Call) (toolkit.Result, error) {
			runtime.Goexit()
			return toolkit.Result{}, nil
		}))
	calls := []toolkit.Call{
		{Name: "panics"}, {Name: "exits"}, {Name: "fails"}, {Name: "unknown"}, {Name: "exits"}, {Name: "panics"},
		{Name: "echo", Arguments: []byte("still here")},
	}
	want := []string{"panic", "tool_error", "tool_error", "unknown_tool", "tool_error", "panic", ""}
	for _, parallel := range []int{0, 1, 2} {
		e := &toolkit.Executor{Handler: tools.Handle, Parallel: parallel}
		answers := e.Execute(t.Context(), calls...)
		got := make([]string, len(answers))
		for i, a := range answers {
			got[i] = toolkit.TypeOf(a.Result.Fault)
			if a.Name != calls[i].Name || got[i] != "" && a.Result.Output == "" {
				t.Errorf("parallel %d, place %d: got %v, want an answer with a text for the model", parallel, i, a)
			}
		}
		if !slices.Equal(got, want) || answers[6].Result.Output != "still here" {
			t.Errorf("parallel %d: got %q, want %q", parallel, got, want)
		}
		var panicked *toolkit.PanicError
		if !errors.As(answers[0].Result.Fault, &panicked) || panicked.Value != failure ||
			!strings.Contains(string(panicked.Stack), "toolkit") {
			t.Errorf("parallel %d: got %v, want the panic with value and stack", parallel, answers[0].Result.Fault)
		}
	}
}

func TestExecutorWithNothing(t *testing.T) {
	var none *toolkit.Executor
	for name, e := range map[string]*toolkit.Executor{"nil": none, "zero": {}} {
		if got := e.Execute(t.Context()); len(got) != 0 {
			t.Errorf("%s: no calls: got %v", name, got)
		}
		got := e.Execute(t.Context(), toolkit.Call{ID: "1", Name: "x"})
		if len(got) != 1 || got[0].CallID != "1" || !strings.Contains(got[0].Result.Output, "the handler is nil") {
			t.Errorf("%s: got %v, want a refusal that says why", name, got)
		}
	}
}

func TestExecutorPassesCancellationOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tools := registry(t, tooltest.Echo(named("echo")))
	for _, a := range (&toolkit.Executor{Handler: tools.Handle, Parallel: 2}).Execute(ctx, numbered("echo", 5)...) {
		if !errors.Is(a.Result.Fault, context.Canceled) {
			t.Errorf("got %v, want a refusal of the cancelled call", a)
		}
	}
}

func TestBatchesAreOnePerTurn(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	note := func(ctx context.Context) {
		mu.Lock()
		defer mu.Unlock()
		s := toolkit.SessionFrom(ctx)
		if s == nil || s.ID != "s" {
			t.Errorf("got session %+v, want the application's", s)
			return
		}
		seen[s.Batch]++
	}
	inner := &toolkit.Executor{Handler: func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		note(ctx)
		return toolkit.Result{}, nil
	}}
	outer := &toolkit.Executor{Handler: func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		note(ctx)
		inner.Execute(ctx, numbered("inner", 3)...)
		return toolkit.Result{}, nil
	}}
	session := toolkit.Session{ID: "s"}
	ctx := toolkit.WithSession(t.Context(), session)
	outer.Execute(ctx, numbered("outer", 2)...)
	counts := []int{}
	for batch, n := range seen {
		if batch == "" {
			t.Error("a call of an executor has no batch")
		}
		counts = append(counts, n)
	}
	if slices.Sort(counts); !slices.Equal(counts, []int{2, 3, 3}) {
		t.Errorf("got batches of %v, want one of 2 and two of 3", counts)
	}
	if got := toolkit.SessionFrom(ctx).Batch; got != "" {
		t.Errorf("the caller's session got batch %q", got)
	}

	none := &toolkit.Executor{Handler: func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		if toolkit.SessionFrom(ctx) != nil {
			t.Error("a session was made up")
		}
		return toolkit.Result{}, nil
	}}
	none.Execute(t.Context(), toolkit.Call{})
}

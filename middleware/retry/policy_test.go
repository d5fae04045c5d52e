// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestWhatIsRetried(t *testing.T) {
	timeouts := []toolkit.Kind{toolkit.ErrTimeout}
	timeout := tooltest.Step{Err: &toolkit.Error{Kind: toolkit.ErrTimeout}}
	for _, c := range []struct {
		name    string
		options retry.Options
		def     toolkit.Definition
		first   tooltest.Step
		again   bool
	}{
		{"no error type named", retry.Options{}, readOnly, timeout, false},
		{"a tool that says nothing", retry.Options{On: timeouts}, toolkit.Definition{Name: "x"}, timeout, false},
		{"a tool that writes", retry.Options{On: timeouts},
			toolkit.Definition{ReadOnly: toolkit.No, Idempotent: toolkit.No}, timeout, false},
		{"a read-only tool", retry.Options{On: timeouts}, readOnly, timeout, true},
		{"an idempotent tool", retry.Options{On: timeouts},
			toolkit.Definition{Idempotent: toolkit.Yes, Destructive: toolkit.Yes}, timeout, true},
		{"a named tool", retry.Options{On: timeouts, Tools: []string{"x"}}, toolkit.Definition{Name: "x"}, timeout, true},
		{"one attempt only", retry.Options{On: timeouts, Attempts: 1}, readOnly, timeout, false},
		{"another error", retry.Options{On: timeouts}, readOnly, tooltest.Step{Err: errDown}, false},
		{"a fault of the type", retry.Options{On: timeouts}, readOnly,
			tooltest.Step{Result: toolkit.Result{Fault: context.DeadlineExceeded}}, true},
		{"an error that says nothing", retry.Options{On: []toolkit.Kind{toolkit.TypeOther}}, readOnly,
			tooltest.Step{Err: errDown}, true},
		{"a fault that says nothing", retry.Options{On: []toolkit.Kind{toolkit.TypeOther}}, readOnly,
			tooltest.Step{Result: toolkit.Result{Fault: errDown}}, false},
		{"a tool's failure", retry.Options{On: []toolkit.Kind{toolkit.ErrTool}}, readOnly,
			tooltest.Step{Result: toolkit.Result{Fault: errDown}}, true},
		{"a host's own type", retry.Options{OnTypes: []string{"throttled"}}, readOnly, tooltest.Step{Err: later{}}, true},
		{"a suspended result", retry.Options{On: timeouts}, readOnly,
			tooltest.Step{Result: toolkit.Result{Fault: toolkit.ErrTimeout, Suspended: true}}, false},
		{"a success", retry.Options{On: timeouts}, readOnly, tooltest.Text("fine"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tool := tooltest.Scripted(c.def, c.first, tooltest.Text("second"))
				res, err := run(t.Context(), new(attempts), policy(t, c.options), c.def, tool.Handle)
				if again := len(tool.Calls()) == 2; again != c.again {
					t.Errorf("got %d attempts, want a second one: %t", len(tool.Calls()), c.again)
				}
				if c.again && (err != nil || res.Output != "second") || !c.again && !errors.Is(err, c.first.Err) {
					t.Errorf("got %q, %v", res.Output, err)
				}
			})
		})
	}
}

func TestAttemptsAreToldAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen attempts
		tool := failing(2, errDown)
		began := time.Now()
		_, err := run(t.Context(), &seen, policy(t, retry.Options{On: []toolkit.Kind{toolkit.TypeOther}}), readOnly,
			func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				if got := ctx.Value(attemptKey{}); call.Attempt > 1 && got != call.Attempt {
					t.Errorf("attempt %d runs in the context of %v", call.Attempt, got)
				}
				time.Sleep(time.Second)
				return tool.Handle(ctx, call)
			})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(seen.told), "[{1 _OTHER} {2 _OTHER} {3 }]"; got != want {
			t.Errorf("attempts: got %s, want %s", got, want)
		}
		s := seen.All()[0].Disposition
		if s.Attempts != 3 || s.Outcome != toolkit.OutcomeExecuted || s.Backoff != time.Since(began)-3*time.Second ||
			s.Run != 3*time.Second {
			t.Errorf("got %d attempts, %v, backoff %v, run %v after %v", s.Attempts, s.Outcome, s.Backoff, s.Run, time.Since(began))
		}
		if s.Backoff > 300*time.Millisecond || seen.tag() != "" {
			t.Errorf("got backoff %v, want at most 100 ms and 200 ms; tag %q, want none", s.Backoff, seen.tag())
		}
	})
}

func TestWhatStopsRetries(t *testing.T) {
	throttled := retry.Options{OnTypes: []string{"throttled"}, Attempts: 4}
	for _, c := range []struct {
		name     string
		err      later
		options  retry.Options
		timeout  time.Duration
		cancel   time.Duration
		attempts int
		low, up  time.Duration // how long it all takes
		tag      string
	}{
		{name: "the attempts are used up", options: throttled, attempts: 4, up: 700 * time.Millisecond, tag: "exhausted"},
		{name: "the budget is", options: retry.Options{OnTypes: throttled.OnTypes, Attempts: 9,
			Budget: retry.Budget{Burst: 2, PerSecond: -1, Ratio: -1}}, attempts: 3, up: 300 * time.Millisecond, tag: "budget"},
		{name: "each is waited for", err: later{5 * time.Second}, options: throttled, attempts: 4, low: 15 * time.Second,
			up: 15700 * time.Millisecond, tag: "exhausted"},
		{name: "a longer wait is asked for", err: later{10*time.Second + 1}, options: throttled, attempts: 1, tag: "later"},
		{name: "the deadline is too near", err: later{5 * time.Second}, options: throttled, timeout: 8 * time.Second,
			attempts: 2, low: 5 * time.Second, up: 5100 * time.Millisecond, tag: "deadline"},
		{name: "the caller gives up", err: later{5 * time.Second}, options: throttled, cancel: 7 * time.Second, attempts: 2,
			low: 7 * time.Second, up: 7 * time.Second, tag: "canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen attempts
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.timeout > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.timeout)
					defer cancel()
				}
				if c.cancel > 0 {
					defer time.AfterFunc(c.cancel, cancel).Stop()
				}
				tool := failing(100, c.err)
				began := time.Now()
				_, err := run(ctx, &seen, policy(t, c.options), readOnly, tool.Handle)
				took := time.Since(began)
				if !errors.Is(err, c.err) {
					t.Errorf("got %v, want the last attempt's own error", err)
				}
				if n := len(tool.Calls()); n != c.attempts || took < c.low || took > c.up || seen.tag() != c.tag {
					t.Errorf("got %d attempts in %v, %q, want %d in %v to %v, %q", n, took, seen.tag(), c.attempts, c.low, c.up, c.tag)
				}
				if e := seen.All()[0]; e.Disposition.Outcome != toolkit.OutcomeExecuted || e.Disposition.Backoff != took ||
					int(e.Disposition.Attempts) != c.attempts {
					t.Errorf("got %v, backoff %v, %d attempts", e.Disposition.Outcome, e.Disposition.Backoff, e.Disposition.Attempts)
				}
			})
		})
	}
}

// A caller who is gone before the attempt has ended waits for no other.
func TestACallerWhoIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen attempts
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := run(ctx, &seen, policy(t, retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}}), readOnly,
			func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				<-ctx.Done()
				return toolkit.Result{}, ctx.Err()
			})
		if !errors.Is(err, context.DeadlineExceeded) || len(seen.told) != 0 || seen.tag() != "deadline" {
			t.Errorf("got %v, %v, %q", err, seen.told, seen.tag())
		}
	})
}

func TestPanics(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		on       toolkit.Kind
		panics   int
		attempts int
		again    any // what the call panics with
	}{
		{toolkit.ErrTimeout, 1, 1, boom},
		{toolkit.ErrPanic, 2, 3, nil},
		{toolkit.ErrPanic, 9, 3, boom},
	} {
		t.Run(fmt.Sprint(c.on, c.panics), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var steps []tooltest.Step
				for range c.panics {
					steps = append(steps, tooltest.Step{Panic: boom})
				}
				tool := tooltest.Scripted(readOnly, append(steps, tooltest.Text("ok"))...)
				var seen attempts
				var thrown any
				func() {
					defer func() { thrown = recover() }()
					run(t.Context(), &seen, policy(t, retry.Options{On: []toolkit.Kind{c.on}}), readOnly, tool.Handle)
				}()
				told := c.attempts
				if told == 1 {
					told = 0 // a call that was not tried again has no attempts
				}
				if thrown != c.again || len(tool.Calls()) != c.attempts || len(seen.told) != told || told > 0 &&
					seen.told[0].kind != "panic" {
					t.Errorf("got panic %v, %d attempts, told %v, want %v, %d", thrown, len(tool.Calls()), seen.told, c.again, c.attempts)
				}
			})
		})
	}
}

func TestGoexitIsNotRetried(t *testing.T) {
	var seen attempts
	done := make(chan struct{})
	n := 0
	go func() {
		defer close(done)
		run(t.Context(), &seen, policy(t, retry.Options{
			On: []toolkit.Kind{toolkit.ErrPanic, toolkit.ErrTool, toolkit.TypeOther}}), readOnly,
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				n++
				runtime.Goexit()
				return toolkit.Result{}, nil
			})
		t.Error("the goroutine went on")
	}()
	<-done
	if n != 1 || len(seen.told) != 0 || seen.All()[0].Ending != toolkit.EndingGoexit {
		t.Errorf("got %d attempts, %v told, ending %v", n, seen.told, seen.All()[0].Ending)
	}
}

// What one attempt was refused for says nothing of the call, if another one runs.
func TestTheLastAttemptsOutcomeStays(t *testing.T) {
	refuse := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrCircuitOpen})
	}
	for _, c := range []struct {
		refused int
		want    toolkit.Outcome
	}{{1, toolkit.OutcomeExecuted}, {9, toolkit.OutcomeRefused}} {
		synctest.Test(t, func(t *testing.T) {
			var seen attempts
			run(t.Context(), &seen, policy(t, retry.Options{On: []toolkit.Kind{toolkit.ErrCircuitOpen}}), readOnly,
				func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
					if int(call.Attempt) <= c.refused {
						return refuse(ctx, call)
					}
					return toolkit.Result{}, nil
				})
			if got := seen.All()[0].Disposition.Outcome; got != c.want {
				t.Errorf("%d refused: got %v, want %v", c.refused, got, c.want)
			}
		})
	}
}

// A call of which one attempt ran is one that ran, whatever the others were refused for.
func TestWhatRanIsExecuted(t *testing.T) {
	for name, c := range map[string]struct {
		runs    []bool // whether the attempts reach the tool
		outcome toolkit.Outcome
		refused uint16
	}{
		"the first":  {[]bool{true, false, false}, toolkit.OutcomeExecuted, 2},
		"the second": {[]bool{false, true, false}, toolkit.OutcomeExecuted, 2},
		"the last":   {[]bool{false, false, true}, toolkit.OutcomeExecuted, 2},
		"all":        {[]bool{true, true, true}, toolkit.OutcomeExecuted, 0},
		"none":       {[]bool{false, false, false}, toolkit.OutcomeRefused, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			var seen attempts
			run(t.Context(), &seen, policy(t, retry.Options{On: []toolkit.Kind{toolkit.ErrOverloaded}}), readOnly,
				func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
					if !c.runs[call.Attempt-1] {
						return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrOverloaded})
					}
					return toolkit.Result{Fault: toolkit.ErrOverloaded}, nil
				})
			s := seen.All()[0].Disposition
			if s.Outcome != c.outcome || s.Refused != c.refused || s.Runs() != 3-int(c.refused) {
				t.Errorf("%s: got %v, %d refused, %d runs, want %v, %d refused", name, s.Outcome, s.Refused, s.Runs(), c.outcome, c.refused)
			}
		})
	}
}

// Each attempt asks the breaker: once the circuit is open, nothing is tried any more.
func TestEachAttemptAsksTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		circuits, err := breaker.New(breaker.Options{Consecutive: 2})
		if err != nil {
			t.Fatal(err)
		}
		tool := failing(100, errDown)
		var seen attempts
		h := middleware.Wrap(tool.Handle, circuits, policy(t, retry.Options{On: []toolkit.Kind{toolkit.TypeOther}, Attempts: 9}))
		h = toolkit.Observe(func(string) *toolkit.Definition { return &readOnly }, &seen)(h)
		for range 20 {
			if _, err := h(t.Context(), toolkit.Call{Name: "search"}); !errors.Is(err, toolkit.ErrCircuitOpen) {
				t.Errorf("got %v, want circuit_open", err)
			}
		}
		first, second := seen.All()[0].Disposition, seen.All()[1].Disposition
		if n := len(tool.Calls()); n != 2 || first.Attempts != 3 || second.Attempts != 1 || second.Outcome != toolkit.OutcomeRefused {
			t.Errorf("the tool ran %d times, %d and %d attempts, %v, want 2, 3 and 1, refused", n, first.Attempts,
				second.Attempts, second.Outcome)
		}
	})
}

// The rate limit says when to come back, and the retry does.
func TestARateLimitInsideIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def := readOnly
		def.RateLimit = toolkit.RateLimit{MaxCalls: 1, Window: 4 * time.Second}
		limits, err := limit.New(limit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var seen attempts
		h := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil },
			limits, policy(t, retry.Options{On: []toolkit.Kind{toolkit.ErrRateLimited}}))
		h = toolkit.Observe(func(string) *toolkit.Definition { return &def }, &seen)(h)
		for range 2 {
			if _, err := h(t.Context(), toolkit.Call{Name: "search"}); err != nil {
				t.Error(err)
			}
		}
		if s := seen.All()[1].Disposition; s.Attempts != 2 || s.Backoff < 4*time.Second || s.Outcome != toolkit.OutcomeExecuted {
			t.Errorf("got %d attempts, backoff %v, %v", s.Attempts, s.Backoff, s.Outcome)
		}
	})
}

// Without an observer there is no record, and definitions come from the look-up.
func TestToolsOfCallsThatNobodyObserves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := failing(1, errDown)
		p := policy(t, retry.Options{On: []toolkit.Kind{toolkit.TypeOther},
			Lookup: func(string) *toolkit.Definition { return &readOnly }})
		if _, err := p.Wrap(tool.Handle)(t.Context(), toolkit.Call{}); err != nil || len(tool.Calls()) != 2 {
			t.Errorf("got %v after %d attempts, want a second one", err, len(tool.Calls()))
		}
	})
}

// Each first attempt pays its share into the budget.
func TestCallsPayForRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Options{On: []toolkit.Kind{toolkit.TypeOther}, Budget: retry.Budget{Ratio: 0.5, PerSecond: -1, Burst: 1}})
		retried := 0
		for range 11 {
			tool := failing(1, errDown)
			if _, err := run(t.Context(), new(attempts), p, readOnly, tool.Handle); err == nil {
				retried++
			}
		}
		if retried != 6 { // one saved up, and half of the ten others
			t.Errorf("%d of 11 calls were retried, want 6", retried)
		}
	})
}

func TestPlace(t *testing.T) {
	if got := policy(t, retry.Options{}).Stage(); got != middleware.StageRetry {
		t.Errorf("got %v", got)
	}
}

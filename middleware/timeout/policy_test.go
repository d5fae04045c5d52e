// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

func TestHowACallEndsAfterTheLimit(t *testing.T) {
	broken := errors.New("signal: killed")
	wait := func(ctx context.Context) { <-ctx.Done() }
	for name, c := range map[string]struct {
		tool   func(ctx context.Context) (toolkit.Result, error)
		output string // contains
		err    string // contains, of the error, or of the fault
		is     error
		tags   map[string]string
	}{
		"in time": {
			func(context.Context) (toolkit.Result, error) { return toolkit.Result{Output: "done"}, nil },
			"done", "", nil, map[string]string{"error.type": "", "outcome": "executed"},
		},
		"context error": {
			func(ctx context.Context) (toolkit.Result, error) { wait(ctx); return toolkit.Result{}, ctx.Err() },
			"", `tool "slow": timeout: it ran for 2s, and one attempt may run for 2s; ask for less`, context.DeadlineExceeded,
			map[string]string{"error.type": "timeout", "outcome": "executed", "timeout.limit": "2s"},
		},
		"context error, late": {
			func(ctx context.Context) (toolkit.Result, error) {
				wait(ctx)
				time.Sleep(1500 * time.Millisecond) // in a bubble
				return toolkit.Result{}, ctx.Err()
			},
			"", "it ran for 3.5s, and one attempt may run for 2s", context.DeadlineExceeded,
			map[string]string{"error.type": "timeout", "outcome": "executed", "timeout.limit": "2s"},
		},
		"cause": {
			func(ctx context.Context) (toolkit.Result, error) {
				wait(ctx)
				return toolkit.Result{}, context.Cause(ctx)
			},
			"", "it ran for 2s, and one attempt may run for 2s", toolkit.ErrTimeout,
			map[string]string{"error.type": "timeout", "outcome": "executed", "timeout.limit": "2s"},
		},
		"another error": {
			func(ctx context.Context) (toolkit.Result, error) { wait(ctx); return toolkit.Result{}, broken },
			"", "it ended with: signal: killed", broken,
			map[string]string{"error.type": "timeout", "outcome": "executed", "timeout.limit": "2s"},
		},
		"a fault": {
			func(ctx context.Context) (toolkit.Result, error) { wait(ctx); return toolkit.Failure(ctx.Err()), nil },
			`tool "slow": timeout: it ran for 2s`, "it ran for 2s", context.DeadlineExceeded,
			map[string]string{"error.type": "timeout", "outcome": "executed", "timeout.limit": "2s"},
		},
		"a fault with what it had": {
			func(ctx context.Context) (toolkit.Result, error) {
				wait(ctx)
				return toolkit.Result{Output: "line 1", Fault: ctx.Err()}, nil
			},
			"line 1\n\ntool \"slow\": timeout: it ran for 2s", "it ran for 2s", context.DeadlineExceeded,
			map[string]string{"error.type": "timeout", "outcome": "executed", "timeout.limit": "2s"},
		},
		"an answer": {
			func(ctx context.Context) (toolkit.Result, error) {
				wait(ctx)
				return toolkit.Result{Output: "all the same"}, nil
			},
			"all the same", "", nil,
			map[string]string{"error.type": "", "outcome": "executed", "timeout.limit": "2s", "timeout.result": "kept"},
		},
		"suspended": {
			func(ctx context.Context) (toolkit.Result, error) {
				wait(ctx)
				return toolkit.Result{Output: "which one?", Suspended: true}, nil
			},
			"which one?", "", nil,
			map[string]string{"error.type": "", "outcome": "executed", "timeout.limit": "2s", "timeout.result": "kept"},
		},
	} {
		for _, abandon := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				o := timeout.Options{Tools: map[string]time.Duration{"slow": 2 * time.Second}}
				if abandon {
					if name != "in time" {
						return // what is abandoned has no say: see the tests of Abandon
					}
					o.Abandon = []string{"slow"}
				}
				h, seen := observed(policy(t, o), toolkit.Definition{Name: "slow"},
					func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) { return c.tool(ctx) })
				res, err := h(t.Context(), toolkit.Call{Name: "slow"})
				failure := err
				if failure == nil {
					failure = res.Fault
				}
				switch {
				case !strings.Contains(res.Output, c.output):
					t.Errorf("%s: got output %q, want %q", name, res.Output, c.output)
				case (failure == nil) != (c.err == ""):
					t.Errorf("%s: got failure %v, want %q", name, failure, c.err)
				case failure != nil && (!strings.Contains(failure.Error(), c.err) || !errors.Is(failure, c.is)):
					t.Errorf("%s: got %q, want %q that is %v", name, failure.Error(), c.err, c.is)
				}
				if got := tags(t, seen); !maps.Equal(got, c.tags) {
					t.Errorf("%s: got %v, want %v", name, got, c.tags)
				}
			})
		}
	}
}

func TestTheCallersEndIsToldApart(t *testing.T) {
	stop := errors.New("the user pressed stop")
	for name, c := range map[string]struct {
		caller func(ctx context.Context) (context.Context, context.CancelFunc)
		want   string
		is     []error
		kind   string
	}{
		"deadline": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, time.Second)
			},
			"context deadline exceeded", []error{context.DeadlineExceeded}, "timeout",
		},
		"deadline with a cause": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeoutCause(ctx, time.Second, stop)
			},
			`tool "slow": timeout: the caller ended it: the user pressed stop`, []error{context.DeadlineExceeded, stop}, "timeout",
		},
		"cancelled with a cause": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				time.AfterFunc(time.Second, func() { cancel(stop) })
				return ctx, func() {}
			},
			`tool "slow": canceled: the caller ended it: the user pressed stop`, []error{context.Canceled, stop}, "canceled",
		},
	} {
		for _, abandon := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				o := timeout.Options{Default: 2 * time.Second}
				if abandon {
					o.Abandon = []string{"slow"}
				}
				h, seen := observed(policy(t, o), toolkit.Definition{Name: "slow"}, heeds)
				ctx, cancel := c.caller(t.Context())
				defer cancel()
				_, err := h(ctx, toolkit.Call{Name: "slow"})
				synctest.Wait()
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%s: got %v, want %q", name, err, c.want)
				}
				for _, is := range c.is {
					if !errors.Is(err, is) {
						t.Errorf("%s: got %q, which is not %q", name, err.Error(), is)
					}
				}
				got := tags(t, seen)
				if _, ok := got["timeout.limit"]; ok || got["error.type"] != c.kind {
					t.Errorf("%s: got %v, want no limit of the policy and %s", name, got, c.kind)
				}
			})
		}
	}
}

// nilError is an error whose methods panic if it is nil, as many do.
type nilError struct{ cause error }

func (e *nilError) Error() string { return e.cause.Error() }
func (e *nilError) Unwrap() error { return e.cause }

// What the tool returned does not become a panic because it came too late.
func TestATypedNilIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := timeout.New(timeout.Options{Default: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		want := (*nilError)(nil)
		for name, ctx := range map[string]func() (context.Context, context.CancelFunc){
			"the limit's end": func() (context.Context, context.CancelFunc) { return t.Context(), func() {} },
			"the caller's end": func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), time.Millisecond)
			},
		} {
			ctx, cancel := ctx()
			res, err := p.Wrap(func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				<-ctx.Done()
				return toolkit.Result{Output: "so far"}, want
			})(ctx, toolkit.Call{Name: "slow"})
			cancel()
			if res.Output != "so far" || err != error(want) {
				t.Errorf("%s: got %q, want what the tool returned", name, res.Output)
			}
		}
	})
}

// The executor's own limit is recorded once, by its own text.
func TestTheExecutorsLimitIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, seen := observed(policy(t, timeout.Options{}), toolkit.Definition{Name: "slow"}, heeds)
		e := &toolkit.Executor{Handler: h, Timeout: time.Second}
		answer := e.Execute(t.Context(), toolkit.Call{Name: "slow"})[0]
		const want = `tool "slow": timeout: the caller ended it: ran longer than 1s`
		if answer.Result.Output != want {
			t.Errorf("got  %s\nwant %s", answer.Result.Output, want)
		}
		if got := tags(t, seen); got["timeout.limit"] != "" || got["error.type"] != "timeout" {
			t.Errorf("got %v", got)
		}
	})
}

func TestWhichLimitCounts(t *testing.T) {
	for name, c := range map[string]struct {
		options timeout.Options
		def     toolkit.Definition
		want    time.Duration // 0: none
	}{
		"nothing said":               {timeout.Options{}, toolkit.Definition{}, 60 * time.Second},
		"default":                    {timeout.Options{Default: time.Second}, toolkit.Definition{}, time.Second},
		"no default":                 {timeout.Options{Default: -1}, toolkit.Definition{}, 0},
		"longer definition":          {timeout.Options{Default: time.Second}, toolkit.Definition{Timeout: time.Hour}, time.Hour},
		"shorter definition":         {timeout.Options{}, toolkit.Definition{Timeout: time.Second}, time.Second},
		"definition without a limit": {timeout.Options{}, toolkit.Definition{Timeout: -1}, 0},
		"tools before definition": {timeout.Options{Tools: map[string]time.Duration{"x": time.Minute}},
			toolkit.Definition{Timeout: time.Second}, time.Minute},
		"tool without a limit": {timeout.Options{Tools: map[string]time.Duration{"x": -1}},
			toolkit.Definition{Timeout: time.Second}, 0},
		"ceiling of the default": {
			timeout.Options{Max: time.Second}, toolkit.Definition{}, time.Second,
		},
		"default below the ceiling": {
			timeout.Options{Default: time.Second, Max: time.Minute}, toolkit.Definition{}, time.Second,
		},
		"ceiling of a definition": {
			timeout.Options{Max: time.Second}, toolkit.Definition{Timeout: 35 * time.Second}, time.Second,
		},
		"definition below the ceiling": {
			timeout.Options{Max: time.Minute}, toolkit.Definition{Timeout: time.Second}, time.Second,
		},
		"ceiling of a definition without a limit": {
			timeout.Options{Max: time.Minute}, toolkit.Definition{Timeout: -1}, time.Minute,
		},
		"tool below the ceiling": {
			timeout.Options{Max: time.Minute, Tools: named("x", time.Second)}, toolkit.Definition{Timeout: time.Hour}, time.Second,
		},
		"longer ceiling of a tool": {
			timeout.Options{Max: time.Second, MaxTools: named("x", time.Hour)},
			toolkit.Definition{Timeout: 2 * time.Hour}, time.Hour,
		},
		"longer ceiling of a tool with a definition below it": {
			timeout.Options{Max: time.Second, MaxTools: named("x", time.Hour)},
			toolkit.Definition{Timeout: time.Minute}, time.Minute,
		},
		"longer ceiling of a tool without a limit of its own": {
			timeout.Options{Default: time.Second, Max: time.Second, MaxTools: named("x", time.Hour)}, toolkit.Definition{}, time.Second,
		},
		"shorter ceiling of a tool": {
			timeout.Options{Default: time.Minute, MaxTools: named("x", time.Second)}, toolkit.Definition{}, time.Second,
		},
		"shorter ceiling of a tool's definition": {
			timeout.Options{MaxTools: named("x", time.Second)}, toolkit.Definition{Timeout: time.Hour}, time.Second,
		},
		"no ceiling of a tool": {
			timeout.Options{Max: time.Second, MaxTools: named("x", -1)}, toolkit.Definition{Timeout: -1}, 0,
		},
		"tool below its ceiling": {
			timeout.Options{Max: time.Second, Tools: named("x", time.Minute), MaxTools: named("x", time.Hour)},
			toolkit.Definition{}, time.Minute,
		},
		"ceiling of another tool": {
			timeout.Options{Max: time.Minute, MaxTools: named("y", time.Second)}, toolkit.Definition{Timeout: time.Hour}, time.Minute,
		},
		"ceiling of a tool that is abandoned": {
			timeout.Options{Max: time.Second, Abandon: []string{"x"}}, toolkit.Definition{Timeout: time.Hour}, time.Second,
		},
		"own ceiling of a tool that is abandoned": {
			timeout.Options{Max: time.Hour, MaxTools: named("x", time.Second), Abandon: []string{"x"}},
			toolkit.Definition{Timeout: time.Hour}, time.Second,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got time.Duration
			h, _ := observed(policy(t, c.options), c.def, func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				if deadline, ok := ctx.Deadline(); ok {
					got = time.Until(deadline)
				}
				return toolkit.Result{}, nil
			})
			if _, err := h(t.Context(), toolkit.Call{Name: "x"}); err != nil || got != c.want {
				t.Errorf("%s: got %v, %v, want %v", name, got, err, c.want)
			}
		})
	}
}

// named is one entry of a map by tools' names.
func named(name string, d time.Duration) map[string]time.Duration {
	return map[string]time.Duration{name: d}
}

// A tool that calls tools is under its own limit and under that of the outer call:
// only the one that fired says so.
func TestNestedCallsTellWhoseLimitItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, timeout.Options{Default: 2 * time.Second})
		inner, seenInner := observed(p, toolkit.Definition{Name: "inner"}, heeds)
		outer, seenOuter := observed(p, toolkit.Definition{Name: "outer"},
			func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				time.Sleep(time.Second)
				return inner(ctx, toolkit.Call{Name: "inner"})
			})
		_, err := outer(t.Context(), toolkit.Call{Name: "outer"})
		if got := tags(t, seenInner); got["timeout.limit"] != "" || got["error.type"] != "timeout" {
			t.Errorf("inner: got %v, want a timeout that is not its own", got)
		}
		if got := tags(t, seenOuter); got["timeout.limit"] != "2s" ||
			!strings.Contains(err.Error(), `tool "outer": timeout: it ran for 2s`) {
			t.Errorf("outer: got %v, %v", got, err)
		}
	})
}

func TestManyLimitsOfDefinitions(t *testing.T) {
	p := policy(t, timeout.Options{})
	for i := range 1000 {
		h, _ := observed(p, toolkit.Definition{Timeout: time.Duration(i+1) * time.Hour},
			func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				if deadline, _ := ctx.Deadline(); time.Until(deadline).Round(time.Hour) != time.Duration(i+1)*time.Hour {
					t.Errorf("%d: got %v", i, time.Until(deadline))
				}
				return toolkit.Result{}, nil
			})
		if _, err := h(t.Context(), toolkit.Call{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOptionsThatContradict(t *testing.T) {
	for _, c := range []struct {
		options timeout.Options
		want    string
	}{
		{timeout.Options{Tools: map[string]time.Duration{"a": 0}},
			`timeout: Options.Tools["a"]: got 0s, want a time above 0, or below 0 for no limit`},
		{timeout.Options{Tools: map[string]time.Duration{"": 1}},
			"timeout: Options.Tools: got a limit of 1ns for a tool without a name, want a name"},
		{timeout.Options{Abandon: []string{"a", ""}}, "timeout: Options.Abandon[1]: got \"\", want the name of a tool"},
		{timeout.Options{Abandon: []string{"a"}, Tools: map[string]time.Duration{"a": -1}},
			`timeout: Options.Abandon[0]: got "a", which has no limit in Tools, want one that has`},
		{timeout.Options{MaxAbandoned: -1}, "timeout: Options.MaxAbandoned: got -1, want more than 0, or 0 for 64"},
		{timeout.Options{Max: -1}, "timeout: Options.Max: got -1ns, want a time above 0, or 0 for no ceiling"},
		{timeout.Options{MaxTools: named("", 1)},
			"timeout: Options.MaxTools: got a ceiling of 1ns for a tool without a name, want a name"},
		{timeout.Options{MaxTools: named("a", 0)},
			`timeout: Options.MaxTools["a"]: got 0s, want a time above 0, or below 0 for no ceiling`},
		{timeout.Options{Default: time.Minute, Max: time.Second}, "timeout: Options.Default: got 1m0s, want at most Max, 1s"},
		{timeout.Options{Default: -1, Max: time.Second}, "timeout: Options.Default: got no limit (-1ns), want at most Max, 1s"},
		{
			timeout.Options{Tools: named("a", time.Minute), Max: time.Second},
			`timeout: Options.Tools["a"]: got 1m0s, want at most Max, 1s, or a longer ceiling in MaxTools["a"]`,
		},
		{
			timeout.Options{Tools: named("a", -1), Max: time.Hour, MaxTools: named("a", time.Minute)},
			`timeout: Options.Tools["a"]: got no limit (-1ns), want at most MaxTools["a"], 1m0s`,
		},
		{timeout.Options{MaxAbandoned: 3}, "timeout: Options.MaxAbandoned: got 3 and no tool in Abandon, want one, or 0"},
	} {
		if _, err := timeout.New(c.options); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestNilHandlerIsRefused(t *testing.T) {
	if _, err := policy(t, timeout.Options{}).Wrap(nil)(t.Context(), toolkit.Call{Name: "x"}); !errors.Is(err,
		toolkit.ErrUnknownTool) {
		t.Errorf("got %v", err)
	}
}

func TestUnobservedCallsHaveTheirDefinitionsByLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def := &toolkit.Definition{Name: "x", Timeout: time.Hour}
		p := policy(t, timeout.Options{Lookup: func(string) *toolkit.Definition { return def }})
		_, err := p.Wrap(heeds)(t.Context(), toolkit.Call{Name: "x"})
		if err == nil || !strings.Contains(err.Error(), "one attempt may run for 1h0m0s") {
			t.Errorf("got %v", err)
		}
	})
}

func TestPlace(t *testing.T) {
	if got := policy(t, timeout.Options{}).Stage(); got != middleware.StageTimeout {
		t.Errorf("got %v", got)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"

	"github.com/toolscope/toolscope/internal/counters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// system A's own types: a call and a result that know nothing of this package.
type (
	ownCall struct {
		ID, Name  string
		Arguments json.RawMessage
	}
	ownResult struct {
		Output  string
		IsError bool
	}
)

// ownAdapter connects system A's types; everything policies need is there.
var ownAdapter = toolkit.Adapter[*ownCall, *ownResult]{
	Tools: toolkit.Lookup(func(string) *toolkit.Definition { return &toolkit.Definition{Name: "own"} }),
	Call:  func(c *ownCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
	Result: func(r *ownResult, _ error) toolkit.Result {
		if r == nil {
			return toolkit.Result{}
		}
		return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, "own failure")}
	},
	With: func(c *ownCall, a json.RawMessage) *ownCall { d := *c; d.Arguments = bytes.Clone(a); return &d },
	Answer: func(_ *ownCall, res toolkit.Result, _ error) *ownResult {
		return &ownResult{res.Output, res.Fault != nil}
	},
	Copy: func(r *ownResult, _ *ownCall) *ownResult { c := *r; return &c },
}

// observed wraps a function that the adapter fits.
func observed[F toolkit.Func[C, R], C, R any](t testing.TB, next F, a toolkit.Adapter[C, R], observers ...toolkit.Observer) F {
	t.Helper()
	f, err := toolkit.ObserveFunc(next, a, observers...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// governed is observed with middlewares.
func governed[F toolkit.Func[C, R], C, R any](
	t testing.TB, next F, a toolkit.Adapter[C, R], middlewares ...toolkit.Middleware,
) F {
	t.Helper()
	f, err := toolkit.GovernFunc(next, a, middlewares...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ending is everything a caller can notice of a call's end.
type ending struct {
	result   *ownResult
	err      error
	panicked bool
	value    any
	goexit   bool
}

// end runs f to its end in a goroutine of its own, so that it may call Goexit.
func end(f func() (*ownResult, error)) (e ending) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if returned {
				return
			}
			e.value = recover()
			e.panicked, e.goexit = e.value != nil, e.value == nil
		}()
		e.result, e.err = f()
		returned = true
	}()
	<-done
	return e
}

type execute func(context.Context, *ownCall) (*ownResult, error)

// forms are the ways of observing a function; each gives it back observed.
var forms = map[string]func(testing.TB, execute, ...toolkit.Observer) execute{
	"ObserveFunc": func(t testing.TB, f execute, o ...toolkit.Observer) execute {
		return observed(t, f, ownAdapter, o...)
	},
	"ObserveFunc with little": func(t testing.TB, f execute, o ...toolkit.Observer) execute {
		little := toolkit.Adapter[*ownCall, *ownResult]{Tools: toolkit.NoTools, Call: ownAdapter.Call}
		return observed(t, f, little, o...)
	},
	"GovernFunc": func(t testing.TB, f execute, o ...toolkit.Observer) execute {
		return governed(t, f, ownAdapter, toolkit.Observe(ownAdapter.Tools.Lookup, o...))
	},
	"Observe": func(_ testing.TB, f execute, o ...toolkit.Observer) execute {
		type key struct{}
		// A Result has no place for the other type's pointer, so it goes around.
		handler := toolkit.Observe(ownAdapter.Tools.Lookup, o...)(func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			res, err := f(ctx, nil)
			*ctx.Value(key{}).(**ownResult) = res
			return toolkit.Result{Output: "x"}, err
		})
		return func(ctx context.Context, c *ownCall) (*ownResult, error) {
			var res *ownResult
			_, err := handler(context.WithValue(ctx, key{}, &res), toolkit.Call{Name: "own"})
			return res, err
		}
	},
}

func TestObservingChangesNothing(t *testing.T) {
	result, failure := &ownResult{Output: "out"}, errors.New("no")
	var typedNil *toolkit.Error
	for _, tt := range []struct {
		name      string
		run       func() (*ownResult, error)
		want      ending
		told      toolkit.Ending
		errorType string // as ObserveFunc reports it
	}{
		{"returns", func() (*ownResult, error) { return result, nil }, ending{result: result}, toolkit.EndingReturned, ""},
		{"fails", func() (*ownResult, error) { return result, failure }, ending{result: result, err: failure},
			toolkit.EndingFailed, "tool_error"},
		{"fails with nothing", func() (*ownResult, error) { return nil, failure }, ending{err: failure},
			toolkit.EndingFailed, "tool_error"},
		{"fails with a typed nil", func() (*ownResult, error) { return nil, typedNil }, ending{err: typedNil},
			toolkit.EndingFailed, "tool_error"},
		{"panics with a pointer", func() (*ownResult, error) { panic(result) }, ending{panicked: true, value: result},
			toolkit.EndingPanicked, "panic"},
		{"panics with an error", func() (*ownResult, error) { panic(failure) }, ending{panicked: true, value: failure},
			toolkit.EndingPanicked, "panic"},
		{"panics with a string", func() (*ownResult, error) { panic("boom") }, ending{panicked: true, value: "boom"},
			toolkit.EndingPanicked, "panic"},
		{"panics with a typed nil", func() (*ownResult, error) { panic(typedNil) }, ending{panicked: true, value: typedNil},
			toolkit.EndingPanicked, "panic"},
		{"panics with a timeout", func() (*ownResult, error) { panic(context.DeadlineExceeded) },
			ending{panicked: true, value: context.DeadlineExceeded}, toolkit.EndingPanicked, "panic"},
		{"exits", func() (*ownResult, error) { runtime.Goexit(); return nil, nil }, ending{goexit: true},
			toolkit.EndingGoexit, "_OTHER"},
	} {
		for form, observe := range forms {
			t.Run(tt.name+"/"+form, func(t *testing.T) {
				var seen tooltest.Recorder
				run := observe(t, func(context.Context, *ownCall) (*ownResult, error) { return tt.run() }, &seen)
				if got := end(func() (*ownResult, error) { return run(t.Context(), &ownCall{Name: "own"}) }); got != tt.want {
					t.Errorf("the caller got %+v, want %+v", got, tt.want)
				}
				all := seen.All()
				if len(all) != 1 || seen.Open() != 0 {
					t.Fatalf("got %d calls told and %d open, want 1 and 0", len(all), seen.Open())
				}
				e := all[0]
				told, errorType := tt.told, tt.errorType
				switch {
				case form == "Observe" && told == toolkit.EndingFailed && tt.want.err == failure:
					errorType = "_OTHER" // a handler's error says nothing of the tool
				}
				if e.Ending != told || e.ErrorType != errorType || e.Panic != tt.want.value {
					t.Errorf(
						"observers got %v, %q, panic %v, want %v, %q, %v", e.Ending, e.ErrorType, e.Panic,
						told, errorType, tt.want.value,
					)
				}
				if tt.want.err != nil && !errors.Is(e.Err, tt.want.err) { // an error that names its kind only may be wrapped
					t.Errorf("observers got error %v, want the very error", e.Err)
				}
			})
		}
	}
}

// panic(nil) has a value of the runtime's making: the caller gets the one that the
// observers got.
func TestPanicNilStaysOne(t *testing.T) {
	for form, observe := range forms {
		t.Run(form, func(t *testing.T) {
			var seen tooltest.Recorder
			run := observe(t, func(context.Context, *ownCall) (*ownResult, error) { panic(nil) }, &seen)
			got := end(func() (*ownResult, error) { return run(t.Context(), &ownCall{}) })
			if _, ok := got.value.(*runtime.PanicNilError); !ok || seen.Len() != 1 || seen.All()[0].Panic != got.value {
				t.Errorf("got %+v and told %v, want one *runtime.PanicNilError", got, seen.All())
			}
		})
	}
}

func TestPanickingObserversAreSwallowedAndCounted(t *testing.T) {
	boom := func() { panic("observer") }
	result := &ownResult{Output: "out"}
	for _, tt := range []struct {
		name  string
		bad   funcs
		count uint64
	}{
		{"Begin", funcs{
			begin: func(context.Context, toolkit.Call, *toolkit.CallInfo) context.Context { boom(); return nil },
			wants: func(context.Context) bool { t.Error("Wants after a panic in Begin"); return true },
			end:   func(context.Context, *toolkit.Ended) { t.Error("End after a panic in Begin") },
		}, 1},
		{"Wants", funcs{wants: func(context.Context) bool { boom(); return true }}, 1},
		{"End", funcs{end: func(context.Context, *toolkit.Ended) { boom() }}, 1},
		{"nil context from Begin", funcs{begin: func(context.Context, toolkit.Call,
			*toolkit.CallInfo) context.Context {
			return nil
		}}, 0},
	} {
		for form, observe := range forms {
			t.Run(tt.name+"/"+form, func(t *testing.T) {
				var seen tooltest.Recorder
				before := counters.ObserverPanics.Load()
				run := observe(t, func(ctx context.Context, _ *ownCall) (*ownResult, error) {
					if ctx == nil {
						t.Error("the tool got a nil context")
					}
					return result, nil
				}, tt.bad, &seen, tt.bad)
				if got := end(func() (*ownResult, error) { return run(t.Context(), &ownCall{}) }); got != (ending{result: result}) {
					t.Errorf("got %+v, want the tool's own result", got)
				}
				counted, want := counters.ObserverPanics.Load()-before, 2*tt.count
				if tt.name == "Wants" {
					want = 1 // the recorder in between wants content, which decides
				}
				if counted != want || seen.Len() != 1 {
					t.Errorf("got %d panics counted and %d calls reported to the good observer, want %d and 1", counted, seen.Len(), want)
				}
			})
		}
	}
}

// Where GODEBUG lets panic(nil) be nil, the panic of an observer is invisible; the observer is notified once.
func TestAnObserverThatPanicsWithNilIsToldOnce(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	var seen tooltest.Recorder
	begun := 0
	bad := funcs{
		begin: func(context.Context, toolkit.Call, *toolkit.CallInfo) context.Context {
			if begun++; begun > 100 {
				panic("told for ever")
			}
			panic(nil)
		},
		wants: func(context.Context) bool { panic(nil) },
		end:   func(context.Context, *toolkit.Ended) { t.Error("End after a panic in Begin") },
	}
	handler := toolkit.Observe(nil, &seen, bad, &seen)(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "out"}, nil
	})
	if res, err := handler(t.Context(), toolkit.Call{}); res.Output != "out" || err != nil || begun != 1 || seen.Len() != 2 {
		t.Errorf("got %q, %v, %d times told and %d calls seen, want the answer, once and both", res.Output, err, begun, seen.Len())
	}
}

func TestPanickingLookupIsSwallowed(t *testing.T) {
	before := counters.ObserverPanics.Load()
	var seen tooltest.Recorder
	lookup := func(string) *toolkit.Definition { panic("lookup") }
	res, err := toolkit.Observe(lookup, &seen)(tooltest.Echo(named("echo")).Handle)(
		t.Context(), toolkit.Call{Arguments: []byte("x")},
	)
	if res.Output != "x" || err != nil || seen.Len() != 1 || seen.All()[0].Info.Tool != nil ||
		counters.ObserverPanics.Load()-before != 1 {
		t.Errorf("got %q, %v, %v, want the tool's answer and one swallowed panic", res.Output, err, seen.All())
	}
}

// A nil context is the caller's affair: a function that does not mind gets it.
func TestObserveFuncPassesANilContextOn(t *testing.T) {
	var got = t.Context()
	run := observed(t, func(ctx context.Context, _ *ownCall) *ownResult { got = ctx; return nil }, ownAdapter, quiet{})
	var none context.Context
	if run(none, &ownCall{}); got != nil {
		t.Errorf("got context %v, want nil", got)
	}
}

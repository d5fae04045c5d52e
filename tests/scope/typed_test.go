// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

type (
	secretText string
	login      struct {
		User   string
		Tenant string `json:"-"`
	}
	unexported struct{ User, tenant string }
	password   struct{ Pass secretText }
	shape      interface{ Sides() int }
	drawing    struct{ Shape shape }
	lossyID    struct{ N int }
	anyID      struct{ ID any }
)

func (secretText) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }
func (lossyID) MarshalJSON() ([]byte, error)    { return []byte(`"id"`), nil }
func (*lossyID) UnmarshalJSON([]byte) error     { return nil }

// typedScope is a scope with the policies that store, share or copy calls.
func typedScope(t *testing.T, observer toolkit.Observer) map[string]*toolscope.Scope {
	t.Helper()
	stored, errC := cache.New(cache.Options{})
	twins, errD := dedupe.New(dedupe.Options{History: time.Minute})
	clock, errT := timeout.New(timeout.Options{Abandon: []string{"read"}})
	slots, errL := limit.New(limit.Options{})
	yes, errA := approve.New(approve.Options{
		Askers: []approve.Asker{approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
			return approve.Answer{Approved: true}, nil
		})},
		Needed: func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "test", true },
	})
	scopes := map[string]*toolscope.Scope{}
	for name, p := range map[string]middleware.Policy{
		"cache": must(t, stored, errC), "dedupe": must(t, twins, errD), "timeout": must(t, clock, errT),
		"limit": must(t, slots, errL), "approve": must(t, yes, errA),
	} {
		scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{p}, Observers: []toolkit.Observer{observer}})
		if err != nil {
			t.Fatal(err)
		}
		scopes[name] = scope
	}
	return scopes
}

// wrapTyped wraps a function that says what it ran with.
func wrapTyped[In any](t *testing.T, scope *toolscope.Scope) (func(context.Context, In) (string, error), error) {
	t.Helper()
	return toolscope.WrapFunc(scope, func(_ context.Context, in In) (string, error) {
		return fmt.Sprintf("%#v", in), nil
	}, toolkit.TypedAdapter[In, string](fileTool))
}

var inSession = toolkit.WithSession(context.Background(), toolkit.Session{ID: "s"})

// ungovernable checks that a type whose JSON does not hold all is observed, and an error under
// policies that names its field.
func ungovernable[In any](t *testing.T, field string) {
	t.Helper()
	for name, scope := range typedScope(t, nil) {
		if _, err := wrapTyped[In](t, scope); err == nil || !strings.Contains(err.Error(), field) ||
			!strings.Contains(err.Error(), "Adapter") {
			t.Errorf("%s: %v: got %v, want an error that names %s", name, reflect.TypeFor[In](), err, field)
		}
	}
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wrapTyped[In](t, scope); err != nil {
		t.Errorf("observed: %v: got %v", reflect.TypeFor[In](), err)
	}
	if err := scope.Apply(toolscope.Settings{ToolsOff: []string{"read"}}); err == nil || !strings.Contains(err.Error(), field) {
		t.Errorf("Apply: got %v, want an error that names %s", err, field)
	}
}

// TestTypesThatJSONDoesNotTellApart checks that no call gets another's answer because their JSON
// is the same, and that no tool runs with what JSON made of its arguments.
func TestTypesThatJSONDoesNotTellApart(t *testing.T) {
	ungovernable[login](t, "login.Tenant")
	ungovernable[*login](t, "login.Tenant")
	_ = unexported{tenant: "hidden from JSON"}
	ungovernable[unexported](t, "unexported.tenant")
	ungovernable[password](t, "password.Pass")
	ungovernable[secretText](t, "secretText")
	ungovernable[drawing](t, "drawing.Shape")
	ungovernable[shape](t, "shape")
	ungovernable[struct{ Done func() }](t, ".Done")
	ungovernable[map[string]chan int](t, "chan int")
}

// TestTypedCallsRunWithTheirArguments checks that under every policy a tool runs with exactly
// what it was called with, or not at all.
func TestTypedCallsRunWithTheirArguments(t *testing.T) {
	cancellable, cancel := context.WithCancel(inSession) // dedupe then runs the tool in a goroutine
	defer cancel()
	for _, tt := range []struct {
		id   any
		runs bool
	}{
		{int64(9007199254740993), true}, {uint64(math.MaxUint64), true}, {json.Number("9007199254740995"), true}, {7, true},
		{7.5, true},
		{"text", true}, {nil, true}, {[]any{1, "a"}, true}, {map[string]any{"a": []string{"b"}}, true},
		{[]byte("text"), false}, {time.Second, false}, {math.NaN(), false}, {"\xff", false}, {errors.New("boxed"), false},
		{login{"a", "b"}, false}, {func() {}, false}, {secretText("a"), false},
	} {
		var seen tooltest.Recorder
		for name, scope := range typedScope(t, &seen) {
			run, err := wrapTyped[anyID](t, scope)
			if err != nil {
				t.Fatal(err)
			}
			got, err := run(cancellable, anyID{tt.id})
			if want := fmt.Sprintf("%#v", anyID{tt.id}); tt.runs && (got != want || err != nil) {
				t.Errorf("%s: ran with %s, %v, want %s", name, got, err, want)
			}
			if tt.runs {
				continue
			}
			if got != "" || err == nil || !strings.Contains(err.Error(), "anyID.ID") || strings.Contains(err.Error(), "panic") {
				t.Errorf("%s: %T: got %s, %v, want a refusal that names the field", name, tt.id, got, err)
			}
			all := seen.All()
			e := all[len(all)-1]
			if e.Call.Name != "read" || e.Disposition.Outcome != toolkit.OutcomeRefused || e.ErrorType != "invalid_arguments" {
				t.Errorf("%s: recorded %q, %v, %q", name, e.Call.Name, e.Disposition.Outcome, e.ErrorType)
			}
		}
	}
}

// TestLossyMarshalers checks values whose own methods lose something.
func TestLossyMarshalers(t *testing.T) {
	for name, scope := range typedScope(t, nil) {
		run, err := wrapTyped[lossyID](t, scope)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := run(inSession, lossyID{0}); err != nil || !strings.Contains(got, "N:0") {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
		if got, err := run(inSession, lossyID{1}); err == nil || got != "" {
			t.Errorf("%s: got %s, want a refusal", name, got)
		}
	}
}

// TestUnencodableArgumentsAreObserved checks that a call whose arguments JSON cannot encode keeps
// its tool's name.
func TestUnencodableArgumentsAreObserved(t *testing.T) {
	var seen tooltest.Recorder
	scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{&seen}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := wrapTyped[struct{ Done chan int }](t, scope)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(inSession, struct{ Done chan int }{}); err != nil {
		t.Error(err)
	}
	if e := seen.All()[0]; e.Call.Name != "read" || e.Info.Tool == nil || len(e.Disposition.Tags) != 0 {
		t.Errorf("recorded %q, tool %v, tags %v", e.Call.Name, e.Info.Tool, e.Disposition.Tags)
	}
}

type partly struct {
	A      string
	hidden int
	Done   func() `json:"-"`
}

// results makes two calls with the same arguments and checks that both get an equal result.
func results[Out any](t *testing.T, out Out) {
	t.Helper()
	for name, scope := range typedScope(t, nil) {
		run, err := toolscope.WrapFunc(scope, func(context.Context, string) (Out, error) { return out, nil },
			toolkit.TypedAdapter[string, Out](fileTool))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			if got, err := run(inSession, "x"); err != nil || !reflect.DeepEqual(any(got), any(out)) {
				t.Errorf("%s: call %d: got %#v, %v, want %#v", name, n+1, got, err, out)
			}
		}
	}
}

// TestTypedResultsLoseNothing checks that stored and shared results are what the tool returned,
// whatever their JSON holds.
func TestTypedResultsLoseNothing(t *testing.T) {
	results(t, partly{A: "a", hidden: 7})
	results(t, &partly{A: "a", hidden: 7})
	results(t, map[string]any{"id": int64(9007199254740993), "d": time.Second, "b": []byte("x")})
	results[any](t, errors.New("boxed"))
	results[any](t, struct{ Err error }{context.Canceled})
	results(t, secretText("shown"))
	results(t, make(chan int))
}

// TestSharedTypedResults checks that callers share no memory of a stored result.
func TestSharedTypedResults(t *testing.T) {
	stored, err := cache.New(cache.Options{})
	scope, errS := toolscope.New(toolscope.Options{Policies: []middleware.Policy{must(t, stored, err)}})
	if errS != nil {
		t.Fatal(errS)
	}
	runs := 0
	run, err := toolscope.WrapFunc(scope, func(context.Context, string) (map[string][]int, error) {
		runs++
		return map[string][]int{"a": {1}}, nil
	}, toolkit.TypedAdapter[string, map[string][]int](fileTool))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		got, err := run(inSession, "x")
		if err != nil || got["a"][0] != 1 {
			t.Errorf("got %v, %v", got, err)
		}
		got["a"][0] = 2
	}
	if runs != 1 {
		t.Errorf("got %d runs, want 1", runs)
	}
}

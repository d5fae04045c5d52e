// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
)

// The life of a circuit: closed, open, half open, open again, half open, closed.
func TestTheLifeOfACircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changes []breaker.Change
		p := policy(t, breaker.Options{Consecutive: 3, OpenFor: 10 * time.Second, OnChange: func(c breaker.Change) { changes = append(changes, c) }})
		began := time.Now()
		for i := range 3 {
			e := ask(t, p, down)
			if want := []string{"", "", "open"}[i]; tag(e, "breaker.changed") != want || tag(e, "breaker") != "" || e.ErrorType != "_OTHER" {
				t.Errorf("failure %d: got %s, %v", i+1, e.ErrorType, e.Served.Tags)
			}
		}
		time.Sleep(4 * time.Second)
		e := ask(t, p, well)
		var why *breaker.Error
		if !errors.As(e.Err, &why) || why.RetryAfter() != 6*time.Second || why.Key != "search" || why.State != breaker.Open || why.Failure != "_OTHER" {
			t.Errorf("open: got %v, %+v", e.Err, why)
		}
		if e.ErrorType != "circuit_open" || e.Served.Outcome != toolkit.OutcomeRefused || tag(e, "breaker") != "open" {
			t.Errorf("open: got %s, %v, %v", e.ErrorType, e.Served.Outcome, e.Served.Tags)
		}
		if want := `tool "search": circuit open: it failed too often of late (_OTHER): try again in 6s, or another way`; e.Err.Error() != want {
			t.Errorf("open: got  %s\nwant %s", e.Err, want)
		}
		if s := state(t, p); s.State != breaker.Open || s.RetryIn != 6*time.Second || !s.Since.Equal(began) || s.Opened != 1 || s.LastFailure != "_OTHER" {
			t.Errorf("open: got %+v", s)
		}
		time.Sleep(6 * time.Second)
		if e = ask(t, p, down); tag(e, "breaker") != "half_open" || tag(e, "breaker.changed") != "half_open" || e.Served.Outcome != toolkit.OutcomeExecuted {
			t.Errorf("first try: got %v, %v", e.Served.Outcome, e.Served.Tags)
		}
		if s := state(t, p); s.State != breaker.Open || s.RetryIn != 10*time.Second || s.Opened != 2 {
			t.Errorf("after the first try: got %+v", s)
		}
		time.Sleep(10 * time.Second)
		if e = ask(t, p, well); e.ErrorType != "" || state(t, p).State != breaker.Closed {
			t.Errorf("second try: got %s, %+v", e.ErrorType, state(t, p))
		}
		if e = ask(t, p, well); len(e.Served.Tags) != 0 {
			t.Errorf("closed: got %v, want nothing told", e.Served.Tags)
		}
		got := ""
		for _, c := range changes {
			got += fmt.Sprintf("%s %v>%v %v %s %v\n", c.Key, c.From, c.To, c.At.Sub(began), c.Failure, c.RetryIn)
		}
		if want := `search closed>open 0s _OTHER 10s
search open>half_open 10s  0s
search half_open>open 10s _OTHER 10s
search open>half_open 20s  0s
search half_open>closed 20s  0s
`; got != want {
			t.Errorf("changes: got\n%swant\n%s", got, want)
		}
	})
}

func TestWhatOpensACircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const never = -1
		for _, c := range []struct {
			name    string
			options breaker.Options
			calls   string // - failed, + went well, . a second passes
			opens   int    // the number of the call that opens it; 0 for none
		}{
			{"five in a row by default", breaker.Options{}, "-----", 5},
			{"a success between", breaker.Options{Rate: never}, "----+----+----", 0},
			{"in a row, but long ago", breaker.Options{Consecutive: 2, Rate: never, Window: 3 * time.Second}, "-....-....-", 0},
			{"in a row, far apart", breaker.Options{Consecutive: 3, Rate: never, Window: 3 * time.Second}, "-...-...-", 3},
			{"half of twenty by default", breaker.Options{Consecutive: never}, "+-+-+-+-+-+-+-+-+-+-", 20},
			{"less than half", breaker.Options{Consecutive: never}, "+-+-+-+-+-+-+-+-+-+++-+-", 0},
			{"too few calls", breaker.Options{Consecutive: never, MinCalls: 5}, "----", 0},
			{"a quarter", breaker.Options{Consecutive: never, MinCalls: 8, Rate: 0.25}, "+++-+++-", 8},
			{"old failures do not count", breaker.Options{Consecutive: never, MinCalls: 4, Window: 10 * time.Second}, "---............+++-+-", 0},
			{"old successes do not count", breaker.Options{Consecutive: never, MinCalls: 4, Window: 10 * time.Second}, "+++++++++++............----", 15},
		} {
			p := policy(t, c.options)
			opened, n := 0, 0
			for _, r := range c.calls {
				switch r {
				case '.':
					time.Sleep(time.Second)
					continue
				case '-':
					ask(t, p, down)
				case '+':
					ask(t, p, well)
				}
				n++
				if opened == 0 && state(t, p).State == breaker.Open {
					opened = n
				}
			}
			if opened != c.opens {
				t.Errorf("%s: opened by call %d, want %d", c.name, opened, c.opens)
			}
		}
	})
}

func TestWhatCounts(t *testing.T) {
	named := breaker.Options{Consecutive: 1, On: []toolkit.Kind{"no_disk", toolkit.ErrTool}}
	byDefault := breaker.Options{Consecutive: 1}
	refused := func(kind toolkit.Kind) toolkit.Handler {
		return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return middleware.Refuse(call, &toolkit.Error{Kind: kind})
		}
	}
	for _, c := range []struct {
		name    string
		options breaker.Options
		handler toolkit.Handler
		failed  bool
		counted bool // at all
	}{
		{"success", byDefault, well, false, true},
		{"the tool's own failure", byDefault, answer(errDown, nil), false, true},
		{"bad arguments", byDefault, answer(toolkit.ErrInvalidArguments, nil), false, true},
		{"a limit of the service's", byDefault, answer(nil, toolkit.ErrRateLimited), false, true},
		{"suspended", byDefault, func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Suspended: true, Fault: toolkit.ErrTimeout}, nil
		}, false, true},
		{"cancelled", byDefault, answer(nil, context.Canceled), false, false},
		{"refused further in", byDefault, refused(toolkit.ErrOverloaded), false, false},
		{"timeout", byDefault, answer(nil, context.DeadlineExceeded), true, true},
		{"timeout as a fault", byDefault, answer(toolkit.ErrTimeout, nil), true, true},
		{"an overloaded service", byDefault, answer(nil, &toolkit.Error{Kind: toolkit.ErrOverloaded}), true, true},
		{"a transport that is down", byDefault, down, true, true},
		{"a panic somebody caught", byDefault, answer(&toolkit.PanicError{}, nil), true, true},
		{"named: the tool's failure", named, answer(errDown, nil), true, true},
		{"named: a type of the host's", named, answer(nil, &toolkit.Error{Kind: "no_disk"}), true, true},
		{"not named", named, answer(nil, toolkit.ErrTimeout), false, true},
	} {
		p := policy(t, c.options)
		ask(t, p, well)
		ask(t, p, c.handler)
		s := state(t, p)
		if failed := s.State == breaker.Open; failed != c.failed || !failed && s.Calls == 2 != c.counted {
			t.Errorf("%s: got %+v, want failed: %t, counted: %t", c.name, s, c.failed, c.counted)
		}
	}
}

// wild calls a handler that may not return, in a goroutine of its own.
func wild(t *testing.T, p *breaker.Policy, h toolkit.Handler) (thrown any) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { thrown = recover() }()
		_, _ = p.Wrap(h)(t.Context(), toolkit.Call{Name: "search"})
	}()
	<-done
	return thrown
}

func TestPanicsAndGoexitCountAndLeaveNoProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, breaker.Options{Consecutive: 1, OnChange: func(breaker.Change) { panic("callback") }})
		boom := func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("boom") }
		exit := func(context.Context, toolkit.Call) (toolkit.Result, error) {
			runtime.Goexit()
			return toolkit.Result{}, nil
		}
		for i, h := range []toolkit.Handler{boom, exit, boom, exit} {
			want := any(nil)
			if i%2 == 0 {
				want = "boom"
			}
			if got := wild(t, p, h); got != want {
				t.Errorf("call %d: got panic %v, want %v", i, got, want)
			}
			if s := state(t, p); s.State != breaker.Open || s.Opened != uint64(i+1) || s.Probing != 0 || s.LastFailure != "panic" {
				t.Errorf("call %d: got %+v, want that it opened", i, s)
			}
			time.Sleep(breaker.DefaultOpenFor)
		}
		ask(t, p, well)
		if s := state(t, p); s.State != breaker.Closed {
			t.Errorf("got %+v, want closed", s)
		}
		if got := p.Stats().Panics; got != 9 {
			t.Errorf("got %d panics of OnChange, want 9", got)
		}
	})
}

// Where panics are no failures, they say nothing, and leave no probe behind either.
func TestAPanicThatSaysNothingGivesItsPlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, breaker.Options{Consecutive: 1, On: []toolkit.Kind{toolkit.ErrTimeout}})
		ask(t, p, answer(nil, toolkit.ErrTimeout))
		time.Sleep(breaker.DefaultOpenFor)
		for range 3 {
			wild(t, p, func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("boom") })
			ask(t, p, answer(nil, context.Canceled))
		}
		if s := state(t, p); s.State != breaker.HalfOpen || s.Probing != 0 {
			t.Errorf("got %+v, want half open, nobody trying", s)
		}
		ask(t, p, well)
		if s := state(t, p); s.State != breaker.Closed {
			t.Errorf("got %+v, want closed", s)
		}
	})
}

func TestProbesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, breaker.Options{Consecutive: 1, Probes: 3})
		ask(t, p, down)
		time.Sleep(breaker.DefaultOpenFor)
		release := make(chan struct{})
		running := 0
		for range 10 {
			go ask(t, p, func(context.Context, toolkit.Call) (toolkit.Result, error) {
				running++
				<-release
				return toolkit.Result{}, nil
			})
			synctest.Wait()
		}
		if s := state(t, p); running != 3 || s.Probing != 3 || s.RetryIn != breaker.DefaultOpenFor {
			t.Errorf("%d run, %+v, want 3", running, s)
		}
		e := ask(t, p, well)
		if tag(e, "breaker") != "half_open" || e.ErrorType != "circuit_open" {
			t.Errorf("the one too many: got %s, %v", e.ErrorType, e.Served.Tags)
		}
		release <- struct{}{}
		synctest.Wait()
		if e := ask(t, p, well); e.ErrorType != "circuit_open" {
			t.Errorf("one passed, two try: got %s, want that no other may try", e.ErrorType)
		}
		close(release)
		synctest.Wait()
		if s := state(t, p); s.State != breaker.Closed {
			t.Errorf("three passed: got %+v, want closed", s)
		}
	})
}

// A call that began before the circuit changed has no say in what it is now.
func TestLateEndingsHaveNoSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, breaker.Options{Consecutive: 1})
		release := make(chan error)
		late := func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, <-release }
		for range 3 {
			go ask(t, p, late)
		}
		synctest.Wait()
		ask(t, p, down)
		release <- nil
		synctest.Wait()
		if s := state(t, p); s.State != breaker.Open {
			t.Errorf("a late success: got %+v, want that it stays open", s)
		}
		time.Sleep(breaker.DefaultOpenFor)
		probe := make(chan struct{})
		go ask(t, p, func(context.Context, toolkit.Call) (toolkit.Result, error) { <-probe; return toolkit.Result{}, nil })
		synctest.Wait()
		release <- errDown
		synctest.Wait()
		if s := state(t, p); s.State != breaker.HalfOpen || s.Probing != 1 {
			t.Errorf("a late failure: got %+v, want half open, one trying", s)
		}
		close(probe)
		synctest.Wait()
		release <- errDown
		synctest.Wait()
		if s := state(t, p); s.State != breaker.Closed || s.Failures != 0 {
			t.Errorf("a later failure: got %+v, want closed, no failure", s)
		}
	})
}

// A probe that hangs keeps its place for a while, not for ever.
func TestAProbeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, breaker.Options{Consecutive: 1, OpenFor: time.Second})
		ask(t, p, down)
		time.Sleep(time.Second)
		release := make(chan struct{})
		hang := func(context.Context, toolkit.Call) (toolkit.Result, error) {
			<-release
			return toolkit.Result{}, errDown
		}
		slow := func(context.Context, toolkit.Call) (toolkit.Result, error) {
			time.Sleep(time.Second / 2)
			return toolkit.Result{}, errDown
		}
		go ask(t, p, hang)
		synctest.Wait()
		time.Sleep(time.Second)
		go ask(t, p, slow)
		synctest.Wait()
		release <- struct{}{}
		synctest.Wait()
		if s := state(t, p); s.State != breaker.HalfOpen || s.Probing != 1 {
			t.Errorf("the first probe's end: got %+v, want that it has no say beside the second", s)
		}
		time.Sleep(2 * time.Second) // the second one has failed
		go ask(t, p, hang)
		synctest.Wait()
		time.Sleep(time.Second - 1)
		if e := ask(t, p, well); e.ErrorType != "circuit_open" {
			t.Errorf("got %s, want that the probe is waited for", e.ErrorType)
		}
		time.Sleep(1)
		if e := ask(t, p, well); e.ErrorType != "" || state(t, p).State != breaker.Closed {
			t.Errorf("got %s, %+v, want that another one could try", e.ErrorType, state(t, p))
		}
		close(release)
		synctest.Wait()
		if s := state(t, p); s.State != breaker.Closed {
			t.Errorf("the hanging probes' ends: got %+v, want that it has no say", s)
		}
	})
}

func TestKeys(t *testing.T) {
	p := policy(t, breaker.Options{Consecutive: 1, Key: func(_ context.Context, call toolkit.Call) string { return call.ID }})
	h := p.Wrap(down)
	for _, id := range []string{"b", "a", ""} {
		for range 2 {
			_, err := h(t.Context(), toolkit.Call{ID: id})
			if id == "" && !errors.Is(err, errDown) {
				t.Errorf("a call without a circuit: got %v", err)
			}
		}
	}
	if s := p.States(); len(s) != 2 || s[0].Key != "a" || s[1].Key != "b" || p.Place() != middleware.PlaceBreaker {
		t.Errorf("got %+v, want a and b", s)
	}
}

// A name that reaches no tool gets no circuit, and neither does one that is too long.
func TestNamesThatReachNoTool(t *testing.T) {
	p := policy(t, breaker.Options{})
	registry := new(toolkit.Registry)
	for i := range 100 {
		name := fmt.Sprint("made up ", i)
		ask(t, p, func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			return registry.Handle(ctx, toolkit.Call{Name: name})
		})
		p.Wrap(registry.Handle)(t.Context(), toolkit.Call{Name: name})
	}
	e := askAs(t, p, strings.Repeat("x", 1000), well)
	if n := len(p.States()); n != 0 || tag(e, "breaker") != "full" || p.Stats().Without != 1 {
		t.Errorf("got %d circuits, %v, %+v, want none, full, once", n, e.Served.Tags, p.Stats())
	}
}

// A million keys: what lies idle is forgotten, an open circuit never is.
func TestAMillionKeys(t *testing.T) {
	n := 1_000_000
	if testing.Short() || raceEnabled {
		n = 50_000
	}
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, breaker.Options{Consecutive: 1, MaxKeys: 100, OpenFor: time.Hour})
		broken, fine := p.Wrap(down), p.Wrap(well)
		for i := range 10 {
			broken(t.Context(), toolkit.Call{Name: fmt.Sprint("broken", i)})
		}
		for i := range n {
			fine(t.Context(), toolkit.Call{Name: fmt.Sprint(i)})
			if i%1000 == 0 {
				time.Sleep(time.Second)
			}
		}
		if s := p.States(); len(s) != 100 || s[99].State != breaker.Open || s[90].State != breaker.Open || p.Stats().Without == 0 {
			t.Errorf("got %d circuits, the last ones %v and %v, %+v", len(s), s[90], s[99], p.Stats())
		}
		time.Sleep(2 * time.Minute)
		fine(t.Context(), toolkit.Call{Name: "new"})
		if s := p.States(); len(s) != 11 || s[10].Key != "new" {
			t.Errorf("got %d circuits, want the ten that are open and a new one", len(s))
		}
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
)

// openFor is how long a circuit stays open by default.
const openFor = 30 * time.Second

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
			time.Sleep(openFor)
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
		time.Sleep(openFor)
		for range 3 {
			wild(t, p, func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("boom") })
			ask(t, p, answer(nil, context.Canceled))
		}
		if s := state(t, p); s.State != breaker.HalfOpen || s.Probing != 0 {
			t.Errorf("got %+v, want half open, no caller trying", s)
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
		time.Sleep(openFor)
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
		if s := state(t, p); running != 3 || s.Probing != 3 || s.RetryIn != openFor {
			t.Errorf("%d run, %+v, want 3", running, s)
		}
		e := ask(t, p, well)
		if tag(e, "breaker") != "half_open" || e.ErrorType != "circuit_open" {
			t.Errorf("the one too many: got %s, %v", e.ErrorType, e.Disposition.Tags)
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
		time.Sleep(openFor)
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
		time.Sleep(time.Nanosecond)
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

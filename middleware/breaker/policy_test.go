// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"errors"
	"fmt"
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
		p := policy(t, breaker.Options{Consecutive: 3, OpenFor: 10 * time.Second,
			OnChange: func(c breaker.Change) { changes = append(changes, c) }})
		began := time.Now()
		for i := range 3 {
			e := ask(t, p, down)
			if want := []string{"", "", "open"}[i]; tag(e, "breaker.changed") != want || tag(e, "breaker") != "" ||
				e.ErrorType != "_OTHER" {
				t.Errorf("failure %d: got %s, %v", i+1, e.ErrorType, e.Disposition.Tags)
			}
		}
		time.Sleep(4 * time.Second)
		e := ask(t, p, well)
		var why *breaker.Error
		if !errors.As(e.Err, &why) || why.RetryAfter() != 6*time.Second || why.Key != "search" ||
			why.State != breaker.Open || why.Failure != "_OTHER" {
			t.Errorf("open: got %v, %+v", e.Err, why)
		}
		if e.ErrorType != "circuit_open" || e.Disposition.Outcome != toolkit.OutcomeRefused || tag(e, "breaker") != "open" {
			t.Errorf("open: got %s, %v, %v", e.ErrorType, e.Disposition.Outcome, e.Disposition.Tags)
		}
		if want := `tool "search": circuit open: it failed too often of late (_OTHER): try again in 6s, or another way`; e.Err.Error() != want {
			t.Errorf("open: got  %s\nwant %s", e.Err, want)
		}
		if s := state(t, p); s.State != breaker.Open || s.RetryIn != 6*time.Second || !s.Since.Equal(began) ||
			s.Opened != 1 || s.LastFailure != "_OTHER" {
			t.Errorf("open: got %+v", s)
		}
		time.Sleep(6 * time.Second)
		if e = ask(t, p, down); tag(e, "breaker") != "half_open" || tag(e, "breaker.changed") != "half_open" ||
			e.Disposition.Outcome != toolkit.OutcomeExecuted {
			t.Errorf("first try: got %v, %v", e.Disposition.Outcome, e.Disposition.Tags)
		}
		if s := state(t, p); s.State != breaker.Open || s.RetryIn != 10*time.Second || s.Opened != 2 {
			t.Errorf("after the first try: got %+v", s)
		}
		time.Sleep(10 * time.Second)
		if e = ask(t, p, well); e.ErrorType != "" || state(t, p).State != breaker.Closed {
			t.Errorf("second try: got %s, %+v", e.ErrorType, state(t, p))
		}
		if e = ask(t, p, well); len(e.Disposition.Tags) != 0 {
			t.Errorf("closed: got %v, want nothing told", e.Disposition.Tags)
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
			{"old failures do not count", breaker.Options{Consecutive: never, MinCalls: 4, Window: 10 * time.Second},
				"---............+++-+-", 0},
			{"old successes do not count", breaker.Options{Consecutive: never, MinCalls: 4, Window: 10 * time.Second},
				"+++++++++++............----", 15},
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
	named := breaker.Options{Consecutive: 1, On: []toolkit.Kind{toolkit.ErrTool}, OnTypes: []string{"no_disk"}}
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
		{"a panic that was caught", byDefault, answer(&toolkit.PanicError{}, nil), true, true},
		{"named: the tool's failure", named, answer(errDown, nil), true, true},
		{"named: a type of the application's", named, answer(nil, &toolkit.Error{Kind: "no_disk"}), true, true},
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

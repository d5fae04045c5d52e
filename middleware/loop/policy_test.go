// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/toolkit"
)

func TestRepeats(t *testing.T) {
	r := newRig(t, loop.Options{})
	got := r.calls(`x {"a":1,"b":2}`, `x { "b": 2, "a": 1.0 }`, `x {"a":1,"b":2}`, `x {"a":1,"b":2}`, `x {"a":1,"b":2}`,
		`x {"a":1,"b":3}`)
	// The spellings have different answers here, but the calls are in a row.
	wantTold(t, got, "", "", "repeat 3 signal", "repeat 4 signal", "repeat 5 advice", "")
	var repeats []uint16
	for _, e := range r.seen.All() {
		repeats = append(repeats, e.Disposition.Repeat)
	}
	if want := []uint16{0, 1, 2, 3, 4, 0}; !slices.Equal(repeats, want) {
		t.Errorf("Disposition.Repeat: got %v, want %v", repeats, want)
	}
}

func TestCallsInBetweenDoNotHideARepeat(t *testing.T) {
	r := newRig(t, loop.Options{})
	wantTold(t, r.calls("x 1", "y 1", "x 1", "y 2", "y 3", "x 1"), "", "", "", "", "", "repeat 3 signal")
}

// A model that reads a file after each of its edits makes progress.
func TestAChangedAnswerIsProgress(t *testing.T) {
	r := newRig(t, loop.Options{})
	r.answer = r.numbered
	for i := range 20 {
		wantTold(t, r.calls("read a", "edit "+strings.Repeat("x", i)), "", "")
	}
	// The same two calls in turn, each time with new answers, are none either.
	for range 20 {
		wantTold(t, r.calls("screenshot", "press down"), "", "")
	}
	if repeat := r.seen.All()[r.seen.Len()-1].Disposition.Repeat; repeat != 19 {
		t.Errorf("Disposition.Repeat counts whatever the answer: got %d, want 19", repeat)
	}
}

func TestCycles(t *testing.T) {
	r := newRig(t, loop.Options{})
	wantTold(t, r.calls("a 1", "b 1", "a 1", "b 1", "a 1", "b 1", "a 1", "b 1", "a 1", "b 1", "c"),
		"", "", "", "", "", "cycle 3 signal 2", "cycle 3 signal 2", "cycle 4 signal 2", "cycle 4 signal 2", "cycle 5 advice 2", "")

	r = newRig(t, loop.Options{})
	var told []string
	for range 3 {
		told = append(told, r.calls("a 1", "a 2", "a 3", "b 1", "a 4", "c", "d", "e")...)
	}
	if last := told[len(told)-1]; last != "cycle 3 signal 8" {
		t.Errorf("got %q for a cycle of 8 calls, gone through 3 times", last)
	}
}

// A call that comes more often than the cycle it is in is a repeat.
func TestARepeatWithinACycle(t *testing.T) {
	r := newRig(t, loop.Options{})
	wantTold(t, r.calls("a 1", "a 1", "b 1", "a 1", "a 1", "b 1"), "", "", "", "repeat 3 signal", "repeat 4 signal", "")
}

func TestErrors(t *testing.T) {
	r := newRig(t, loop.Options{Default: loop.Thresholds{Stop: 6}})
	r.answer = func(call toolkit.Call) (toolkit.Result, error) {
		name := strings.Trim(string(call.Arguments), `"`)
		if name == "good" {
			return toolkit.Result{Output: "fine"}, nil
		}
		return toolkit.Failure(errors.New("open " + name + ": no such file or directory (attempt " + name[1:] + ")")), nil
	}
	wantTold(t, r.calls(`x "a1"`, `x "b2"`, `y 1`, `x "c3"`, `x "d4"`, `x "e5"`, `x "f6"`, `x "g7"`, `x "h8"`, `x "i9"`),
		"", "", "", "error 3 signal", "error 4 signal", "error 5 advice", "error 6 advice", "error 6 stop",
		"error 7 advice", "error 7 stop")
	if _, _, err := r.call("x", `"good"`); err != nil {
		t.Errorf("a call that may be tried: got %v", err)
	}
	wantTold(t, r.calls(`x "k1"`, `x "l2"`), "", "")
}

func TestErrorsOfDifferentKindsAreNotOne(t *testing.T) {
	r := newRig(t, loop.Options{})
	failures := []error{errors.New("disk full"), errors.New("no route"), toolkit.ErrTimeout,
		&toolkit.Error{Kind: toolkit.ErrRateLimited}}
	r.answer = func(toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, failures[r.ran%len(failures)] }
	wantTold(t, r.calls("x 1", "x 2", "x 3", "x 4", "x 5", "x 6"), "", "", "", "", "", "")
	// A kind that says enough counts whatever the message.
	r.answer = func(call toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: strings.Repeat("bad ", r.ran)}
	}
	wantTold(t, r.calls("x 7", "x 8", "x 9"), "", "", "error 3 signal")
}

func TestNoProgress(t *testing.T) {
	answer := func(toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "nothing found"}, nil }
	for name, want := range map[string][]string{
		"read":  {"", "", "no_progress 3 signal", "no_progress 4 signal", "no_progress 5 advice", ""},
		"some":  {"", "", "no_progress 3 signal", "no_progress 4 signal", "no_progress 5 signal", ""},
		"write": {"", "", "", "", "", ""},
	} {
		r := newRig(t, loop.Options{})
		r.answer = answer
		got := r.calls(name+" 1", name+" 2", name+" 3", name+" 4", name+" 5")
		r.answer = func(toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "found"}, nil }
		wantTold(t, append(got, r.calls(name+" 6")...), want...)
	}
	r := newRig(t, loop.Options{Tools: map[string]loop.Thresholds{"write": {Signal: -1, Advice: -1, Stop: 3}}})
	r.answer = answer
	wantTold(t, r.calls("write 1", "write 2", "write 3", "write 4", "write 5", "write 6"), "", "", "",
		"no_progress 3 stop", "", "no_progress 4 stop")
	r = newRig(t, loop.Options{})
	r.answer = func(toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }
	wantTold(t, r.calls("read 1", "read 2", "read 3"), "", "", "")
}

func TestAStoppedCallIsRefusedAndMayBeTriedLater(t *testing.T) {
	r := newRig(t, loop.Options{Default: loop.Thresholds{Stop: 4}})
	wantTold(t, r.calls("x 1", "x 1", "x 1"), "", "", "repeat 3 signal")
	told, _, err := r.call("x", "1")
	var refused *toolkit.Error
	if told != "repeat 4 stop" || !errors.As(err, &refused) || refused.Kind != toolkit.ErrLoopDetected || r.ran != 3 {
		t.Fatalf("got %q, %v after %d runs, want a refusal after 3", told, err, r.ran)
	}
	const want = `tool "x": loop detected: this very call has come 4 times, so it was not run: use what it gave, ` +
		`change the arguments, or go another way`
	if refused.Error() != want {
		t.Errorf("got  %s\nwant %s", refused.Error(), want)
	}
	e := r.seen.All()[3]
	if e.Disposition.Outcome != toolkit.OutcomeRefused || e.Disposition.Repeat != 3 || e.ErrorType != "loop_detected" {
		t.Errorf("got %v, repeat %d, %s", e.Disposition.Outcome, e.Disposition.Repeat, e.ErrorType)
	}
	wantTold(t, r.calls("x 1", "y 1", "x 1", "x 1"), "repeat 5 stop", "", "repeat 6 advice", "repeat 7 stop")
	r.answer = r.numbered // something new comes of it
	wantTold(t, r.calls("y 2", "x 1", "y 3", "x 1"), "", "", "", "")
}

func TestAStoppedCycle(t *testing.T) {
	r := newRig(t, loop.Options{Default: loop.Thresholds{Stop: 3}})
	wantTold(t, r.calls("a 1", "b 1", "a 1", "b 1", "a 1", "b 1", "a 1", "b 1", "a 1", "c", "a 1"),
		"", "", "", "", "", "cycle 3 stop 2", "cycle 3 stop 2", "cycle 4 stop 2", "cycle 4 stop 2", "", "repeat 6 advice")
	if r.ran != 7 {
		t.Errorf("the tools ran %d times, want 7", r.ran)
	}
}

// The policy stands before those that refuse.
func TestRefusedCallsCount(t *testing.T) {
	refuse := middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not here"})
		}
	})
	r := newRig(t, loop.Options{}, refuse)
	wantTold(t, r.calls("x 1", "x 2", "x 3", "x 4"), "", "", "error 3 signal", "error 4 signal")
	told, _, err := r.call("x", "5")
	const want = `tool "x": permission denied: not here` +
		"\n\n[this tool has failed in the same way 5 times in a row; mend what the error names, or do without this tool]"
	if told != "error 5 advice" || err == nil || err.Error() != want || !errors.Is(err, toolkit.ErrPermissionDenied) {
		t.Errorf("got %q, %s", told, err)
	}
}

// Advice cannot be put into an error of another's: its value stays.
func TestAnErrorOfOthersStaysAsItIs(t *testing.T) {
	broken := errors.New("broken")
	r := newRig(t, loop.Options{Default: loop.Thresholds{Advice: 2}})
	r.answer = func(toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, broken }
	r.calls("x 1")
	if told, _, err := r.call("x", "1"); told != "repeat 2 signal" || err != broken {
		t.Errorf("got %q, %v", told, err)
	}
}

func TestArgumentsWithoutAnIdentityCountAsWritten(t *testing.T) {
	r := newRig(t, loop.Options{})
	wantTold(t, r.calls(`x {"a":`, `x {"a":`, `x {"a":`, `x { "a":`, `x {"a":1,"a":2}`, `x {"a":1,"a":2}`, `x {"a":1,"a":2}`),
		"", "", "repeat 3 signal", "", "", "", "repeat 3 signal")
}

func TestAdviceChangesNothingThatIsShared(t *testing.T) {
	parts := make([]toolkit.Part, 1, 8)
	parts[0] = toolkit.Part{Kind: toolkit.PartText, Text: "text"}
	fault := errors.New("no")
	const advice = "[this very call has come 2 times; use what it gave, change the arguments, or go another way]"
	for name, c := range map[string]struct {
		stored toolkit.Result
		want   toolkit.Result
	}{
		"output":  {toolkit.Result{Output: "42"}, toolkit.Result{Output: "42\n\n" + advice}},
		"fault":   {toolkit.Result{Output: "no", Fault: fault}, toolkit.Result{Output: "no\n\n" + advice, Fault: fault}},
		"nothing": {toolkit.Result{}, toolkit.Result{Output: advice}},
		"parts": {toolkit.Result{Parts: parts},
			toolkit.Result{Parts: []toolkit.Part{parts[0], {Kind: toolkit.PartText, Text: advice}}}},
	} {
		r := newRig(t, loop.Options{Default: loop.Thresholds{Advice: 2}})
		r.answer = func(toolkit.Call) (toolkit.Result, error) { return c.stored, nil }
		r.calls("x 1")
		told, got, err := r.call("x", "1")
		if err != nil || got.Output != c.want.Output || len(got.Parts) != len(c.want.Parts) || got.Fault != c.want.Fault {
			t.Errorf("%s: got %q and %d parts, %v", name, got.Output, len(got.Parts), err)
		}
		for i, part := range got.Parts {
			if part.Text != c.want.Parts[i].Text {
				t.Errorf("%s: part %d: got %q", name, i, part.Text)
			}
		}
		if told != "repeat 2 advice" {
			t.Errorf("%s: told %q", name, told)
		}
	}
	if parts[:2][1].Text != "" {
		t.Error("the advice was written behind the stored parts")
	}
}

// What is suspended is asked for again, by itself or in turn with another call, until
// a caller has decided; what a caller gave up says nothing of the model.
func TestSuspendedAndCancelledCallsArePartOfNoLoop(t *testing.T) {
	for name, answer := range map[string]toolkit.Handler{
		"suspended": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "wait", Suspended: true}, nil
		},
		"cancelled": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(context.Canceled), nil
		},
	} {
		r := newRig(t, loop.Options{Default: loop.Thresholds{Signal: 2, Stop: 3}})
		r.answer = func(call toolkit.Call) (toolkit.Result, error) { return answer(t.Context(), call) }
		wantTold(t, r.calls("x 1", "x 1", "x 1", "x 1", "y 1", "x 1", "y 1", "x 1", "y 1", "x 1"), "", "", "", "", "", "",
			"", "", "", "")
		if repeat := r.seen.All()[9].Disposition.Repeat; repeat != 6 {
			t.Errorf("%s: Disposition.Repeat is %d, want 6", name, repeat)
		}
		r.answer = func(toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "done"}, nil }
		wantTold(t, r.calls("x 1", "x 1", "x 1"), "", "repeat 2 signal", "repeat 3 stop")
	}
}

func TestNothingIsCountedWithoutASession(t *testing.T) {
	r := newRig(t, loop.Options{})
	for _, r.session = range []toolkit.Session{{}, {Tenant: "t"}} {
		wantTold(t, r.calls("x 1", "x 1", "x 1", "x 1", "x 1"), "unscoped", "unscoped", "unscoped", "unscoped", "unscoped")
	}
	if n := r.seen.All()[4].Disposition.Repeat; n != 0 {
		t.Errorf("Disposition.Repeat is %d without a session", n)
	}
}

func TestAgentsSessionsAndTenantsAreApart(t *testing.T) {
	r := newRig(t, loop.Options{Default: loop.Thresholds{Signal: 2}})
	for _, r.session = range []toolkit.Session{{ID: "s"}, {ID: "s", Tenant: "t"}, {ID: "s", Agent: "researcher"}, {ID: "r"}} {
		wantTold(t, r.calls("x 1"), "")
	}
	r.session.ID = "s"
	r.session.Turn, r.session.Batch = 7, "b9" // another turn of the first
	wantTold(t, r.calls("x 1"), "repeat 2 signal")
}

// With no record, the session comes from the context and the definition by look-up.
func TestWorksUnobserved(t *testing.T) {
	var kinds []loop.Kind
	def := &toolkit.Definition{Name: "x", ReadOnly: toolkit.No}
	writes := policy(t, loop.Options{
		OnLoop: func(_ context.Context, l loop.Loop) { kinds = append(kinds, l.Kind) },
		Lookup: func(string) *toolkit.Definition { return def },
	}).Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "ok"}, nil })
	for _, arguments := range []string{"1", "2", "3", "3", "3"} {
		if _, err := writes(toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"}),
			toolkit.Call{Name: "x", Arguments: []byte(arguments)}); err != nil {
			t.Error(err)
		}
	}
	if len(kinds) != 1 || kinds[0] != loop.Repeat {
		t.Errorf("got %v, want one repeat", kinds)
	}
	h := policy(t, loop.Options{Default: loop.Thresholds{Stop: 3}}).Wrap(
		func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	for i := range 3 {
		if _, err := h(ctx, toolkit.Call{Name: "x"}); errors.Is(err, toolkit.ErrLoopDetected) != (i == 2) {
			t.Errorf("call %d: got %v", i+1, err)
		}
	}
}

func TestPanicsAndGoexitAreErrorsThatGoOn(t *testing.T) {
	r := newRig(t, loop.Options{})
	r.answer = func(call toolkit.Call) (toolkit.Result, error) {
		if r.ran%2 == 0 {
			runtime.Goexit()
		}
		panic("boom")
	}
	for i := range 4 {
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			_, _ = r.handle(toolkit.WithSession(context.Background(), r.session),
				toolkit.Call{Name: "x", Arguments: []byte{byte('0' + i)}})
		}()
		if got := <-done; (got == "boom") != (i%2 == 0) {
			t.Errorf("call %d: recovered %v", i, got)
		}
	}
	if got := r.lastTags(); got != "error 4 signal" {
		t.Errorf("got %q", got)
	}
}

func TestTheCallbackMayPanic(t *testing.T) {
	var told []loop.Loop
	r := newRig(t, loop.Options{OnLoop: func(_ context.Context, l loop.Loop) { told = append(told, l); panic("host") }})
	r.calls("x 1", "x 1", "x 1")
	if want := (loop.Loop{Kind: loop.Repeat, Action: loop.Signal, Tool: "x", Count: 3}); len(told) != 1 || told[0] != want {
		t.Errorf("got %+v, want %+v", told, want)
	}
}

func TestTheTagForTheCountHasFewValues(t *testing.T) {
	r := newRig(t, loop.Options{})
	values := map[string]bool{}
	for range 1000 {
		told, _, _ := r.call("x", "1")
		values[told] = true
	}
	if len(values) > 24 || !values["repeat 512+ advice"] || !values["repeat 16 advice"] {
		t.Errorf("%d values: %v", len(values), values)
	}
}

func TestOptionsThatContradict(t *testing.T) {
	for _, c := range []struct {
		options loop.Options
		want    string
	}{
		{loop.Options{Window: 3}, "loop: Options.Window: got 3, want 16 to 1024, or 0 for 64"},
		{loop.Options{Sessions: -1}, "loop: Options.Sessions: got -1, want more than 0, or 0 for 10000"},
		{loop.Options{Idle: -1}, "loop: Options.Idle: got -1ns, want more than 0, or 0 for 1h0m0s"},
		{loop.Options{Default: loop.Thresholds{Stop: 1}},
			"loop: Options.Default.Stop: got 1, which every call reaches, want 2 or more, or below 0 for never"},
		{loop.Options{Tools: map[string]loop.Thresholds{"x": {Signal: 6, Advice: 5}}},
			`loop: Options.Tools["x"].Advice: got 5, below Signal, want 6 or more`},
		{loop.Options{Default: loop.Thresholds{Advice: 5, Stop: 4}}, "loop: Options.Default.Stop: got 4, below Advice, want 5 or more"},
		{loop.Options{Tools: map[string]loop.Thresholds{"": {}}},
			"loop: Options.Tools: got thresholds for a tool without a name, want a name"},
	} {
		if _, err := loop.New(c.options); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	// What is not said gives way to what is.
	r := newRig(t, loop.Options{Default: loop.Thresholds{Stop: 2}})
	wantTold(t, r.calls("x 1", "x 1"), "", "repeat 2 stop")
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// speaking is an error with a type of its own.
type speaking struct {
	kind  string
	cause error
}

func (e speaking) Error() string     { return "speaking" }
func (e speaking) ErrorType() string { return e.kind }
func (e speaking) Unwrap() error     { return e.cause }

// matching is an error that says by Is what it is.
type matching struct{ kind toolkit.Kind }

func (e matching) Error() string        { return "matching" }
func (e matching) Is(target error) bool { return target == e.kind }

// exploding is an error whose methods panic.
type exploding struct{}

func (exploding) Error() string     { panic("Error") }
func (exploding) ErrorType() string { panic("ErrorType") }
func (exploding) Is(error) bool     { panic("Is") }

func TestTypeOf(t *testing.T) {
	var (
		nilError *toolkit.Error
		nilPanic *toolkit.PanicError
	)
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"nil", nil, ""},
		{"plain", errors.New("x"), "tool_error"},
		{"kind", toolkit.ErrLoopDetected, "loop_detected"},
		{"kind, wrapped", fmt.Errorf("x: %w", toolkit.ErrLoopDetected), "loop_detected"},
		{"error", &toolkit.Error{Kind: toolkit.ErrCircuitOpen}, "circuit_open"},
		{"error without a kind", &toolkit.Error{Cause: errors.New("x")}, "tool_error"},
		{"error, its cause another kind", &toolkit.Error{Kind: toolkit.ErrRateLimited, Cause: context.Canceled}, "rate_limited"},
		{"error of another kind", &toolkit.Error{Kind: "db_down"}, "db_down"},
		{"error of a kind that is no label", &toolkit.Error{Kind: "db down!"}, "_OTHER"},
		{"typed nil error", nilError, "tool_error"},
		{"deadline", context.DeadlineExceeded, "timeout"},
		{"deadline, wrapped twice", fmt.Errorf("a: %w", fmt.Errorf("b: %w", context.DeadlineExceeded)), "timeout"},
		{"cancel", context.Canceled, "canceled"},
		{"joined", errors.Join(errors.New("x"), toolkit.ErrOverloaded), "overloaded"},
		{"panic", &toolkit.PanicError{Value: 1}, "panic"},
		{"panic with a deadline", &toolkit.PanicError{Value: context.DeadlineExceeded}, "panic"},
		{"panic with another kind, wrapped", fmt.Errorf("x: %w", &toolkit.PanicError{Value: toolkit.ErrRateLimited}), "panic"},
		{"typed nil panic", nilPanic, "panic"},
		{"soft", toolkit.SoftError(true, "secret"), "tool_error"},
		{"a type of its own", speaking{kind: "quota.exceeded-2"}, "quota.exceeded-2"},
		{"a type of its own, wrapped", fmt.Errorf("x: %w", speaking{kind: "quota.exceeded-2"}), "quota.exceeded-2"},
		{"a type of its own around the general one", speaking{kind: "db_lost", cause: toolkit.ErrTool}, "db_lost"},
		{"a type of its own around a deadline", speaking{kind: "db_lost", cause: context.DeadlineExceeded}, "timeout"},
		{"a type from the list", speaking{kind: "timeout"}, "timeout"},
		{"no type", speaking{}, "_OTHER"},
		{"too long a type", speaking{kind: strings.Repeat("a", 65)}, "_OTHER"},
		{"a type that is no label", speaking{kind: "line\nbreak"}, "_OTHER"},
		{"a type by Is", matching{toolkit.ErrApprovalDenied}, "approval_denied"},
		{"exploding", exploding{}, "tool_error"},
	} {
		if got := toolkit.TypeOf(tt.err); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestErrorsAnswerThreeQuestions(t *testing.T) {
	cause := speaking{kind: "io"}
	err := fmt.Errorf("outer: %w", &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: "t", Message: "too slow", Cause: cause})
	var e *toolkit.Error
	if !errors.As(err, &e) || e.Tool != "t" {
		t.Errorf("As: got %v, want the *Error", e)
	}
	for _, target := range []error{toolkit.ErrTimeout, context.DeadlineExceeded, cause} {
		if !errors.Is(err, target) {
			t.Errorf("Is(%v): got false, want true", target)
		}
	}
	for _, target := range []error{toolkit.ErrCanceled, context.Canceled, toolkit.ErrTool} {
		if errors.Is(err, target) {
			t.Errorf("Is(%v): got true, want false", target)
		}
	}
	if !errors.Is(toolkit.ErrCanceled, context.Canceled) || errors.Is(toolkit.ErrTool, context.Canceled) {
		t.Error("ErrCanceled, and it alone, is context.Canceled")
	}
	panicked := error(&toolkit.PanicError{Value: cause})
	if !errors.Is(panicked, toolkit.ErrPanic) || !errors.Is(panicked, cause) {
		t.Error("a panic is ErrPanic and its value")
	}
	if soft := toolkit.SoftError(true, "text"); !errors.Is(soft, toolkit.ErrTool) || soft.Error() != "text" {
		t.Errorf("SoftError: got %v with %q", soft, soft.Error())
	}
	if toolkit.SoftError(false, "text") != nil {
		t.Error("SoftError of a success: want nil")
	}
}

func TestErrorText(t *testing.T) {
	var none *toolkit.Error
	for want, err := range map[string]error{
		"rate limited":                        &toolkit.Error{Kind: toolkit.ErrRateLimited},
		"tool error":                          none,
		`tool "t": tool error: what happened`: &toolkit.Error{Tool: "t", Message: "what happened"},
		`tool "t": timeout: beneath`:          &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: "t", Cause: errors.New("beneath")},
		`tool "t": timeout: above`: &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: "t", Message: "above",
			Cause: errors.New("beneath")},
		`tool "\n\x1b": unknown tool`: &toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: "\n\x1b"},
		"tool error: tool error":      toolkit.Failure(&toolkit.Error{Message: "tool error"}).Fault,
		"the tool panicked":           &toolkit.PanicError{Value: "secret"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if res := toolkit.Failure(nil); res.Fault != toolkit.ErrTool || res.Output != "tool error" {
		t.Errorf("Failure(nil): got %v with %q", res, res.Output)
	}
}

// A metric's label must stay bounded: the first 64 values of ErrorType methods are
// admitted for good, whatever order and number of goroutines they come from.
func TestErrorTypesAreBounded(t *testing.T) {
	admit := toolkit.NewAdmission()
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 200 {
				got := admit("type_" + strconv.Itoa((i+w*25)%200))
				mu.Lock()
				seen[got] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != toolkit.MaxErrorTypes+1 || !seen[toolkit.TypeOther] {
		t.Errorf("got %d values, want %d and _OTHER", len(seen), toolkit.MaxErrorTypes)
	}
	for v := range seen {
		if got := admit(v); v != toolkit.TypeOther && got != v {
			t.Errorf("%q was admitted before, got %q", v, got)
		}
	}
	if got := admit("rate_limited"); got != "rate_limited" {
		t.Errorf("a value of the fixed list: got %q, want it admitted though the bound is reached", got)
	}
}

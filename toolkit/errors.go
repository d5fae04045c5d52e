// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// Kind is an error of the fixed list below; its text is what error.type says.
// Kinds are constants: compare with [errors.Is].
type Kind string

// The values of error.type, as `docs/design.md` lists them, each of which [Kinds] lists too. A tool's
// or an application's own error may give another with an ErrorType method (see [TypeOf]).
const (
	ErrTool             Kind = "tool_error"        // the tool failed, and no more is known
	ErrTimeout          Kind = "timeout"           // a deadline passed; also context.DeadlineExceeded
	ErrCanceled         Kind = "canceled"          // the caller gave up; also context.Canceled
	ErrPanic            Kind = "panic"             // the tool panicked
	ErrUnknownTool      Kind = "unknown_tool"      // no tool of that name is registered
	ErrInvalidArguments Kind = "invalid_arguments" // the arguments do not fit the tool's schema
	ErrPermissionDenied Kind = "permission_denied" // a rule refused the call
	ErrApprovalDenied   Kind = "approval_denied"   // a person refused the call
	ErrApprovalExpired  Kind = "approval_expired"  // no decision in time
	ErrRateLimited      Kind = "rate_limited"      // too many calls in a window
	ErrOverloaded       Kind = "overloaded"        // no room to run or to wait
	ErrCircuitOpen      Kind = "circuit_open"      // the tool failed too often of late
	ErrLoopDetected     Kind = "loop_detected"     // the model goes round in circles
	ErrBudgetExceeded   Kind = "budget_exceeded"   // calls, time or cost are used up
)

// kinds are all constants, the frequent ones first: [errors.Is] is asked for them in this order.
var kinds = [...]struct {
	kind Kind
	// refusal is whether an error of the kind says that the call never reached a tool.
	refusal bool
}{
	{ErrTimeout, false},
	{ErrCanceled, false},
	{ErrPanic, false},
	{ErrUnknownTool, true},
	{ErrInvalidArguments, true},
	{ErrPermissionDenied, true},
	{ErrApprovalDenied, true},
	{ErrApprovalExpired, true},
	{ErrRateLimited, true},
	{ErrOverloaded, true},
	{ErrCircuitOpen, true},
	{ErrLoopDetected, true},
	{ErrBudgetExceeded, true},
	{ErrTool, false},
}

// Kinds lists all constants in a stable order. The list is the caller's own.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range kinds {
		all[i] = kinds[i].kind
	}
	return all
}

// Refusal reports whether an error of kind k says that the call never reached a tool: all constants
// but [ErrTool], [ErrTimeout], [ErrCanceled] and [ErrPanic], which a tool that runs ends with too. It
// is false for a kind that is none of the constants. A call that failed with such a kind may have run
// nevertheless, where a tool made up the error of what it called: [Outcome] says what happened.
func (k Kind) Refusal() bool {
	for i := range kinds {
		if kinds[i].kind == k {
			return kinds[i].refusal
		}
	}
	return false
}

// Known reports whether k is one of the constants.
func (k Kind) Known() bool {
	for i := range kinds {
		if kinds[i].kind == k {
			return true
		}
	}
	return false
}

// Error is the kind with blanks for underscores.
func (k Kind) Error() string { return strings.ReplaceAll(string(k), "_", " ") }

// ErrorType is the kind's value of error.type.
func (k Kind) ErrorType() string { return string(k) }

// Is makes [ErrTimeout] and [ErrCanceled] match the context's errors.
func (k Kind) Is(target error) bool {
	return k == ErrTimeout && target == context.DeadlineExceeded || k == ErrCanceled && target == context.Canceled
}

// Error is an error with its kind, the tool, a text that helps the model go on,
// and the cause. [errors.Is] finds both Kind and Cause.
type Error struct {
	// Kind is what error.type says; "" counts as [ErrTool].
	Kind Kind
	// Tool is the tool's name as called; it may be hostile and is quoted
	// and clipped wherever it is shown.
	Tool string
	// Message is for the model: what happened and what to do. It may quote
	// arguments or outputs, so it is redacted like any content before it leaves.
	Message string
	// Cause is what lies beneath; nil if nothing does.
	Cause error
}

// kind is ErrTool for a nil *Error too: tools return typed nils by mistake.
func (e *Error) kind() Kind {
	if e == nil || e.Kind == "" {
		return ErrTool
	}
	return e.Kind
}

// Error is the message, else the cause's text, after the kind and the tool's name.
func (e *Error) Error() string {
	if e == nil {
		return ErrTool.Error()
	}
	text := e.Message
	if text == "" && e.Cause != nil {
		text = e.Cause.Error()
	}
	head := e.kind().Error()
	if e.Tool != "" {
		head = "tool " + quote(e.Tool) + ": " + head
	}
	if text == "" {
		return head
	}
	return head + ": " + text
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e == nil || e.Cause == nil {
		return []error{e.kind()}
	}
	return []error{e.kind(), e.Cause}
}

// ErrorType is the kind's value of error.type.
func (e *Error) ErrorType() string { return string(e.kind()) }

// Format prints the kind and the tool's name, whatever the verb: the message
// and the cause may hold arguments or outputs. The text for the model is
// [Error.Error]; an error that wraps this one with fmt.Errorf and %w has not got
// it, since fmt asks Format.
func (e *Error) Format(f fmt.State, _ rune) {
	if e == nil {
		fmt.Fprint(f, "<nil>")
		return
	}
	fmt.Fprint(f, (&Error{Kind: e.Kind, Tool: e.Tool}).Error())
}

// LogValue gives the kind and the tool's name.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.Value{}
	}
	return slog.GroupValue(slog.String("error_type", string(e.kind())), slog.String("tool", clip(e.Tool)))
}

// PanicError is a panic as an error, made by the code that recovers it. Its text does
// not hold the value, which may be anything; Value and Stack do.
type PanicError struct {
	Value any
	Stack []byte // where it began, as [runtime.Stack] writes it; nil if that is not known
}

// Error says that the tool panicked, without the value.
func (e *PanicError) Error() string { return "the tool panicked" }

// Format prints the same as Error, whatever the verb.
func (e *PanicError) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.Error()) }

// LogValue gives the kind, not the value.
func (e *PanicError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// ErrorType is "panic", whatever error the value is.
func (e *PanicError) ErrorType() string { return string(ErrPanic) }

// Unwrap gives [ErrPanic], and the value if it is an error.
func (e *PanicError) Unwrap() []error {
	if e == nil {
		return []error{ErrPanic}
	}
	if err, ok := e.Value.(error); ok && err != nil {
		return []error{ErrPanic, err}
	}
	return []error{ErrPanic}
}

// SoftError is for an [Adapter]: nil if the result is no failure, else an error of
// kind [ErrTool] with the tool's text, so that failures can be grouped.
func SoftError(failed bool, text string) error {
	if !failed {
		return nil
	}
	return &softError{text}
}

// softError is a failure a tool reported in its result: the text is the tool's own.
type softError struct{ text string }

func (e *softError) Error() string              { return e.text }
func (e *softError) Unwrap() error              { return ErrTool }
func (e *softError) Format(f fmt.State, _ rune) { fmt.Fprint(f, ErrTool.Error()) }
func (e *softError) LogValue() slog.Value       { return slog.StringValue(ErrTool.Error()) }

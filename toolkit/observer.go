// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/toolscope/toolscope/internal/counters"
)

// An Observer is notified of every call when it begins and when it ends: tracing,
// statistics, tests. Observers must be safe for concurrent use and must not block. A
// panic of an observer is swallowed and counted; an observer whose Begin
// panicked is not notified of that call's end.
type Observer interface {
	// Begin returns the context that the call goes on with: ctx, or one made of
	// it. f is the observer's to read, and to complete (Span, Start), until
	// Begin returns; it is not kept.
	Begin(ctx context.Context, call Call, f *CallInfo) context.Context
	// Wants reports whether the observer will look at the content of the call
	// when it ends. If none does, no content is built. ctx is the one that the
	// observer's Begin returned.
	Wants(ctx context.Context) bool
	// End is called once. ctx is the one that the observer's Begin returned,
	// even if it has been cancelled since. e is not kept.
	End(ctx context.Context, e *Ended)
}

// Ended is a call that has come to its end: one start, one end and one
// error.type for all observers.
type Ended struct {
	Call Call
	Info CallInfo
	// Disposition is complete: Run is set for an executed call.
	Disposition Disposition

	Ending    Ending
	ErrorType string // "" for a success
	// Err is the handler's error, else the result's fault; nil for a success and for a
	// panic. If that error names its kind only, as [ErrTool] does, Err wraps it, and its
	// text is the result's: the output, else the first text among the parts.
	Err   error
	Panic any // the panic's value if Ending is EndingPanicked
	// Stack is where the call panicked, at most 16 KiB, as [runtime.Stack] writes it; nil
	// unless Ending is EndingPanicked. A panic that a layer recovered is in Err, as a
	// [*PanicError] with its stack.
	Stack []byte

	// Result is the result as it will be seen; its content is set only if an
	// observer wanted it (Content), its Fault and Suspended always.
	Result  Result
	Content bool
	// ArgumentsBytes and ResultBytes are sizes; ResultBytes is -1 if unknown.
	ArgumentsBytes, ResultBytes int

	Start, End time.Time

	// For calls that stream (see [Running]): the time from the start to the
	// first chunk, how many chunks and bytes, and the last progress told.
	FirstChunk time.Duration
	Chunks     int
	ChunkBytes int
	Progress   float64
}

// Format prints name, ending and error type, whatever the verb, never content.
func (e Ended) Format(f fmt.State, _ rune) {
	fmt.Fprint(f, "Ended{", e.Call, " ", e.Ending, " error_type:", quote(e.ErrorType), " ", e.Duration(), "}")
}

// LogValue gives name, ending and error type, never content.
func (e Ended) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("call", e.Call), slog.String("ending", e.Ending.String()),
		slog.String("error_type", e.ErrorType), slog.Duration("duration", e.Duration()))
}

// Cost is what the call cost, in the application's currency: the Cost of its tool's definition for each run of
// the tool ([Disposition.Runs]), which is what package budget charges; 0 for a call that did not run its tool,
// and for a tool without a cost.
func (e *Ended) Cost() float64 {
	tool := e.Info.Tool
	if tool == nil || !(tool.Cost > 0) || math.IsInf(tool.Cost, 1) || e.Disposition.Outcome != OutcomeExecuted {
		return 0
	}
	return tool.Cost * float64(e.Disposition.Runs())
}

// Duration is the time from start to end, never below 0.
func (e *Ended) Duration() time.Duration { return max(0, e.End.Sub(e.Start)) }

// Waited is the time the call spent waiting: queue, approval and backoff.
func (s Disposition) Waited() time.Duration { return s.Queue + s.Approval + s.Backoff }

// Runs is how often the call reached its tool: its attempts, or one without a retry policy, less
// those that did not.
func (s Disposition) Runs() int {
	runs := max(1, int(s.Attempts)) - int(s.Refused)
	if s.Outcome != OutcomeExecuted && s.Refused == 0 {
		runs--
	}
	return max(0, runs)
}

// swallow is deferred around code of the application and of observers.
func swallow(failed *bool) {
	if recover() != nil {
		counters.ObserverPanics.Add(1)
		*failed = true
	}
}

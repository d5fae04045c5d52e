// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultTimeout is how long one call of an [Executor] may run if neither the
// executor nor the tool says otherwise.
const DefaultTimeout = 60 * time.Second

// An Executor runs the calls that a model proposed in one turn and answers them in
// their order. The zero value refuses every call, for want of a Handler; the
// other fields may stay zero. Safe for concurrent use; its fields must not
// be changed once it is in use.
type Executor struct {
	// Handler runs one call, wrapped in whatever observes and governs it.
	Handler Handler
	// Tools finds definitions, for their timeouts; nil finds none.
	Tools Lookup
	// Parallel is how many calls run at once: 1 is one after the other in the
	// caller's goroutine, 0 is all at once.
	Parallel int
	// Timeout is how long one call may run, counted from when it holds its slot; 0
	// is [DefaultTimeout], below 0 is none. A tool's own Timeout wins if it is
	// shorter. The limit is told by the context: a tool that ignores its context
	// runs on, and its batch waits.
	Timeout time.Duration
	// Host are the parameters that the host adds; nil adds none.
	Host *HostParams

	batches atomic.Uint64
}

// Execute runs calls and returns an answer for each, in their order. A call that
// fails, panics or times out takes neither its siblings nor the process along.
// In a session the calls belong to one batch.
func (e *Executor) Execute(ctx context.Context, calls ...Call) []Answer {
	answers := make([]Answer, len(calls))
	if s := SessionFrom(ctx); s != nil && s.Batch == "" {
		batch := *s
		batch.Batch = "b" + strconv.FormatUint(e.batches.Add(1), 10)
		ctx = WithSession(ctx, batch)
	}
	handler := Chain(e.limited(e.Handler), e.Host.middleware())
	if e.Parallel == 1 || len(calls) < 2 {
		for i, c := range calls {
			answers[i] = answer(ctx, handler, c)
		}
		return answers
	}
	slots := make(chan struct{}, max(1, e.slots(len(calls))))
	var done sync.WaitGroup
	for i, c := range calls {
		answers[i] = exited(c) // stays if the tool ends its goroutine
		slots <- struct{}{}
		done.Go(func() {
			defer func() { <-slots }()
			answers[i] = answer(ctx, handler, c)
		})
	}
	done.Wait()
	return answers
}

// slots is how many of n calls may run at once.
func (e *Executor) slots(n int) int {
	if e.Parallel > 0 {
		return min(n, e.Parallel)
	}
	return n
}

// limited gives each call its own clock.
func (e *Executor) limited(next Handler) Handler {
	if next == nil {
		return nil
	}
	return func(ctx context.Context, call Call) (Result, error) {
		limit := e.Timeout
		if limit == 0 {
			limit = DefaultTimeout
		}
		if d := e.Tools.find(call.Name); d != nil && d.Timeout > 0 && (limit < 0 || d.Timeout < limit) {
			limit = d.Timeout
		}
		if limit < 0 {
			return next(ctx, call)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, limit, &Error{Kind: ErrTimeout, Tool: call.Name, Message: fmt.Sprintf("ran longer than %v", limit)})
		defer cancel()
		return next(ctx, call)
	}
}

// exited is the answer of a tool that called runtime.Goexit.
func exited(call Call) Answer {
	return Answer{CallID: call.ID, Name: call.Name, Result: Failure(&Error{Kind: ErrTool, Tool: call.Name, Message: "the tool ended its goroutine"})}
}

// answer runs one call and makes a failed result of an error and of a panic.
func answer(ctx context.Context, handler Handler, call Call) (a Answer) {
	a.CallID, a.Name = call.ID, call.Name
	defer func() {
		if v := recover(); v != nil {
			a.Result = Failure(&PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	res, err := handler(ctx, call)
	if err != nil {
		res = Failure(err)
	}
	a.Result = res
	return a
}

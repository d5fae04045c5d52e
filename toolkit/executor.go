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
// their order. The zero value, and nil, refuse every call, for want of a Handler;
// the other fields may stay zero. Safe for concurrent use; its fields must not
// be changed once it is in use.
type Executor struct {
	// Handler runs one call, wrapped in whatever observes and governs it.
	Handler Handler
	// Tools finds definitions, for their timeouts; nil finds none.
	Tools Lookup
	// Parallel is how many calls run at once: 1 is one after the other, 0 is all
	// at once.
	Parallel int
	// Timeout is how long one call may run, counted from when it holds its slot; 0
	// is [DefaultTimeout], below 0 is none. It is a ceiling: a Timeout in the tool's
	// definition applies only if it is shorter, or if there is no ceiling. The limit
	// ends the context: a tool that ignores its context runs on, and its batch waits.
	Timeout time.Duration
	// Host are the parameters that the host adds before Handler sees a call; nil
	// adds none. A call that they refuse does not reach Handler: where Handler
	// observes and refusals are to be seen, put [HostParams.Middleware] inside
	// it instead.
	Host *HostParams
}

// batches counts the batches of this process, so that no two executors of one
// session give the same id.
var batches atomic.Uint64

// Execute runs calls and returns an answer for each, in their order. A call that
// fails, panics, ends its goroutine or times out takes neither its siblings nor
// the caller along. In a session the calls belong to one new batch, even below a
// tool that is itself part of one.
func (e *Executor) Execute(ctx context.Context, calls ...Call) []Answer {
	if e == nil {
		e = new(Executor)
	}
	if s := SessionFrom(ctx); s != nil {
		session := *s
		session.Batch = "b" + strconv.FormatUint(batches.Add(1), 10)
		ctx = WithSession(ctx, session)
	}
	b := &batch{
		ctx: ctx, handler: Chain(e.limited(e.Handler), e.Host.Middleware()), calls: calls,
		answers: make([]Answer, len(calls)),
	}
	workers := len(calls)
	if e.Parallel > 0 {
		workers = min(workers, e.Parallel)
	}
	for range workers {
		b.done.Go(b.work)
	}
	b.done.Wait()
	return b.answers
}

// batch is one run of an executor. Its workers take the next call each until none
// is left.
type batch struct {
	ctx     context.Context
	handler Handler
	calls   []Call
	answers []Answer
	next    atomic.Int64
	done    sync.WaitGroup
}

func (b *batch) work() {
	finished := false
	defer func() {
		if !finished { // a tool ended this goroutine: another takes over
			b.done.Go(b.work)
		}
	}()
	for i := b.next.Add(1) - 1; i < int64(len(b.calls)); i = b.next.Add(1) - 1 {
		b.answers[i] = exited(b.calls[i]) // stays if the tool ends the goroutine
		b.answers[i] = answer(b.ctx, b.handler, b.calls[i])
	}
	finished = true
}

// limited gives each call its own clock; nil for a nil handler.
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
		ctx, cancel := context.WithTimeoutCause(
			ctx, limit,
			&Error{Kind: ErrTimeout, Tool: call.Name, Message: fmt.Sprintf("ran longer than %v", limit)},
		)
		defer cancel()
		return next(ctx, call)
	}
}

// exited is the answer of a tool that called runtime.Goexit.
func exited(call Call) Answer {
	return Answer{
		CallID: call.ID, Name: call.Name,
		Result: Failure(&Error{Kind: ErrTool, Tool: call.Name, Message: "the tool ended its goroutine"}),
	}
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

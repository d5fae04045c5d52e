// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// A branch is a call that runs in a goroutine of its own.
type branch struct {
	policy *policy
	call   toolkit.Call // a fork of the caller's
	tool   *handoff.Abandoned
	done   chan struct{}
	over   atomic.Bool // set by the first of the two: the tool ended, or its caller left

	// What came of it, to be read when done is closed.
	res      toolkit.Result
	err      error
	returned bool
	panicked any // nil, and not returned: it ended its goroutine
}

// runApart runs a call that may be abandoned.
func (p *policy) runApart(ctx context.Context, call toolkit.Call, next toolkit.Handler, l *limit) (toolkit.Result, error) {
	if p.apart.Add(1) > p.maxApart {
		p.apart.Add(-1)
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrOverloaded,
			Message: fmt.Sprintf("%d calls of tools like this one are at work or were abandoned, which is as many as "+
				"there may be; try again later, or another way", p.maxApart)})
	}
	inner, cancel := l.context(ctx)
	defer cancel()
	b := &branch{policy: p, call: call.Fork(), tool: handoff.NewAbandoned(call), done: make(chan struct{})}
	go b.run(inner, next)
	select {
	case <-b.done:
	case <-inner.Done():
		if b.abandon() {
			return l.abandoned(ctx, inner, call, b.tool)
		}
		<-b.done
	}
	call.Record.Join(b.call.Record)
	switch {
	case !b.returned && b.panicked == nil:
		runtime.Goexit()
	case !b.returned:
		panic(b.panicked)
	case inner.Err() == nil:
		return b.res, b.err
	}
	return l.reportEnd(ctx, inner, call, b.res, b.err)
}

// run is the goroutine. A panic after the caller left has no caller to go to, and is
// dropped with the result.
func (b *branch) run(ctx context.Context, next toolkit.Handler) {
	defer func() {
		if !b.returned {
			if b.panicked = recover(); b.panicked != nil {
				b.call.Record.PanicError(b.panicked) // the stack is this goroutine's
			}
		}
		if !b.over.CompareAndSwap(false, true) {
			b.policy.abandoned.Add(-1)
		}
		b.policy.apart.Add(-1)
		b.tool.End()
		close(b.done)
	}()
	b.res, b.err = next(ctx, b.call)
	b.returned = true
}

// abandon leaves the branch behind; false if it has ended.
func (b *branch) abandon() bool {
	b.policy.abandoned.Add(1)
	if b.over.CompareAndSwap(false, true) {
		return true
	}
	b.policy.abandoned.Add(-1)
	return false
}

// abandoned is how a call ends whose tool was abandoned.
func (l *limit) abandoned(ctx, inner context.Context, call toolkit.Call, tool *handoff.Abandoned) (toolkit.Result, error) {
	const left = "; it does not heed being stopped and was abandoned, so it may still take effect"
	call.Record.Tag("timeout.abandoned", "true")
	if l.fired(ctx, inner) {
		call.Record.Tag("timeout.limit", l.of.String())
		return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: call.Name, Cause: tool.Wrap(l.cause),
			Message: "it ran for " + l.ran(inner).String() + ", and one attempt may run for " + l.of.String() + left}
	}
	cause := context.Cause(ctx)
	return toolkit.Result{}, &toolkit.Error{Kind: kindOf(ctx), Tool: call.Name, Cause: tool.Wrap(cause),
		Message: callersCause(cause) + left}
}

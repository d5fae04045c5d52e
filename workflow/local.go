// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/shield"
	"github.com/toolscope/toolscope/internal/superseded"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// local is the engine of runs in this process: strands are goroutines, and end with their context.
type local struct {
	ctx     context.Context
	handler toolkit.Handler
}

func (l local) Call(r interpret.Request) interpret.Answer {
	limit := r.Timeout
	if limit == 0 {
		limit = -1 // the policies', which does not count waits for slots and approvals
	}
	executor := toolkit.Executor{Handler: l.handler, Timeout: limit}
	answers := executor.Execute(l.ctx, toolkit.Call{ID: r.ID, Name: r.Tool, Arguments: r.Arguments})
	return interpret.AnswerOf(answers[0].Result)
}

func (l local) Sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.ctx.Done():
	}
}

func (l local) Now() time.Time { return time.Now() }

func (l local) Ended() *interpret.Failure {
	if l.ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(l.ctx)
	text := cause.Error()
	if e := (*toolkit.Error)(nil); errors.As(cause, &e) && e.Message != "" {
		text = e.Message // without the type, which the failure has
	}
	return &interpret.Failure{Type: toolkit.TypeOf(cause), Message: text}
}

func (l local) Limit(d time.Duration) (interpret.Engine, func()) {
	ctx, cancel := context.WithTimeoutCause(l.ctx, d,
		&toolkit.Error{Kind: toolkit.ErrTimeout, Message: "ran longer than " + d.String()})
	return local{ctx, l.handler}, cancel
}

func (l local) Shield() interpret.Engine { return local{shield.Context(l.ctx), l.handler} }

func (l local) Fan(n, limit int, do func(e interpret.Engine, i int), done func(i int) interpret.Next) {
	ctx, cancel := context.WithCancelCause(l.ctx)
	defer cancel(nil)
	if limit == 0 {
		limit = n
	}
	var strands sync.WaitGroup
	var mu sync.Mutex // guards next and calls of done
	next := 0
	take := func() (i int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		i, ok = next, next < n
		next++
		return i, ok
	}
	for range min(n, limit) {
		strands.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				do(local{ctx, l.handler}, i)
				mu.Lock()
				switch done(i) {
				case interpret.Cancel:
					cancel(superseded.Cause)
					next = n
				case interpret.Last:
					next = n
				}
				mu.Unlock()
			}
		})
	}
	strands.Wait()
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/toolscope/toolscope/internal/superseded"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// A strand is the interpreter's engine within a Temporal workflow. It ends with its context, which has no cause and no
// deadline of its own: the strand keeps the cause, and a coroutine the time.
type strand struct {
	ctx     workflow.Context
	run     *run
	parent  *strand
	cause   *interpret.Failure // nil if the strand has not ended, or a parent's end ended it
	undoing bool               // the run has failed, and its limits do not hold for the undos
}

var _ interpret.Engine = (*strand)(nil)

// below returns a strand that ends with s, and what ends it for a cause; nil releases it.
func (s *strand) below() (*strand, func(cause *interpret.Failure)) {
	ctx, cancel := workflow.WithCancel(s.ctx)
	inner := &strand{ctx: ctx, run: s.run, parent: s, undoing: s.undoing}
	return inner, func(cause *interpret.Failure) {
		if ctx.Err() == nil {
			inner.cause = cause
			cancel()
		}
	}
}

func (s *strand) Sleep(d time.Duration) { _ = workflow.Sleep(s.ctx, d) } // its only error is the strand's end

func (s *strand) Now() time.Time { return workflow.Now(s.ctx) }

func (s *strand) Ended() *interpret.Failure {
	if s.ctx.Err() == nil {
		return nil
	}
	for p := s; p != nil; p = p.parent {
		if p.cause != nil {
			return p.cause
		}
	}
	return &interpret.Failure{Type: string(toolkit.ErrCanceled), Message: "the run was cancelled"}
}

func (s *strand) Limit(d time.Duration) (interpret.Engine, func()) {
	inner, end := s.below()
	workflow.Go(inner.ctx, func(ctx workflow.Context) {
		if workflow.NewTimer(ctx, d).Get(ctx, nil) == nil {
			end(&interpret.Failure{Type: string(toolkit.ErrTimeout), Message: "ran longer than " + d.String()})
		}
	})
	return inner, func() { end(nil) }
}

func (s *strand) Shield() interpret.Engine {
	ctx, _ := workflow.NewDisconnectedContext(s.ctx)
	return &strand{ctx: ctx, run: s.run, undoing: true}
}

func (s *strand) Fan(n, limit int, do func(e interpret.Engine, i int), done func(i int) interpret.Next) {
	group, end := s.below()
	defer end(nil)
	if limit == 0 {
		limit = n
	}
	next := 0
	strands := workflow.NewWaitGroup(s.ctx)
	for range min(n, limit) {
		strands.Add(1)
		workflow.Go(group.ctx, func(ctx workflow.Context) { // one coroutine runs at a time: no locks
			defer strands.Done()
			own := &strand{ctx: ctx, run: s.run, parent: group, undoing: s.undoing}
			for next < n {
				i := next
				next++
				do(own, i)
				switch done(i) {
				case interpret.Cancel:
					end(&interpret.Failure{Type: string(toolkit.ErrCanceled), Message: superseded.Cause.Error()})
					next = n
				case interpret.Last:
					next = n
				}
			}
		})
	}
	strands.Wait(s.ctx)
}

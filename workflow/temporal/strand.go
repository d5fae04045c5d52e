// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	sdk "go.temporal.io/sdk/temporal"
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

// Time limits of activities.
const (
	heartbeatLimit = 15 * time.Second
	grace          = 5 * time.Second     // of the server, beyond a limit that the worker keeps itself
	callLimit      = 30 * 24 * time.Hour // a run's own limit ends its calls: a worker that is lost misses heartbeats
	readAttempts   = 3
)

// unclear ends the messages of calls whose end is not known.
const unclear = "the call may or may not have taken effect"

func (s *strand) Call(r interpret.Request) interpret.Answer {
	if failure := s.run.admit(s, len(r.Arguments)); failure != nil {
		return interpret.Answer{Failure: failure}
	}
	call := callInput{
		ID: r.ID, Tool: r.Tool, Arguments: r.Arguments, Repeatable: s.run.repeatable[r.Tool],
		Session: s.run.input.Session, Workflow: s.run.input.Job.Workflow, Trace: s.run.input.Trace,
	}
	end := time.Time{}
	if r.Timeout > 0 {
		end = s.Now().Add(r.Timeout)
	}
	for {
		if !end.IsZero() {
			if call.Timeout = end.Sub(s.Now()); call.Timeout <= 0 {
				return failed(toolkit.ErrTimeout, "the call was not made within %s", r.Timeout)
			}
		}
		out, failure := s.attempt(call)
		switch {
		case failure != nil:
			return interpret.Answer{Failure: failure}
		case out.Asked == nil:
			return out.answer(s)
		}
		given, failure := s.approval(call, out.Asked, end)
		if failure != nil {
			return interpret.Answer{Failure: failure}
		}
		if call.Given.Digest != given.Digest {
			call.Given.By = nil
		}
		given.By = append(call.Given.By[:len(call.Given.By):len(call.Given.By)], given.By...)
		call.Given = given
	}
}

func failed(kind toolkit.Kind, format string, args ...any) interpret.Answer {
	return interpret.Answer{Failure: &interpret.Failure{Type: string(kind), Message: fmt.Sprintf(format, args...)}}
}

// attempt runs the activity of a call, and waits for its end.
func (s *strand) attempt(call callInput) (callOutput, *interpret.Failure) {
	options := workflow.ActivityOptions{
		ActivityID: call.ID, TaskQueue: s.run.taskQueue, HeartbeatTimeout: heartbeatLimit,
		StartToCloseTimeout: callLimit,
		// A call that may write is waited for when the run is cancelled, so that nothing is undone while it runs.
		WaitForCancellation: !call.Repeatable,
		RetryPolicy:         &sdk.RetryPolicy{MaximumAttempts: 1},
	}
	if call.Repeatable {
		options.RetryPolicy.MaximumAttempts = readAttempts
	}
	if call.Timeout > 0 {
		options.ScheduleToStartTimeout, options.ScheduleToCloseTimeout = call.Timeout, call.Timeout+grace
	}
	var out callOutput
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(s.ctx, options), activityName, call).Get(s.ctx, &out)
	if err == nil && out.ID != call.ID {
		panic("temporal: got the answer of another call: the history was altered")
	}
	failure := lost(call, err)
	if ended := s.Ended(); failure != nil && ended != nil {
		failure.Type = ended.Type // why it was cancelled
	}
	return out, failure
}

// lost is the failure of a call whose activity gave no answer; nil without an error.
func lost(call callInput, err error) *interpret.Failure {
	if err == nil {
		return nil
	}
	var (
		timeout  *sdk.TimeoutError
		canceled *sdk.CanceledError
		wrong    *sdk.ApplicationError
		activity *sdk.ActivityError
	)
	failure := &interpret.Failure{Type: string(toolkit.ErrTimeout)}
	switch {
	case errors.As(err, &timeout) && timeout.TimeoutType() == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START:
		failure.Message = "no worker took the call in time: it has not taken effect"
		return failure
	case timeout != nil:
		failure.Message = "the worker was lost, or did not answer in time"
	case errors.As(err, &canceled):
		failure.Type, failure.Message = string(toolkit.ErrCanceled), "the call was cancelled"
	case errors.As(err, &wrong) && wrong.Type() == notRun:
		failure.Type, failure.Message = string(toolkit.ErrTool), wrong.Message()+": it has not taken effect"
		return failure
	case wrong != nil:
		failure.Type, failure.Message = string(toolkit.ErrTool), "the worker failed: "+wrong.Message()
	case errors.As(err, &activity):
		failure.Type, failure.Message = string(toolkit.ErrTool), "the worker failed: "+activity.Error()
	default: // a payload that this worker cannot read, for one: another worker may
		panic(err)
	}
	if !call.Repeatable {
		failure.Message += ": " + unclear
	}
	return failure
}

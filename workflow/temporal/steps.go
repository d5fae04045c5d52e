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

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/expression"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// Time limits of activities.
const (
	heartbeatLimit = 15 * time.Second
	grace          = 5 * time.Second     // of the server, beyond a limit that the worker keeps itself
	callLimit      = 30 * 24 * time.Hour // a run's own limit ends its calls: a worker that is lost misses heartbeats
	readAttempts   = 3
)

// admit lets a call with so many bytes of arguments begin.
func (s *strand) admit(size int) *interpret.Failure {
	r := s.run
	if size > maxValue {
		return &interpret.Failure{Type: string(toolkit.ErrInvalidArguments),
			Message: fmt.Sprintf("got arguments of %d bytes, want at most %d", size, maxValue)}
	}
	if r.bytes += size; r.bytes > maxBytes && !s.undoing {
		return r.tooLarge()
	}
	for {
		if now := workflow.Now(s.ctx); !now.Equal(r.task) {
			r.task, r.unsent = now, 0
		}
		if r.unsent == 0 || r.unsent+size <= maxTask {
			r.unsent += size
			return nil
		}
		if workflow.Sleep(s.ctx, time.Millisecond) != nil {
			return nil // the strand has ended, and the call will not be made
		}
	}
}

func (s *strand) Call(r interpret.Request) interpret.Answer {
	if failure := s.admit(len(r.Arguments)); failure != nil {
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
			return s.answer(out)
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

// answer is the answer for the interpreter.
func (s *strand) answer(o callOutput) interpret.Answer {
	if s.run.bytes += len(o.Value); s.run.bytes > maxBytes && !s.undoing {
		return interpret.Answer{Failure: s.run.tooLarge()}
	}
	a := interpret.Answer{Bytes: o.Bytes, Failure: o.Failure}
	if o.Failure == nil {
		value, err := expression.Decode(o.Value)
		if err != nil {
			return failed(toolkit.ErrTool, "the result of the call: %s", err)
		}
		a.Value = value
	}
	return a
}

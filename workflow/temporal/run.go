// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/durable"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// workflowName is the type of all runs: their input says what they do.
const workflowName = "toolscope.run"

// versionOf is the change id of the interpreter's version, which the history of a run records when it starts.
const versionOf = "toolscope.interpreter"

// Bounds of a run, so that its history stays below the server's limits: 51,200 events and 50 MB.
const (
	maxCalls = 2000
	maxValue = 1 << 20  // bytes of the arguments or the result of a call, and of the run
	maxBytes = 16 << 20 // of all of them
	maxTask  = 2 << 20  // of the arguments of calls that begin at the same time: one message to the server
)

// A runInput is the input of a run.
type runInput struct {
	ID      string            `json:"id"`
	Job     durable.Job       `json:"job"`
	Session toolkit.Session   `json:"session"`
	Trace   map[string]string `json:"trace,omitempty"`
}

// A run is the state of one run in the worker that has it.
type run struct {
	input      runInput
	taskQueue  string
	repeatable map[string]bool
	bytes      int
	task       time.Time // of the workflow task that began calls
	unsent     int       // bytes of their arguments
	waiting    map[string]*Waiting
	answers    map[string][]approval.Answer // by call and digest
	unused     int                          // answers in it
}

// execute is the workflow.
func (e *Engine) execute(ctx workflow.Context, payload converter.RawValue) (durable.End, error) {
	var in runInput
	if err := converter.GetDefaultDataConverter().FromPayload(payload.Payload(), &in); err != nil {
		panic(fmt.Errorf("temporal: the input of the run: %w", err)) // the task is tried again: another worker may have the key
	}
	workflow.GetVersion(ctx, versionOf, 1, interpret.Version)
	info := workflow.GetInfo(ctx)
	if in.ID != info.WorkflowExecution.ID {
		return durable.End{}, sdk.NewNonRetryableApplicationError("the input is another run's", string(toolkit.ErrInvalidArguments), nil)
	}
	r := &run{
		input: in, taskQueue: info.TaskQueueName, repeatable: map[string]bool{},
		waiting: map[string]*Waiting{}, answers: map[string][]approval.Answer{},
	}
	for _, tool := range in.Job.Repeatable {
		r.repeatable[tool] = true
	}
	if err := r.listen(ctx); err != nil {
		return durable.End{}, err
	}
	end := e.set.Run(&strand{ctx: ctx, run: r}, in.ID, in.Job)
	if len(end.Output) > maxValue {
		end.Error, end.Kind = fmt.Sprintf("the output of the workflow has %d bytes, want at most %d", len(end.Output), maxValue),
			string(toolkit.ErrTool)
		end.Output, end.Run.Success = nil, false
	}
	switch {
	case end.Error == "":
		return end, nil
	case ctx.Err() != nil:
		return durable.End{}, sdk.NewCanceledError(end)
	}
	return durable.End{}, sdk.NewNonRetryableApplicationError(end.Error, end.Kind, nil, end)
}

// admit lets a call with so many bytes of arguments begin.
func (r *run) admit(s *strand, size int) *interpret.Failure {
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

// tooLarge ends a run.
func (r *run) tooLarge() *interpret.Failure {
	return &interpret.Failure{Type: string(toolkit.ErrBudgetExceeded), Final: true,
		Message: fmt.Sprintf("the arguments and results of the run are larger than %d MiB", maxBytes>>20)}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"fmt"

	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/durable"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// execute is the workflow.
func (e *Engine) execute(ctx workflow.Context, payload converter.RawValue) (durable.End, error) {
	var in runInput
	if err := converter.GetDefaultDataConverter().FromPayload(payload.Payload(), &in); err != nil {
		panic(fmt.Errorf("temporal: the input of the run: %w", err)) // the task is tried again: another worker may have the key
	}
	workflow.GetVersion(ctx, versionOf, 1, interpret.Version)
	info := workflow.GetInfo(ctx)
	if in.ID != info.WorkflowExecution.ID {
		return durable.End{}, sdk.NewNonRetryableApplicationError(
			"the input is another run's", string(toolkit.ErrInvalidArguments), nil)
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

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/internal/workflowagent"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// heartbeat is how often a worker reports that a call runs.
const heartbeat = 2 * time.Second

// call is the activity.
func (e *Engine) call(ctx context.Context, payload converter.RawValue) (callOutput, error) {
	var in callInput
	if err := converter.GetDefaultDataConverter().FromPayload(payload.Payload(), &in); err != nil {
		return callOutput{}, sdk.NewNonRetryableApplicationError("the worker could not read the call", notRun, nil)
	}
	definition := e.set.Find(in.Tool)
	if activity.GetInfo(ctx).Attempt > 1 && !(definition != nil && mayRepeat(definition)) {
		return callOutput{}, sdk.NewNonRetryableApplicationError(
			"the tool may write, and an earlier attempt was lost: "+unclear, "toolscope.not_repeated", nil)
	}
	activityCtx := ctx
	stop := beat(ctx)
	defer stop()
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier(in.Trace))
	in.Session.Agent = workflowagent.Name(in.Workflow)
	ctx = toolkit.WithSession(ctx, in.Session)
	run, logger := activity.GetInfo(ctx).WorkflowExecution.ID, activity.GetLogger(ctx)
	exchange := approval.New(in.ID, in.Tool, in.Given, func(a approval.Answer) {
		if err := e.forward(run, in.ID, a); err != nil {
			logger.Error("the answer to a request for approval did not reach its run", "error", err)
		}
	})
	limit := in.Timeout
	if limit == 0 {
		limit = -1 // the policies'
	}
	executor := toolkit.Executor{Handler: e.set.Handler, Timeout: limit}
	res := executor.Execute(approval.With(ctx, exchange), toolkit.Call{ID: in.ID, Name: in.Tool, Arguments: in.Arguments})[0].Result
	out := outputOf(in, res, exchange.Asked())
	if stopped(activityCtx) && activityCtx.Err() != nil && out.Failure != nil {
		return callOutput{}, sdk.NewApplicationError("the worker was stopped", "toolscope.stopped") // Temporal repeats a read
	}
	return out, nil
}

// stopped reports whether the activity's worker is being stopped.
func stopped(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}

func mayRepeat(d *toolkit.Definition) bool {
	return d.ReadOnly == toolkit.Yes || d.Idempotent == toolkit.Yes
}

// outputOf is the output of a call.
func outputOf(in callInput, res toolkit.Result, asked *approval.Question) callOutput {
	out := callOutput{ID: in.ID}
	if res.Suspended && asked != nil {
		out.Asked = asked
		return out
	}
	answer := interpret.AnswerOf(res)
	out.Bytes, out.Failure = answer.Bytes, answer.Failure
	if out.Failure != nil {
		return out
	}
	text, err := json.Marshal(answer.Value)
	switch {
	case err != nil:
	case len(text) > maxValue:
		err = fmt.Errorf("got a result of %d bytes, want at most %d: truncate it (toolscope.Options.MaxResult)", len(text), maxValue)
	default:
		out.Value = text
		return out
	}
	out.Failure = &interpret.Failure{Type: string(toolkit.ErrTool), Message: err.Error()}
	return out
}

// beat reports that the activity runs, until it is stopped.
func beat(ctx context.Context) (stop func()) {
	stopped := make(chan struct{})
	go func() {
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-ticker.C:
			case <-stopped:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(stopped) }
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
	"github.com/toolscope/toolscope/workflow/internal/durable"
	"github.com/toolscope/toolscope/workflow/internal/expression"
)

var identifier = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

// Start starts a run and returns its id. arguments is a JSON object; nil is an empty one. run is the id, for a caller
// that may start the same run twice: an id names one run, and starting it again changes nothing. "" is a random one.
// The session and the trace of ctx are those of the steps. Without a session, the run is one.
func (e *Engine) Start(ctx context.Context, name string, arguments json.RawMessage, run string) (string, error) {
	job, err := e.set.NewJob(ctx, name, arguments)
	if err != nil {
		return "", err
	}
	return e.start(ctx, job, run)
}

func (e *Engine) start(ctx context.Context, job durable.Job, run string) (string, error) {
	if run == "" {
		run = newID()
	}
	in, err := inputOf(ctx, job, run)
	if err != nil {
		return "", err
	}
	_, err = e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: run, TaskQueue: e.queue, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
	}, workflowName, in)
	return run, wrap("start of run", run, err)
}

func newID() string { return strings.ToLower(rand.Text()[:16]) }

// inputOf is the input of a run.
func inputOf(ctx context.Context, job durable.Job, run string) (runInput, error) {
	in := runInput{ID: run, Job: job, Trace: map[string]string{}}
	switch size := len(job.Definition) + len(job.Input); {
	case !identifier.MatchString(run):
		return in, fmt.Errorf("temporal: start of run %.140q: want an id of at most 128 letters, digits, _, . and -", run)
	case size > maxValue:
		return in, fmt.Errorf("temporal: start of run %q: the definition and arguments have %d bytes, want at most %d",
			run, size, maxValue)
	case job.MaxCalls > maxCalls:
		return in, fmt.Errorf("temporal: start of run %q: max_calls: got %d, want at most %d", run, job.MaxCalls, maxCalls)
	}
	if s := toolkit.SessionFrom(ctx); s != nil {
		in.Session = *s
		in.Session.Batch = ""
	}
	if in.Session.ID == "" {
		in.Session.ID = run
	}
	propagation.TraceContext{}.Inject(ctx, propagation.MapCarrier(in.Trace))
	return in, nil
}

// Wait waits for the end of a run. If ctx ends first, the run goes on.
func (e *Engine) Wait(ctx context.Context, run string) workflow.Result {
	var end durable.End
	err := e.client.GetWorkflow(ctx, run, "").Get(ctx, &end)
	return resultOf(run, end, err)
}

// resultOf is the result of a run that ended with end or err.
func resultOf(run string, end durable.End, err error) workflow.Result {
	var (
		failure  *sdk.ApplicationError
		canceled *sdk.CanceledError
	)
	switch {
	case err == nil:
	case errors.As(err, &failure) && failure.HasDetails():
		err = errors.Join(failure.Details(&end))
	case errors.As(err, &canceled) && canceled.HasDetails():
		err = errors.Join(canceled.Details(&end))
	}
	if err != nil {
		return workflow.Result{Err: wrap("run", run, err)}
	}
	result := workflow.Result{Run: end.Run}
	if end.Error != "" {
		cause := error(toolkit.Kind(end.Run.ErrorType))
		if !toolkit.Kind(end.Run.ErrorType).Known() {
			cause = errors.New(end.Run.ErrorType)
		}
		result.Err = &toolkit.Error{Kind: toolkit.Kind(end.Kind), Tool: end.Run.Workflow, Message: end.Error, Cause: cause}
		return result
	}
	if result.Output, err = expression.Decode(end.Output); err != nil {
		result.Err = wrap("output of run", run, err)
	}
	return result
}

// Run starts a run and waits for its end, under a span invoke_workflow. If ctx ends first, the run goes on.
func (e *Engine) Run(ctx context.Context, name string, arguments json.RawMessage) workflow.Result {
	job, err := e.set.NewJob(ctx, name, arguments)
	if err != nil {
		return workflow.Result{Err: err}
	}
	run := newID()
	ctx, span := e.set.Tracing.StartWorkflow(ctx, name, run, job.Digest)
	if run, err = e.start(ctx, job, run); err != nil {
		span.End(err)
		return workflow.Result{Err: err}
	}
	result := e.Wait(ctx, run)
	span.End(result.Err)
	return result
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	sdkworkflow "go.temporal.io/sdk/workflow"

	"github.com/toolscope/toolscope/workflow"
	"github.com/toolscope/toolscope/workflow/internal/durable"
)

// DefaultTaskQueue is the queue of an [Engine] whose options name none.
const DefaultTaskQueue = "toolscope"

// Options configure an [Engine].
type Options struct {
	// Client is the connection to the server. Required.
	Client *Client
	// Set has the workflows that Start knows, and the handler and tools of this process. Required. A process that only
	// works may have a set without workflows: a run brings its definition.
	Set *workflow.Set
	// TaskQueue names the workers that have these tools; "" is DefaultTaskQueue.
	TaskQueue string
	// Worker are further options of workers.
	Worker worker.Options
}

// An Engine starts and observes runs, and makes workers for them. Make one with [New]. Safe for concurrent use.
type Engine struct {
	client *Client
	set    durable.Set
	queue  string
	worker worker.Options
}

// New makes an engine.
func New(o Options) (*Engine, error) {
	switch {
	case o.Client == nil || !o.Client.secured:
		return nil, errors.New("temporal: Options.Client: want a client of Dial, which encrypts payloads")
	case o.Set == nil:
		return nil, errors.New("temporal: Options.Set: got nil, want a set of workflow.New")
	}
	return newEngine(o), nil
}

func newEngine(o Options) *Engine {
	if o.TaskQueue == "" {
		o.TaskQueue = DefaultTaskQueue
	}
	return &Engine{client: o.Client, set: o.Set.Durable(), queue: o.TaskQueue, worker: o.Worker}
}

// NewWorker makes a worker, which the caller starts and stops. When it is stopped, it waits for its calls, by default
// for 30 seconds.
func (e *Engine) NewWorker() worker.Worker {
	o := e.worker
	if o.WorkerStopTimeout == 0 {
		o.WorkerStopTimeout = 2 * heartbeatLimit
	}
	if o.MaxHeartbeatThrottleInterval == 0 {
		o.MaxHeartbeatThrottleInterval = heartbeat // how soon a call hears that its run was cancelled
	}
	if o.DeadlockDetectionTimeout == 0 {
		o.DeadlockDetectionTimeout = heartbeatLimit / 3 // expressions over large values take their time
	}
	w := worker.New(e.client.Client, e.queue, o)
	e.register(w)
	return w
}

// registry is what workers, and environments for tests, have in common.
type registry interface {
	RegisterWorkflowWithOptions(w any, options sdkworkflow.RegisterOptions)
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

func (e *Engine) register(r registry) {
	r.RegisterWorkflowWithOptions(e.execute, sdkworkflow.RegisterOptions{Name: workflowName})
	r.RegisterActivityWithOptions(e.call, activity.RegisterOptions{Name: activityName})
}

// wrap names the package in an error of the server.
func wrap(operation, run string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporal: %s %q: %w", operation, run, err)
}

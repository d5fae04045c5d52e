// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

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
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

func (e *Engine) register(r registry) {
	r.RegisterWorkflowWithOptions(e.execute, workflow.RegisterOptions{Name: workflowName})
	r.RegisterActivityWithOptions(e.call, activity.RegisterOptions{Name: activityName})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/worker"

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

// wrap names the package in an error of the server.
func wrap(operation, run string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporal: %s %q: %w", operation, run, err)
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package durable is what an engine that outlives its process, such as workflow/temporal, needs of package workflow.
package durable

import (
	"context"
	"encoding/json"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// A Set is a set of workflows and what their steps need.
type Set struct {
	Handler toolkit.Handler
	Find    toolkit.Lookup    // tools, and workflows as tools
	Tracing *tracing.Observer // nil without a scope
	// NewJob checks the arguments of a workflow, and makes the job that runs it.
	NewJob func(ctx context.Context, name string, arguments json.RawMessage) (Job, error)
	// Run runs a job. It is a function of the job and of what the engine answers.
	Run func(e interpret.Engine, id string, job Job) End
}

// A Job is a workflow with its arguments. It has the definition itself, so that a run goes on as it began when the
// configuration changes.
type Job struct {
	Workflow   string          `json:"workflow"`
	Definition json.RawMessage `json:"definition"`
	Digest     string          `json:"digest"` // of the definition
	Input      json.RawMessage `json:"input,omitempty"`
	MaxCalls   int             `json:"max_calls"`
	// Repeatable are the tools of steps that only read or are idempotent, sorted.
	Repeatable []string `json:"repeatable,omitempty"`
}

// An End is what came of a job.
type End struct {
	Output json.RawMessage   `json:"output,omitempty"`
	Error  string            `json:"error,omitempty"` // "" for a success
	Kind   string            `json:"kind,omitempty"`  // error.type of the workflow; that of its step is in Run
	Run    stats.WorkflowRun `json:"run"`
}

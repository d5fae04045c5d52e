// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "time"

// A WorkflowSource knows the workflows of a program: package workflow has one.
type WorkflowSource interface {
	// Workflows lists them, sorted by name. It must be safe for concurrent use.
	Workflows() []Workflow
}

// A Workflow is a definition of package workflow and its last runs.
type Workflow struct {
	Name        string        `json:"name"`                  // the workflow's, and its tool's
	Description string        `json:"description,omitempty"` // from the definition
	Tools       []string      `json:"tools"`                 // names of the tools that its steps call, sorted
	ReadOnly    bool          `json:"read_only"`             // whether all of them only read
	Graph       string        `json:"graph"`                 // a picture of the steps as a Mermaid flowchart
	Runs        uint64        `json:"runs"`                  // runs that ended
	Failed      uint64        `json:"failed"`                // those of them that failed
	LastRuns    []WorkflowRun `json:"last_runs"`             // the last ones, the latest first
}

// A WorkflowRun is a run of a workflow that ended. It has no content.
type WorkflowRun struct {
	ID         string         `json:"id"`                    // of the run; ids of its calls begin with it
	Workflow   string         `json:"workflow"`              // name of the workflow
	Started    time.Time      `json:"started"`               // when the run began
	DurationMS float64        `json:"duration_ms"`           // how long it took
	Success    bool           `json:"success"`               // false for a run that failed or was cancelled
	ErrorType  string         `json:"error_type,omitempty"`  // error.type of the step that failed
	FailedStep string         `json:"failed_step,omitempty"` // path of that step
	Calls      int            `json:"calls"`                 // calls of tools, undos included
	Steps      int            `json:"steps"`                 // steps that ended
	Undone     []string       `json:"undone,omitempty"`      // paths of steps that were undone, in that order
	NotUndone  []string       `json:"not_undone,omitempty"`  // paths of steps whose undo failed
	Log        []WorkflowStep `json:"log"`                   // steps as they ended, those of branches in order
	LogDropped int            `json:"log_dropped,omitempty"` // steps left out of the log
	TraceID    string         `json:"trace_id,omitempty"`    // trace id of its spans, 32 hexadecimal digits
}

// A WorkflowStep is a step of a run that ended. It has no content.
type WorkflowStep struct {
	Step       string    `json:"step"`                 // path of the step
	Kind       string    `json:"kind"`                 // call, parallel, if, each, loop, set, steps, merge or undo
	Tool       string    `json:"tool,omitempty"`       // name of the tool of a call
	Status     string    `json:"status"`               // done, failed, skipped, fallback or canceled
	ErrorType  string    `json:"error_type,omitempty"` // error.type of a step that is not done
	Started    time.Time `json:"started"`              // when the step began
	DurationMS float64   `json:"duration_ms"`          // how long it took
}

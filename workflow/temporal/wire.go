// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"encoding/json"
	"time"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/durable"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// Names that the histories of runs have.
const (
	workflowName   = "toolscope.run"         // of all runs: their input says what they do
	activityName   = "toolscope.call"        // makes a call
	versionOf      = "toolscope.interpreter" // the change id of its version, which the history of a run records when it starts
	decisionSignal = "toolscope.decision"
	waitingQuery   = "toolscope.waiting"
	notRun         = "toolscope.not_run" // the type of the error of an activity that did not make its call
)

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

// A callInput is one call of a tool.
type callInput struct {
	ID         string            `json:"id"` // the same in each attempt: an idempotency key
	Tool       string            `json:"tool"`
	Arguments  json.RawMessage   `json:"arguments"`
	Timeout    time.Duration     `json:"timeout,omitempty"`
	Repeatable bool              `json:"repeatable,omitempty"`
	Workflow   string            `json:"workflow"`
	Session    toolkit.Session   `json:"session"`
	Trace      map[string]string `json:"trace,omitempty"`
	Given      approval.Answer   `json:"given"`
}

// A callOutput is what came of it. A tool that failed, and a call that was refused, are answers, no errors: Temporal
// does not repeat them.
type callOutput struct {
	ID      string             `json:"id"`
	Value   json.RawMessage    `json:"value,omitempty"`
	Bytes   int                `json:"bytes"`
	Failure *interpret.Failure `json:"failure,omitempty"`
	Asked   *approval.Question `json:"asked,omitempty"` // not nil: nothing ran, and people have to approve it
}

// A Waiting is a call of a run that waits for approval.
type Waiting struct {
	Call      string          `json:"call"` // id of the call: RUN/STEP
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // whole, as the tool will get them
	Digest    string          `json:"digest"`    // what an answer is bound to
	Trigger   string          `json:"trigger"`   // why a person is asked: as approve.Request
	Reason    string          `json:"reason,omitempty"`
	Risk      string          `json:"risk,omitempty"`
	People    int             `json:"people"`            // how many have to approve
	Problem   string          `json:"problem,omitempty"` // why the approvals given so far do not suffice
	Since     time.Time       `json:"since"`
}

// A signal is an answer for a call.
type signal struct {
	Call   string          `json:"call"`
	Answer approval.Answer `json:"answer"`
}

// unclear ends the messages of calls whose end is not known.
const unclear = "the call may or may not have taken effect"

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package interpret

import "time"

// A Record is what came of a run.
type Record struct {
	Output  any
	Failure *Failure // nil for a success
	Started time.Time
	Took    time.Duration
	Calls   int // calls of tools, undos included
	Steps   int // steps that ended
	Log     []Entry
	Dropped int // entries beyond those kept
	// Undone are the steps that were undone, in that order; NotUndone those whose undo failed.
	Undone, NotUndone []string
	// NotUndoneWhy has the type and the message of the failure for each step of NotUndone.
	NotUndoneWhy []string
}

// Status is how a step ended.
type Status string

// The values of [Status].
const (
	Done     Status = "done"
	Failed   Status = "failed"
	Skipped  Status = "skipped"  // failed, and the run went on without a result
	FellBack Status = "fallback" // failed, and the run went on with another result
	Canceled Status = "canceled" // its strand ended before it did
)

// An Entry of the log is a step that ended. It has no content.
type Entry struct {
	Step      string // path
	Kind      string // of the step, or merge or undo
	Tool      string // "" for a step that is no call
	Status    Status
	ErrorType string
	Start     time.Time
	Took      time.Duration
}

// maxLog is how many entries of a run are kept.
const maxLog = 2000

// A journal is what a strand, and those it has joined, did. Strands have journals of their own, which are joined in
// the order of their places, so that the log and the undos do not depend on which was faster.
type journal struct {
	log     []Entry
	dropped int
	undos   []undo
}

// An undo is a call that reverts a step.
type undo struct {
	path, tool string
	arguments  any
	err        error // of the arguments
}

func (j *journal) addEntry(e Entry) {
	if len(j.log) < maxLog {
		j.log = append(j.log, e)
		return
	}
	j.dropped++
}

func (j *journal) join(other *journal) {
	for _, e := range other.log {
		j.addEntry(e)
	}
	j.dropped += other.dropped
	j.undos = append(j.undos, other.undos...)
}

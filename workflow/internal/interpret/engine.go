// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package interpret

import (
	"encoding/json"
	"time"
)

// Version is that of the interpreter. A change of what it asks of engines, or in which order, that runs in progress must
// not see needs a new one.
const Version = 1

// An Engine runs what a workflow asks for. It stands for one strand of a run: strands that [Engine.Fan] makes, and those
// with a time limit, have engines of their own.
type Engine interface {
	// Call runs a tool and waits for its answer.
	Call(Request) Answer
	// Sleep waits. The strand may have ended after it.
	Sleep(time.Duration)
	Now() time.Time
	// Ended says why the strand must not go on: it was cancelled, or a time limit is over; nil if it may.
	Ended() *Failure
	// Limit returns an engine whose strand ends after d, and what releases it.
	Limit(d time.Duration) (Engine, func())
	// Shield returns an engine whose strand goes on when this one ends.
	Shield() Engine
	// Fan calls do for 0 to n-1, in order, each in a strand of its own, at most limit at once (0: all), and returns when
	// all that began have returned. It calls done after each, never two at once. After a Last no further ones begin;
	// after a Cancel the strands of the others end as well.
	Fan(n, limit int, do func(e Engine, i int), done func(i int) Next)
}

// Next says how a fan goes on.
type Next uint8

// The values of [Next].
const (
	More Next = iota
	Last
	Cancel
)

// A Request is one call of a tool. Its ID is the same whenever the same step of the same run is tried.
type Request struct {
	ID, Tool  string
	Arguments json.RawMessage
	Timeout   time.Duration // 0 leaves it to the tool and the engine
}

// An Answer is what came of a call.
type Answer struct {
	Value   any // of JSON
	Bytes   int
	Failure *Failure // nil for a success
}

// A Failure is why a step, or a run, did not succeed.
type Failure struct {
	Type    string // error.type
	Message string
	Step    string // path of the innermost step; "" until a step has failed
	// Final failures end the run, whatever steps say about errors: limits of the run.
	Final bool
	// Nested is a failure of a workflow that a step called: its text says what was undone, also if the run has ended meanwhile.
	Nested bool `json:",omitempty"`
}

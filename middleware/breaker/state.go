// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"fmt"
	"time"
)

// State is what a circuit does with calls.
type State uint8

// The states.
const (
	Closed   State = iota // calls pass
	Open                  // calls are refused
	HalfOpen              // a few calls try
)

// String is "closed", "open" or "half_open"; "unknown" for none of the constants.
func (s State) String() string {
	switch s {
	case Closed:
		return "closed"
	case Open:
		return "open"
	case HalfOpen:
		return "half_open"
	}
	return "unknown"
}

// A Circuit is how things stand with one key.
type Circuit struct {
	Key   string
	State State
	// Since is when it came to that state.
	Since time.Time
	// RetryIn is how long it is until a call may try; 0 if one may now.
	RetryIn time.Duration
	// Calls and Failures are those of the last Window, while it is closed.
	Calls, Failures int
	// Consecutive is how many calls in a row failed last.
	Consecutive int
	// Probing is how many calls are trying now.
	Probing int
	// LastFailure is the error.type of the last failure; "" if there was none.
	LastFailure string
	// Opened is how often it opened.
	Opened uint64
}

// A Change is one step of a circuit from one state to another.
type Change struct {
	Key      string
	From, To State
	At       time.Time
	// Failure is the error.type of the failure that opened it; "" if it did not open.
	Failure string
	// RetryIn is how long it stays open; 0 if it did not open.
	RetryIn time.Duration
}

// An Error says which circuit refused a call. It is the cause of the *toolkit.Error that the
// call ends with.
type Error struct {
	Key   string
	State State // Open, or HalfOpen while others try
	// After is when a call may try, at the latest.
	After time.Duration
	// Failure is the error.type of the last failure.
	Failure string
}

// Error says what is wrong, and when to try again.
func (e *Error) Error() string {
	return fmt.Sprintf("it failed too often of late (%s): try again in %v, or another way", e.Failure,
		e.After.Round(time.Millisecond))
}

// RetryAfter is After, for retry policies.
func (e *Error) RetryAfter() time.Duration { return e.After }

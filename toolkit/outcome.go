// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

// Outcome says how a call came to its end: exactly one for each call.
type Outcome uint8

// The outcomes. The zero value is OutcomeExecuted: without a policy that says
// otherwise, a call is one that ran.
const (
	OutcomeExecuted  Outcome = iota // a tool ran, whatever came of it
	OutcomeCacheHit                 // answered from a store
	OutcomeCoalesced                // answered by a twin that was running
	OutcomeRepeated                 // answered by a twin that had finished, in the batch or the session
	OutcomeRefused                  // never reached a tool: unknown, invalid, denied, expired, limited, circuit open, loop stop, cancelled while waiting

	outcomes // how many there are
)

var outcomeNames = [outcomes]string{"executed", "cache_hit", "coalesced", "repeated", "refused"}

// String is the name that spans, metrics and files carry; "unknown" for a value
// that is none of the constants.
func (o Outcome) String() string {
	if o < outcomes {
		return outcomeNames[o]
	}
	return "unknown"
}

// Outcomes lists all outcomes in a stable order.
func Outcomes() []Outcome {
	all := make([]Outcome, outcomes)
	for i := range all {
		all[i] = Outcome(i)
	}
	return all
}

// Ending says how a handler came back.
type Ending uint8

// The four endings. A call that ended with a fault in its result returned.
const (
	EndingReturned  Ending = iota // with a result and a nil error
	EndingFailed                  // with an error
	EndingPanicked                // by a panic, which goes on
	EndingGoexit                  // by runtime.Goexit, which goes on
	EndingAbandoned               // a call begun by [Begin] that nobody ended
)

// String is the ending's name in lower case.
func (e Ending) String() string {
	switch e {
	case EndingReturned:
		return "returned"
	case EndingFailed:
		return "failed"
	case EndingPanicked:
		return "panicked"
	case EndingGoexit:
		return "goexit"
	case EndingAbandoned:
		return "abandoned"
	}
	return "unknown"
}

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
	OutcomeCoalesced                // answered by a duplicate that was running
	OutcomeRepeated                 // answered by a duplicate that had finished, in the batch or the session
	// never reached a tool: unknown, invalid, denied, expired, limited, circuit open, loop stop, cancelled while waiting
	OutcomeRefused

	outcomes // how many there are
)

// OutcomeCount is how many outcomes there are. A table of outcomes lists them in their order, without
// keys and without a length, and is followed by a line that does not compile if one is missing:
//
//	var _ [toolkit.OutcomeCount]struct{} = [len(table)]struct{}{}
const OutcomeCount = int(outcomes)

var outcomeNames = [...]string{"executed", "cache_hit", "coalesced", "repeated", "refused"}

var _ [OutcomeCount]struct{} = [len(outcomeNames)]struct{}{}

// answeredBy is whether a call with the outcome was answered without a run of its own.
var answeredBy = [...]bool{false, true, true, true, false}

var _ [OutcomeCount]struct{} = [len(answeredBy)]struct{}{}

// String is the name that spans, metrics and files carry; "unknown" for a value
// that is none of the constants.
func (o Outcome) String() string {
	if o < outcomes {
		return outcomeNames[o]
	}
	return "unknown"
}

// Answered reports whether a call with this outcome got an answer without a run of its own: from a
// store or from another call. It is false for a value that is none of the constants.
func (o Outcome) Answered() bool { return o < outcomes && answeredBy[o] }

// ParseOutcome finds the outcome that [Outcome.String] names; false if there is none.
func ParseOutcome(name string) (Outcome, bool) {
	for i, n := range outcomeNames {
		if n == name {
			return Outcome(i), true
		}
	}
	return OutcomeExecuted, false
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

// The endings. A call that ended with a fault in its result returned.
const (
	EndingReturned  Ending = iota // with a result and a nil error
	EndingFailed                  // with an error
	EndingPanicked                // by a panic, which goes on
	EndingGoexit                  // by runtime.Goexit, which goes on
	EndingAbandoned               // a call begun by [Begin] that was never ended

	endings // how many there are
)

// EndingCount is how many endings there are, for tables as [OutcomeCount] describes.
const EndingCount = int(endings)

var endingNames = [...]string{"returned", "failed", "panicked", "goexit", "abandoned"}

var _ [EndingCount]struct{} = [len(endingNames)]struct{}{}

// String is the ending's name in lower case; "unknown" for a value that is none of the constants.
func (e Ending) String() string {
	if e < endings {
		return endingNames[e]
	}
	return "unknown"
}

// cameBack is whether the handler came back to its caller.
var cameBack = [...]bool{true, true, false, false, false}

var _ [EndingCount]struct{} = [len(cameBack)]struct{}{}

// CameBack reports whether the handler came back to its caller, with a result or an error. It is
// false for a value that is none of the constants.
func (e Ending) CameBack() bool { return e < endings && cameBack[e] }

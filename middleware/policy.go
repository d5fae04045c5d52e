// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"fmt"
	"slices"

	"github.com/toolscope/toolscope/toolkit"
)

// A Policy governs the calls of the handlers it wraps. Its state (what is stored,
// counted, open) belongs to the policy and is shared by all handlers it wraps. Safe for
// concurrent use.
type Policy interface {
	// Stage is where the policy stands among others.
	Stage() Stage
	// Wrap is a [toolkit.Middleware].
	Wrap(next toolkit.Handler) toolkit.Handler
}

// A Stage is a position in the fixed order of policies, outermost first.
type Stage uint8

// The stages. The order is part of the contract; docs/policies.md has the reasons.
const (
	StageRecover  Stage = iota // makes a result of a panic
	StageInject                // host parameters: they belong to the call's identity
	StageLoop                  // before refusals, so that a repeated refused call is noticed
	StageTruncate              // how much of a result the model gets
	StageValidate              // rules may rely on the arguments' shape
	StagePermit                // no stored answer bypasses a refusal
	StageApprove               // a person's yes or no
	StageDedupe                // twins share one look-up and one fill
	StageCache                 // a hit costs no budget, slot or time
	StageBudget                // what runs is paid for
	StageRetry                 // each attempt asks the breaker, waits for its slot, and has its own clock
	StageBreaker               // sees attempts, not waits
	StageLimit                 // a slot is held only while the tool runs
	StageTimeout               // counts running time only

	stages // how many there are
)

// StageCount is how many stages there are, for tables as [toolkit.OutcomeCount] describes.
const StageCount = int(stages)

var stageNames = [...]string{"recover", "inject", "loop", "truncate", "validate", "permit", "approve",
	"dedupe", "cache", "budget", "retry", "breaker", "limit", "timeout"}

var _ [StageCount]struct{} = [len(stageNames)]struct{}{}

// String is the place's name in lower case; "unknown" for none of the constants.
func (p Stage) String() string {
	if p < stages {
		return stageNames[p]
	}
	return "unknown"
}

// At makes a policy of a middleware, at stage p. Each call makes another policy, which equals only
// itself. It panics if p is none of the constants or m is nil: both are mistakes in the program.
func At(p Stage, m toolkit.Middleware) Policy {
	if p >= stages || m == nil {
		panic(fmt.Sprintf("middleware: At: got place %d and a middleware that is nil: %t, want one of the constants and one that is not", p, m == nil))
	}
	return &placed{p, m}
}

// placed is used by pointer: functions cannot be compared, and policies are.
type placed struct {
	place Stage
	wrap  toolkit.Middleware
}

func (p *placed) Stage() Stage                              { return p.place }
func (p *placed) Wrap(next toolkit.Handler) toolkit.Handler { return p.wrap(next) }

// Wrap wraps h in policies by their stages; those of one place keep the order
// they are given in, the first one outermost. Nil policies are ignored. A nil h
// refuses each call, as [toolkit.Chain] does, and so does a policy that [Check] refuses.
func Wrap(h toolkit.Handler, policies ...Policy) toolkit.Handler {
	return toolkit.Chain(h, Middlewares(policies...)...)
}

// Middlewares are the policies as middlewares in the order of [Wrap], for
// [toolkit.GovernFunc].
func Middlewares(policies ...Policy) []toolkit.Middleware {
	sorted := slices.DeleteFunc(slices.Clone(policies), func(p Policy) bool { return p == nil })
	for i, p := range sorted {
		if err := Check(p); err != nil {
			sorted[i] = unusable{err}
		}
	}
	slices.SortStableFunc(sorted, func(a, b Policy) int { return int(a.Stage()) - int(b.Stage()) })
	middlewares := make([]toolkit.Middleware, len(sorted))
	for i := range sorted {
		middlewares[i] = wrap(sorted, i)
	}
	return middlewares
}

// Refuse notes that a policy refused the call, and returns err as what the call
// ends with. err says what was wrong and what the model can do.
func Refuse(call toolkit.Call, err *toolkit.Error) (toolkit.Result, error) {
	call.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	if err.Tool == "" {
		err.Tool = call.Name
	}
	return toolkit.Result{}, err
}

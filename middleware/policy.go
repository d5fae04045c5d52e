// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"fmt"

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

// A Reporter is a policy that counts what it does. The health report of a scope has a component for each,
// named as its stage.
type Reporter interface {
	// Figures calls report for each figure, always in the same order. It never waits for a call.
	Figures(report func(name string, value float64))
}

// At makes a policy of a middleware, at stage p. Each call makes another policy, which equals only
// itself. It panics if p is none of the constants or m is nil: both are mistakes in the program.
func At(p Stage, m toolkit.Middleware) Policy {
	if p >= stages || m == nil {
		panic(fmt.Sprintf("middleware: At: got place %d and a middleware that is nil: %t, want one of the constants "+
			"and one that is not", p, m == nil))
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

// Refuse notes that a policy refused the call, and returns err as what the call
// ends with. err says what was wrong and what the model can do.
func Refuse(call toolkit.Call, err *toolkit.Error) (toolkit.Result, error) {
	call.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	if err.Tool == "" {
		err.Tool = call.Name
	}
	return toolkit.Result{}, err
}

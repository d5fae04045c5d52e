// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/sandbox"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// Options configure a gate. The zero value holds the built-in rules, and denies what would
// be asked.
type Options struct {
	// Rules are what is decided by; nil is the built-in rules.
	Rules *Rules
	// Approver says that an Approve policy stands behind the gate: what is to be
	// asked is passed on with a [handoff.Question]. Without it, it is denied.
	Approver bool
	// OnDecision is called with each decision, in the call's goroutine, before it is
	// acted on; nil: it is not reported. It must be fast and safe for concurrent use. Its
	// panics are swallowed.
	OnDecision func(ctx context.Context, call toolkit.Call, d Decision)
}

// A Policy decides by rules which calls go on. Safe for concurrent use.
type Policy struct {
	options Options
	rules   atomic.Pointer[Rules]
}

var _ middleware.Policy = (*Policy)(nil)

// New makes a gate.
func New(o Options) (*Policy, error) {
	if o.Rules == nil {
		rules, err := Compile(Spec{})
		if err != nil {
			return nil, err
		}
		o.Rules = rules
	}
	g := &Policy{options: o}
	g.rules.Store(o.Rules)
	return g, nil
}

// Rules are the rules that hold now.
func (g *Policy) Rules() *Rules { return g.rules.Load() }

// Set replaces the rules. Calls that are being decided keep the old ones. nil is an
// error, and changes nothing.
func (g *Policy) Set(rules *Rules) error {
	if rules == nil {
		return errors.New("permit: Set: got no rules, want those of Compile, Parse or Load")
	}
	g.rules.Store(rules)
	return nil
}

// Stage is [middleware.StagePermit].
func (g *Policy) Stage() middleware.Stage { return middleware.StagePermit }

// Made reports whether [New] made the policy: see [middleware.Check].
func (g *Policy) Made() bool { return g != nil && g.rules.Load() != nil }

// Wrap decides about each call before next. With an approver, a call that a rule allows
// by name goes on with a [handoff.Question] that is settled. A refused call ends with a
// [toolkit.Error] of kind permission_denied whose text tells the model what else it
// can do. The record's tags permission.decision, permission.door, permission.rule
// and permission.shadow tell the decision.
func (g *Policy) Wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		rules := g.rules.Load()
		tool := call.Record.Tool()
		if g.options.OnDecision == nil {
			if c := rules.simple(rules.plan(call.Name), tool); c != nil && c.Effect == Allow {
				call.Record.Note(c.told.note)
				return next(g.settled(ctx, rules, c.Name, c.door), call)
			}
		}
		d := rules.Decide(tool, call)
		call.Record.Note(d.told.note)
		if g.options.OnDecision != nil {
			g.reportDecision(ctx, call, d)
		}
		switch {
		case d.Effect == Allow:
			if d.runs.arguments != nil {
				call.Arguments = d.runs.arguments
			}
			if d.runs.sandbox != nil {
				ctx = sandbox.With(ctx, d.runs.sandbox)
			}
			return next(g.settled(ctx, rules, d.Rule, d.Door), call)
		case d.Shadow:
			return next(ctx, call)
		case d.Effect == Ask && g.options.Approver:
			return next(handoff.WithQuestion(ctx, handoff.Question{Rule: d.Rule, Reason: d.Reason, Version: rules.version}), call)
		}
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: d.Message})
	}
}

// settled is the context of a call that is allowed: if a rule allows it by name,
// the context says so to an approver.
func (g *Policy) settled(ctx context.Context, rules *Rules, rule string, door Door) context.Context {
	if door != DoorRules || !g.options.Approver {
		return ctx
	}
	return handoff.WithQuestion(ctx, handoff.Question{Rule: rule, Version: rules.version, Settled: true})
}

// reportDecision calls OnDecision.
func (g *Policy) reportDecision(ctx context.Context, call toolkit.Call, d Decision) {
	defer func() { _ = recover() }()
	g.options.OnDecision(ctx, call, d)
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package budget is the policy that limits how many calls, how much running time and
// what cost an agent may use up in a turn, in a session, and all sessions of a tenant
// together.
//
//	limits, err := budget.New(budget.Options{Session: budget.Limits{Calls: 200, Cost: 2.50}})
//	handle := middleware.Wrap(registry.Handle, limits)
//
// What is beyond is refused with kind budget_exceeded and a text that says what is used
// up, of how much (tags budget=calls, time or cost, and budget.scope=turn, session or
// tenant). The policy stands behind the cache: stored and shared answers, and
// calls refused before it, cost nothing.
//
// Calls and cost are reserved before a call runs, so that calls at once never exceed a
// budget together, and settled after: a call that reached no tool is given back, and
// one that was tried again costs what its attempts cost. Those beyond the first are
// not reserved, so cost may exceed a budget by them. Running time counts while it
// passes, without waits; a call is let through while some is left and is not cut short
// (that is package timeout's), so time may exceed a budget by what was running.
//
// A turn is Session.Turn of an agent, or, where no caller counts turns, its Session.Batch. A
// tool that calls tools uses up a call and time, and so does each of those. A call
// without a session, or without what a limited scope needs, is let through as far as
// that scope goes, with the tag budget=unscoped.
package budget

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/middleware/validate"
)

// All are toolscope's policies, in the order of their stages.
var All = []Descriptor{
	plain("recover", middleware.StageRecover, "Makes a failed result of a tool's panic.",
		func(struct{}) (middleware.Policy, error) { return middleware.Recover() }, Tags{
			"recovered": "true if the policy made an error of a panic",
		}),
	describe("loop", middleware.StageLoop, "Notices calls that repeat, and can stop them.", newLoop, Tags{
		"loop":        "unscoped, if the call has no session",
		"loop.action": "what the policy did about the loop: signal, advice or stop",
		"loop.count":  "number of repetitions; beyond 16 the power of two reached, as 32+",
		"loop.kind":   "kind of loop: repeat, cycle, error or no_progress",
		"loop.length": "number of different calls in the loop",
		"loop.store":  "away, if the shared histories did not answer: the process looked at its own calls",
	}),
	plain("truncate", middleware.StageTruncate, "How much of a result the model gets.", middleware.Truncate, Tags{
		"truncate":       "cut, if the result was truncated",
		"truncate.bytes": "number of bytes removed from the result",
	}),
	plain("validate", middleware.StageValidate, "Arguments against the tool's JSON Schema.", validate.New, Tags{
		"validation":    "invalid, coerced or schema_error",
		"validation.at": "place in the arguments, as a JSON Pointer",
	}),
	describe("permit", middleware.StagePermit, "Allow, ask or deny, by rules.", newPermit, Tags{
		"permission.decision": "decision of the permission rules",
		"permission.door":     "step of the permission check that decided: deny_list, rules or default",
		"permission.rule":     "name of the rule that decided",
		"permission.shadow":   "true if the decision is recorded and not enforced",
	}),
	describe("baseline", middleware.StageBaseline, "Learns what is usual for each agent, and notices what is not.",
		newBaseline, Tags{
			"baseline":           "unscoped, if the call has no session",
			"baseline.first_use": "true if the agent had not used the tool",
			"baseline.hour":      "true if the agent had never been active around that hour of the day (UTC)",
			"baseline.size":      "how many times larger the result is than any before: 2x, 4x, ... 1024x",
			"baseline.target":    "true if the agent had not used the tool with that host, directory or other target",
			"baseline.volume":    "how many times more calls than in any window before: 1x, 2x, 4x, ... 1024x",
		}),
	describe("approve", middleware.StageApprove, "Calls that wait for a person's decision.", newApprove, Tags{
		"approval":         "how the approval ended: a state, or pattern, unavailable, overloaded, unscoped, deferred, stopped",
		"approval.by":      "name of the person or pattern that answered",
		"approval.id":      "id of the request for approval",
		"approval.rule":    "name of the rule that asks for approval",
		"approval.store":   "away, if the shared approvals did not answer: the call was refused",
		"approval.trigger": "why a person is asked: rule, tool, risk, arguments or host",
	}).needing("unattended: true"),
	describe("dedupe", middleware.StageDedupe, "Runs identical calls once: concurrent, in a batch, in a session.", newDedupe, Tags{
		"dedupe":       "why the call was not deduplicated: unscoped or no_identity; or lease_lost, if other processes ran it as well",
		"dedupe.store": "away, if the shared store did not answer: the call was deduplicated in its process only",
	}),
	describe("cache", middleware.StageCache, "Stored answers of tools that only read, or may run twice.", newCache, Tags{
		"cache": "why no stored answer was used: unscoped, no_identity or store_error; or stale for an expired one",
	}),
	describe("budget", middleware.StageBudget, "Calls, running time and cost of a turn, a session, a tenant.", newBudget, Tags{
		"budget":       "limit that the call would exceed: calls, time or cost; or unscoped, or unavailable",
		"budget.store": "away, if the shared ledger did not answer: the call was refused, or is charged as reserved",
		"budget.scope": "scope of that limit: tenant, session or turn",
	}).needing("session: {calls: 1000000}"),
	plain("retry", middleware.StageRetry, "Runs named failures again, of tools that may run twice.", retry.New, Tags{
		"retry": "why there was no further attempt: exhausted, budget, cost, deadline, later or canceled",
	}).needing("on: [timeout]"),
	describe("breaker", middleware.StageBreaker, "Refuses the calls of tools that are down.", newBreaker, Tags{
		"breaker":         "state of the circuit breaker for the call, or full",
		"breaker.changed": "state that the circuit breaker changed to",
		"breaker.key":     "panicked, if the function for keys panicked",
		"breaker.store":   "away, if the circuit changed while the shared store did not answer",
	}),
	describe("limit", middleware.StageLimit, "How many calls run concurrently, and how many begin in a window.", newLimit, Tags{
		"limit":       "limit that the call reached: rate or concurrency; or unscoped, or held",
		"limit.key":   "panicked, if the function for keys panicked",
		"limit.scope": "scope of that limit: global, tool or key",
		"limit.store": "away, if the shared rate limits did not answer",
	}),
	plain("timeout", middleware.StageTimeout, "How long tools may run.", timeout.New, Tags{
		"timeout.abandoned": "true if the tool was still running when the call returned",
		"timeout.limit":     "limit that the call reached, as a duration",
		"timeout.result":    "kept, if the tool returned a result in spite of the limit",
	}),
}

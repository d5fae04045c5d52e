// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"errors"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
)

// Policies are one of each place but baseline, none of which refuses the call: each looks at it, counts it,
// and lets it pass. The cache is small, so that it always throws out what it stored.
func Policies() ([]middleware.Policy, error) {
	params, errInject := toolkit.NewHostParams(toolkit.HostParam{
		Tools: "other_*", Name: "project", Value: func(context.Context) (any, error) { return "p", nil },
	})
	inject, errParams := middleware.Inject(params)
	recovers, errRecover := middleware.Recover()
	valid, errValidate := validate.New(validate.Options{})
	fit, errFit := middleware.Truncate(middleware.TruncateOptions{})
	rules, errRules := permit.Compile(permit.Spec{Rules: []permit.Rule{{
		Name: "reads", Effect: permit.Allow, Tools: []string{ToolName},
	}}})
	gate, errPermit := permit.New(permit.Options{Rules: rules, Approver: true})
	approvals, errApprove := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}})
	duplicates, errDedupe := dedupe.New(dedupe.Options{})
	answers, errCache := cache.New(cache.Options{MaxBytes: 1 << 20})
	loops, errLoop := loop.New(loop.Options{})
	paid, errBudget := budget.New(budget.Options{Session: budget.Limits{Calls: 1 << 60}})
	again, errRetry := retry.New(retry.Options{})
	circuits, errBreaker := breaker.New(breaker.Options{})
	slots, errLimit := limit.New(limit.Options{
		Concurrency: limit.Concurrency{PerTool: 1 << 20},
		Rate:        limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: 1 << 30, Window: time.Minute}},
	})
	clock, errTimeout := timeout.New(timeout.Options{})
	if err := errors.Join(
		errInject, errParams, errRecover, errValidate, errFit, errRules, errPermit, errApprove, errDedupe,
		errCache, errLoop, errBudget, errRetry, errBreaker, errLimit, errTimeout,
	); err != nil {
		return nil, err
	}
	return []middleware.Policy{
		recovers, inject, loops, fit, valid, gate, approvals,
		duplicates, answers, paid, again, circuits, slots, clock,
	}, nil
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"context"
	"errors"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// policy retries calls. Safe for concurrent use.
type policy struct {
	options Options
	on      map[string]bool
	tools   map[string]bool
	bucket  *bucket
}

var _ middleware.Policy = (*policy)(nil)

// New makes a policy. The error names the field, what it got and what it wants.
//
// The policy runs calls of tools that may run twice until one attempt ends otherwise than in a
// named error type. Attempts carry their number in call.Attempt, from 1; the record has how
// many there were, and the waits between them as Backoff. The call ends as its last attempt
// does. Where that was not by the attempt's own doing, it tells "retry" with "exhausted" (no
// attempts left), "budget" (too many retries of late), "cost" (a budget has not enough left), "deadline" (no time left to wait),
// "later" (the tool asks for a longer wait than MaxDelay) or "canceled" (the caller gave up).
// With nothing to retry on, the policy returns the handler that it wraps.
func New(o Options) (middleware.Policy, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	p := &policy{options: o, on: map[string]bool{}, tools: map[string]bool{}, bucket: newBucket(o.Budget, time.Now())}
	for _, k := range o.On {
		p.on[string(k)] = true
	}
	for _, v := range o.OnTypes {
		p.on[v] = true
	}
	for _, name := range o.Tools {
		p.tools[name] = true
	}
	return p, nil
}

// Stage is [middleware.StageRetry].
func (p *policy) Stage() middleware.Stage { return middleware.StageRetry }

// Wrap is a [toolkit.Middleware].
func (p *policy) Wrap(next toolkit.Handler) toolkit.Handler {
	if len(p.on) == 0 || p.options.Attempts == 1 {
		return next
	}
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if !p.mayRunTwice(call) {
			return next(ctx, call)
		}
		p.bucket.deposit()
		last, why := p.run(ctx, call, next)
		if why != "" {
			call.Record.Tag("retry", why)
		}
		return last.pass()
	}
}

// mayRunTwice reports whether the host or the tool says so.
func (p *policy) mayRunTwice(call toolkit.Call) bool {
	tool := call.Record.Tool()
	if tool == nil && p.options.Lookup != nil {
		tool = p.options.Lookup(call.Name)
	}
	if tool != nil && (tool.ReadOnly == toolkit.Yes || tool.Idempotent == toolkit.Yes) {
		return true
	}
	return len(p.tools) > 0 && p.tools[call.Name]
}

// run is the attempts. why says what stopped them, "" if the last one did.
func (p *policy) run(ctx context.Context, call toolkit.Call, next toolkit.Handler) (last ending, why string) {
	for n := 1; ; n++ {
		call.Attempt = uint16(n)
		began := time.Now()
		last = p.attempt(ctx, call, next)
		if last.res.Suspended || !p.on[last.kind()] {
			return last, ""
		}
		wait, why := p.wait(ctx, call, n, last.failure())
		if why != "" {
			return last, why
		}
		if n == 1 {
			_, told := call.Record.BeginAttempt(ctx, call, began)
			told(last.res, last.observedError())
		}
		if !sleep(ctx, call, wait) {
			return last, gone(ctx)
		}
	}
}

// wait is how long to wait after the n-th attempt, or why not to.
func (p *policy) wait(ctx context.Context, call toolkit.Call, n int, failure error) (wait time.Duration, why string) {
	if n >= p.options.Attempts {
		return 0, "exhausted"
	}
	if ctx.Err() != nil {
		return 0, gone(ctx)
	}
	asked := askedFor(failure)
	if asked > p.options.MaxDelay {
		return 0, "later"
	}
	now := time.Now()
	wait = asked + backoff(p.options.BaseDelay, p.options.MaxDelay, n)
	if deadline, ok := ctx.Deadline(); ok && wait >= deadline.Sub(now) {
		return 0, "deadline"
	}
	if !handoff.Reserve(ctx, call) {
		return 0, "cost"
	}
	if !p.bucket.withdraw(now) {
		return 0, "budget"
	}
	return wait, ""
}

// gone is why there is no caller any more.
func gone(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "deadline"
	}
	return "canceled"
}

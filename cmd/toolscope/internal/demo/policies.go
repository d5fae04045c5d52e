// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/retry"
)

// expiry is how long a call waits for approval.
const expiry = 25 * time.Second

// Policies are those of a demo that goes on playing, so that it has cache hits, duplicates, retries and the like to show.
func Policies() ([]middleware.Policy, error) {
	var errs []error
	add := func(p middleware.Policy, err error) middleware.Policy {
		errs = append(errs, err)
		return p
	}
	list := []middleware.Policy{
		add(loop.New(loop.Options{})),
		add(approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(new(person).ask)}, Expiry: expiry})),
		add(dedupe.New(dedupe.Options{})),
		add(cache.New(cache.Options{TTL: 20 * time.Second})),
		add(retry.New(retry.Options{OnTypes: []string{unavailable}})),
		add(breaker.New(breaker.Options{OnTypes: []string{unavailable}, OpenFor: 10 * time.Second})),
		add(limit.New(limit.Options{Concurrency: limit.Concurrency{Global: 3}})),
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return list, nil
}

// person approves calls of most tools at once. Deployments are answered as a person would: late, now and then with a no,
// and sometimes not at all, so that there is a request to answer by hand.
type person struct{ asked atomic.Uint64 }

func (p *person) ask(ctx context.Context, r approve.Request) (approve.Answer, error) {
	if r.Tool != deployTool {
		return approve.Answer{Approved: true, By: "the demo"}, nil
	}
	n := p.asked.Add(1)
	if n%4 == 0 {
		<-ctx.Done()
		return approve.Answer{}, context.Cause(ctx)
	}
	if err := pause(ctx, 8*time.Second); err != nil {
		return approve.Answer{}, err
	}
	return approve.Answer{Approved: n%4 != 2, By: "the demo", Note: "scripted answer about " + r.Tool}, nil
}

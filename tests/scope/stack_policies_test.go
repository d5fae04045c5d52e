// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/baseline"
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

// must is the policy that a constructor made.
func must[P middleware.Policy](t testing.TB, p P, err error) middleware.Policy {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// either is one of the values.
func either[V any](r *rand.Rand, values ...V) V { return values[r.IntN(len(values))] }

// injected is the policy that gives the world's tools their project.
func injected(t testing.TB) middleware.Policy {
	params, err := toolkit.NewHostParams(toolkit.HostParam{Tools: "*", Name: "project",
		Value: func(ctx context.Context) (any, error) {
			var s toolkit.Session
			if in := toolkit.SessionFrom(ctx); in != nil {
				s = *in
			}
			return projectOf(s), nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := middleware.Inject(params)
	return must(t, policy, err)
}

// rulesOfWorld deny the tool that is forbidden and allow the risky one's harmless calls by name.
func rulesOfWorld(t testing.TB) *permit.Rules {
	rules, err := permit.Compile(permit.Spec{Rules: []permit.Rule{
		{Name: "no", Effect: permit.Deny, Tools: []string{"forbidden"}},
		{Name: "reads", Effect: permit.Allow, Tools: []string{"read", "set"}},
		{Name: "writes", Effect: permit.Ask, Tools: []string{"write"}, When: "args.n == 5"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// person approves after a while what is even.
func (w *world) person(ctx context.Context, r approve.Request) (approve.Answer, error) {
	n := len(r.Digest) + int(r.Digest[0])
	select {
	case <-time.After(max(time.Duration(n%40)*time.Millisecond, time.Nanosecond)):
	case <-ctx.Done():
		return approve.Answer{}, ctx.Err()
	}
	if n%3 == 0 {
		return approve.Answer{By: "p", Note: "no"}, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[r.CallID] = true
	return approve.Answer{Approved: true, By: "p"}, nil
}

// choose sets up the world with random policies in a random order. Inject and
// validate are there, as the world's tools rely on them; the others may be.
func (w *world) choose(t testing.TB, r *rand.Rand) {
	share := either(r, middleware.PerSession, middleware.PerSession, middleware.PerTenant)
	w.tenants = share == middleware.PerTenant
	gate, err := permit.New(permit.Options{Rules: rulesOfWorld(t), Approver: true})
	approvals, errA := approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(w.person)},
		Expiry: either(r, 30*time.Millisecond, time.Minute)})
	twins, errD := dedupe.New(dedupe.Options{Share: share, History: either(r, 0, 30*time.Millisecond, time.Hour),
		MaxAnswers: either(r, 0, 20)})
	stored := cache.Options{Share: share, TTL: either(r, 0, 10*time.Millisecond), FaultTTL: either(r, 0, time.Minute),
		MaxBytes: either(r, 0, 8<<10)}
	if stored.TTL > 0 {
		stored.StaleFor = either(r, 0, 20*time.Millisecond)
	}
	answers, errC := cache.New(stored)
	fit, errF := middleware.Truncate(middleware.TruncateOptions{Limit: either(r, 512, 0)})
	loops, errL := loop.New(loop.Options{Default: loop.Thresholds{Stop: either(r, 0, 4, 30)}})
	paid, errB := budget.New(budget.Options{
		Session: budget.Limits{Calls: either(r, 40, 4000), Time: either(r, 0, 5*time.Second)},
		Turn:    budget.Limits{Cost: either(r, 0.0, 50)}})
	again, errR := retry.New(retry.Options{
		On: []toolkit.Kind{toolkit.ErrTimeout, toolkit.ErrOverloaded, toolkit.ErrCircuitOpen, toolkit.TypeOther,
			either(r, toolkit.ErrPanic, toolkit.ErrTool)},
		OnTypes:   []string{"unavailable"},
		BaseDelay: time.Millisecond, MaxDelay: 5 * time.Second, Budget: retry.Budget{Burst: 1000},
	})
	circuits, errK := breaker.New(breaker.Options{Consecutive: either(r, 3, 50),
		OpenFor: either(r, 5*time.Millisecond, time.Second)})
	limits, errM := limit.New(limit.Options{
		Concurrency: limit.Concurrency{Global: either(r, 0, 4, 32), PerTool: either(r, 0, 2), PerKey: either(r, 0, 3),
			MaxWait: 40 * time.Millisecond, Queue: either(r, 0, 20), Order: either(r, limit.RoundRobin, limit.FIFO)},
		Rate: limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: either(r, 0, 30), Window: 100 * time.Millisecond},
			MaxWait: either(r, 0, 50*time.Millisecond)},
	})
	clock, errT := timeout.New(timeout.Options{Default: either(r, 3*time.Millisecond, 50*time.Millisecond),
		Abandon: []string{"deaf"}, MaxAbandoned: either(r, 0, 2)})
	valid, errV := validate.New(validate.Options{Coerce: true})
	recovers, errP := middleware.Recover()
	usual, errU := baseline.New(baseline.Options{Warmup: either(r, 1, 50), Agents: either(r, 1, 0)})
	w.policies = []middleware.Policy{injected(t), must(t, valid, errV), must(t, clock, errT)}
	for _, p := range []middleware.Policy{
		must(t, recovers, errP), must(t, fit, errF), must(t, gate, err), must(t, approvals, errA), must(t, twins, errD),
		must(t, answers, errC),
		must(t, loops, errL), must(t, paid, errB), must(t, again, errR), must(t, circuits, errK), must(t, limits, errM),
		must(t, usual, errU),
	} {
		if r.IntN(3) > 0 {
			w.policies = append(w.policies, p)
		}
	}
	w.shares = w.has(middleware.StageDedupe)
	r.Shuffle(len(w.policies), func(i, j int) { w.policies[i], w.policies[j] = w.policies[j], w.policies[i] })
}

// names are the stages of the policies, for what is printed of a failure.
func (w *world) names() string {
	var b strings.Builder
	for _, p := range w.policies {
		b.WriteString(p.Stage().String() + " ")
	}
	return b.String()
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wrapping_test

import (
	"context"
	"slices"
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

// reply is what a caller sees of a call, whatever the path.
type reply struct {
	text   string
	failed bool
}

// ran reports whether the tool was run, and which run it was.
func (r reply) ran() (run string, ok bool) {
	run, _, _ = strings.Cut(r.text, " ")
	return run, strings.HasPrefix(run, "run=")
}

// refused reports whether the call failed without a run.
func (r reply) refused() bool {
	_, ran := r.ran()
	return r.failed && !ran
}

// A governed policy is one policy of each stage, with calls that show whether it has an effect.
type governed struct {
	stage    middleware.Stage
	policies func(t *testing.T) []middleware.Policy
	calls    []string             // arguments
	effect   func(r []reply) bool // whether the policy had an effect
	inert    []middleware.Policy  // those that stand without the policy under test
}

// must is a policy that could be made.
func must[P middleware.Policy](p P, err error) middleware.Policy {
	if err != nil {
		panic(err)
	}
	return p
}

func one(p middleware.Policy) func(*testing.T) []middleware.Policy {
	return func(*testing.T) []middleware.Policy { return []middleware.Policy{p} }
}

func sameRun(r []reply) bool {
	first, ok := r[0].ran()
	second, _ := r[1].ran()
	return ok && first == second
}

// everyPolicy has one policy of every stage.
func everyPolicy(t *testing.T) []governed {
	tenant, err := toolkit.NewHostParams(toolkit.HostParam{Tools: "*", Name: "tenant",
		Value: func(context.Context) (any, error) { return "ours", nil }})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := permit.Compile(permit.Spec{
		Rules: []permit.Rule{{Name: "no-delete", Effect: permit.Deny, When: `args.do == "delete"`}}})
	if err != nil {
		t.Fatal(err)
	}
	panics := middleware.At(middleware.StageInject, func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("a policy's panic") }
	})
	no := approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) { return approve.Answer{By: "Ada"}, nil })
	asksRules := must(approve.New(approve.Options{Askers: []approve.Asker{no}, WithoutSensitive: true}))
	always := func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "test", true }
	echo, twice := `{"do":"echo"}`, []string{`{"do":"echo"}`, `{"do":"echo"}`}
	all := []governed{
		{middleware.StageRecover, func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(middleware.Recover()), panics}
		},
			[]string{echo}, func(r []reply) bool { return r[0].refused() && !strings.Contains(r[0].text, "a policy's panic") },
			[]middleware.Policy{panics}},
		{stage: middleware.StageInject, policies: one(must(middleware.Inject(tenant))),
			calls:  []string{`{"do":"echo","tenant":"theirs"}`},
			effect: func(r []reply) bool { return strings.Contains(r[0].text, `"tenant":"ours"`) }},
		{stage: middleware.StageLoop, policies: func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(loop.New(loop.Options{Default: loop.Thresholds{Stop: 3}}))}
		}, calls: []string{echo, echo, echo}, effect: func(r []reply) bool { return !r[1].failed && r[2].refused() }},
		{stage: middleware.StageTruncate, policies: one(must(middleware.Truncate(middleware.TruncateOptions{Limit: 512}))),
			calls:  []string{`{"do":"much"}`},
			effect: func(r []reply) bool { return len(r[0].text) <= 512 && strings.Contains(r[0].text, "left out") }},
		{stage: middleware.StageValidate, policies: one(must(validate.New(validate.Options{}))), calls: []string{`{"do":7}`},
			effect: func(r []reply) bool { return r[0].refused() }},
		{stage: middleware.StagePermit, policies: one(must(permit.New(permit.Options{Rules: rules}))),
			calls:  []string{echo, `{"do":"delete"}`},
			effect: func(r []reply) bool { return !r[0].failed && r[1].refused() }},
		{stage: middleware.StageBaseline, policies: func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(baseline.New(baseline.Options{
				Warmup: 1, Ask: []baseline.Signal{baseline.Target}, Approver: true})), asksRules}
		}, calls: []string{echo, `{"do":"echo","at":"https://new.example/"}`},
			effect: func(r []reply) bool { return !r[0].failed && r[1].refused() }, inert: []middleware.Policy{asksRules}},
		{stage: middleware.StageApprove, policies: one(
			must(approve.New(approve.Options{Askers: []approve.Asker{no}, Needed: always}))), calls: []string{echo},
			effect: func(r []reply) bool { return r[0].refused() }},
		{stage: middleware.StageDedupe, policies: func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(dedupe.New(dedupe.Options{History: time.Minute}))}
		}, calls: twice, effect: sameRun},
		{stage: middleware.StageCache, policies: func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(cache.New(cache.Options{}))}
		},
			calls: twice, effect: sameRun},
		{stage: middleware.StageBudget, policies: func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(budget.New(budget.Options{Session: budget.Limits{Calls: 1}}))}
		}, calls: twice, effect: func(r []reply) bool { return !r[0].failed && r[1].refused() }},
		{stage: middleware.StageRetry, policies: func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTool}, BaseDelay: time.Millisecond}))}
		}, calls: []string{`{"do":"fail once"}`}, effect: func(r []reply) bool { return !r[0].failed }},
		{stage: middleware.StageBreaker, policies: func(*testing.T) []middleware.Policy {
			return []middleware.Policy{must(breaker.New(breaker.Options{On: []toolkit.Kind{toolkit.ErrTool}, Consecutive: 1}))}
		}, calls: []string{`{"do":"fail"}`, echo}, effect: func(r []reply) bool { return r[1].refused() }},
		{stage: middleware.StageLimit, policies: func(*testing.T) []middleware.Policy {
			rate := toolkit.RateLimit{MaxCalls: 1, Window: time.Hour}
			return []middleware.Policy{must(limit.New(limit.Options{Rate: limit.Rate{Global: rate}}))}
		}, calls: twice, effect: func(r []reply) bool { return !r[0].failed && r[1].refused() }},
		{stage: middleware.StageTimeout, policies: one(must(timeout.New(timeout.Options{Default: 20 * time.Millisecond}))),
			calls:  []string{`{"do":"wait"}`},
			effect: func(r []reply) bool { return r[0].failed && strings.Contains(r[0].text, "20ms") }},
	}
	for _, stage := range middleware.Stages() { // others have at least a policy that refuses every call
		if !slices.ContainsFunc(all, func(p governed) bool { return p.stage == stage }) {
			refuse := middleware.At(stage, func(toolkit.Handler) toolkit.Handler {
				return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
					return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "no"})
				}
			})
			all = append(all, governed{stage: stage, policies: one(refuse), calls: []string{echo},
				effect: func(r []reply) bool { return r[0].refused() }})
		}
	}
	return all
}

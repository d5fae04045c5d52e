// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// told is a policy that writes its place's name down.
func told(p middleware.Stage, text string, seen *[]string) middleware.Policy {
	return middleware.At(p, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			*seen = append(*seen, text)
			return next(ctx, call)
		}
	})
}

func TestPoliciesStandInTheirPlaces(t *testing.T) {
	var seen []string
	var policies []middleware.Policy
	stages := []string{}
	for _, p := range slices.Backward(middleware.Stages()) {
		policies = append(policies, told(p, p.String(), &seen))
	}
	for _, p := range policies {
		stages = append([]string{p.Stage().String()}, stages...)
	}
	policies = append(policies, told(middleware.StageCache, "second cache", &seen))
	h := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }, policies...)
	if _, err := h(t.Context(), toolkit.Call{}); err != nil {
		t.Fatal(err)
	}
	// The order itself is held to docs/policies.md by internal/repocheck.
	want := strings.Replace(strings.Join(stages, " "), "cache", "cache second cache", 1)
	if !strings.HasPrefix(want, "recover inject loop ") || !strings.HasSuffix(want, " timeout") {
		t.Errorf("got the stages %s", want)
	}
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := middleware.Stage(len(middleware.Stages())).String(); got != "unknown" {
		t.Errorf("got %q for no place", got)
	}
}

// A constructor that failed has returned nil: a program that ignores its error has no ungoverned calls.
func TestANilPolicyRefusesEachCall(t *testing.T) {
	ran := false
	h := middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		ran = true
		return toolkit.Result{}, nil
	}, nil)
	if _, err := h(t.Context(), toolkit.Call{}); ran || !errors.Is(err, toolkit.ErrPermissionDenied) {
		t.Errorf("ran: %t, got %v, want permission_denied", ran, err)
	}
}

func TestAtRefusesMistakes(t *testing.T) {
	for name, make := range map[string]func(){
		"nil":   func() { middleware.At(middleware.StageLoop, nil) },
		"place": func() { middleware.At(200, func(h toolkit.Handler) toolkit.Handler { return h }) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: At did not panic", name)
				}
			}()
			make()
		}()
	}
}

func TestRecoverMakesAResultOfAPanic(t *testing.T) {
	var all tooltest.Recorder
	boom := errors.New("boom")
	recovers, err := middleware.Recover()
	if err != nil {
		t.Fatal(err)
	}
	h := toolkit.Observe(nil, &all)(middleware.Wrap(
		func(context.Context, toolkit.Call) (toolkit.Result, error) { panic(boom) }, recovers))
	res, err := h(t.Context(), toolkit.Call{Name: "x"})
	var p *toolkit.PanicError
	if err != nil || !errors.As(res.Fault, &p) || p.Value != boom || len(p.Stack) == 0 || strings.Contains(res.Output, "boom") {
		t.Errorf("got %v, %v: want a result that says that the tool panicked, not with what", res.Output, err)
	}
	e := all.All()[0]
	if e.ErrorType != "panic" || e.Ending != toolkit.EndingReturned ||
		e.Disposition.Outcome != toolkit.OutcomeExecuted || len(e.Disposition.Tags) != 1 {
		t.Errorf("got %v %v %v %v", e.ErrorType, e.Ending, e.Disposition.Outcome, e.Disposition.Tags)
	}
}

func TestRefuseNamesTheToolAndTheOutcome(t *testing.T) {
	var all tooltest.Recorder
	h := toolkit.Observe(nil, &all)(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrRateLimited, Message: "wait a minute"})
	})
	_, err := h(t.Context(), toolkit.Call{Name: "x"})
	var refusal *toolkit.Error
	if !errors.As(err, &refusal) || refusal.Tool != "x" || !errors.Is(err, toolkit.ErrRateLimited) {
		t.Errorf("got %v", err)
	}
	if e := all.All()[0]; e.Disposition.Outcome != toolkit.OutcomeRefused || e.ErrorType != "rate_limited" {
		t.Errorf("got %v %v", e.Disposition.Outcome, e.ErrorType)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
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
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// policyType is a type of policy: its nil pointer, its zero value, and one that its constructor made.
type policyType struct {
	null, zero middleware.Policy
	made       func() (middleware.Policy, error)
}

// made calls a constructor that has defaults.
func made[O any, P middleware.Policy](newPolicy func(O) (P, error)) func() (middleware.Policy, error) {
	return func() (middleware.Policy, error) {
		var o O
		return newPolicy(o)
	}
}

// policyTypes are all types of policies, by their packages.
var policyTypes = map[string]policyType{
	"approve": {(*approve.Policy)(nil), new(approve.Policy), func() (middleware.Policy, error) {
		return approve.New(approve.Options{Askers: []approve.Asker{approve.Unattended()}})
	}},
	"breaker": {(*breaker.Policy)(nil), new(breaker.Policy), made(breaker.New)},
	"budget": {(*budget.Policy)(nil), new(budget.Policy), func() (middleware.Policy, error) {
		return budget.New(budget.Options{Turn: budget.Limits{Calls: 1}})
	}},
	"cache":    {(*cache.Policy)(nil), new(cache.Policy), made(cache.New)},
	"dedupe":   {(*dedupe.Policy)(nil), new(dedupe.Policy), made(dedupe.New)},
	"limit":    {(*limit.Policy)(nil), new(limit.Policy), made(limit.New)},
	"loop":     {(*loop.Policy)(nil), new(loop.Policy), made(loop.New)},
	"permit":   {(*permit.Policy)(nil), new(permit.Policy), made(permit.New)},
	"retry":    {(*retry.Policy)(nil), new(retry.Policy), made(retry.New)},
	"timeout":  {(*timeout.Policy)(nil), new(timeout.Policy), made(timeout.New)},
	"validate": {(*validate.Policy)(nil), new(validate.Policy), made(validate.New)},
}

// TestEveryPackageOfAPolicyIsInTheTable fails for a package of a policy that the tests below do not know.
func TestEveryPackageOfAPolicyIsInTheTable(t *testing.T) {
	files, err := filepath.Glob("../../middleware/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(file))
		if _, ok := policyTypes[name]; !ok && !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), ") Stage() middleware.Stage") {
			t.Errorf("%s has a policy: add it to policyTypes and give it a method Made", file)
		}
	}
}

// TestPoliciesNotMadeByTheirConstructorAreRefused gives nil pointers and zero values to each entry point.
func TestPoliciesNotMadeByTheirConstructorAreRefused(t *testing.T) {
	for name, p := range policyTypes {
		good, err := p.made()
		if err != nil {
			t.Fatal(err)
		}
		scope, err := toolscope.New(toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true, Policies: []middleware.Policy{good}})
		if err != nil {
			t.Errorf("%s: got %v for a policy that New made", name, err)
			continue
		}
		for _, bad := range []middleware.Policy{p.null, p.zero} {
			got := "nil *" + name + ".Policy"
			if bad == p.zero {
				got = "zero " + name + ".Policy"
			}
			want := fmt.Sprintf("got a %s, want one that %s.New made", got, name)
			list := []middleware.Policy{bad}
			_, inPolicies := toolscope.New(toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true, Policies: list})
			_, inSettings := toolscope.New(toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true, Settings: toolscope.Settings{Policies: list}})
			for field, err := range map[string]error{
				"Options.Policies[0]": inPolicies, "Options.Settings.Policies[0]": inSettings,
				"Settings.Policies[0]": scope.Apply(toolscope.Settings{Policies: list}),
			} {
				if want := "toolscope: " + field + ": " + want; err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			if policies := scope.Settings().Policies; len(policies) != 1 || policies[0] != good {
				t.Errorf("%s: the policies in use changed to %v", got, policies)
			}
			checkRefusesEachCall(t, got, bad)
		}
	}
}

// checkRefusesEachCall wraps a handler without an error to return: then no call reaches the tool.
func checkRefusesEachCall(t *testing.T, name string, bad middleware.Policy) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("%s: a call panicked: %v", name, v)
		}
	}()
	tool := tooltest.Echo(toolkit.Definition{Name: "echo"})
	handle := middleware.Wrap(tool.Handle, bad)
	if _, err := handle(t.Context(), toolkit.Call{Name: "echo"}); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("%s: a call got %v, want an error that says so", name, err)
	}
}

// plainPolicy is an application's own policy whose zero value works.
type plainPolicy struct{}

func (*plainPolicy) Stage() middleware.Stage                   { return middleware.StageValidate }
func (*plainPolicy) Wrap(next toolkit.Handler) toolkit.Handler { return next }

func TestAnApplicationsPolicyMayBeZeroButNotNil(t *testing.T) {
	if _, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{new(plainPolicy)}}); err != nil {
		t.Error(err)
	}
	_, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{(*plainPolicy)(nil)}})
	if want := "got a nil *toolscope_test.plainPolicy, want one that is not nil"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

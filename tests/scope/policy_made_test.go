// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"fmt"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// policyType is a type of policy: its nil pointer, its zero value, and one that its constructor made.
type policyType struct {
	null, zero, made middleware.Policy
}

// policyTypes are all types of policies, by their packages.
func policyTypes(t *testing.T) map[string]policyType {
	t.Helper()
	all := map[string]policyType{}
	for _, p := range policies.All {
		if p.Policy == nil {
			continue
		}
		file, err := config.OpenText("test", []byte("policies: {"+p.Name+": {"+p.Needs+"}}"))
		if err != nil {
			t.Fatal(err)
		}
		all[path.Base(p.Policy.Elem().PkgPath())] = policyType{
			null: reflect.Zero(p.Policy).Interface().(middleware.Policy),
			zero: reflect.New(p.Policy.Elem()).Interface().(middleware.Policy),
			made: file.Options(toolscope.Options{}).Settings.Policies[0],
		}
	}
	return all
}

// TestPoliciesNotMadeByTheirConstructorAreRefused gives nil pointers and zero values to each entry point.
func TestPoliciesNotMadeByTheirConstructorAreRefused(t *testing.T) {
	for name, p := range policyTypes(t) {
		good := p.made
		scope, err := toolscope.New(toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true,
			Policies: []middleware.Policy{good}})
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
			_, inSettings := toolscope.New(toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true,
				Settings: toolscope.Settings{Policies: list}})
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
	if want := "got a nil *toolscope_test.plainPolicy, want one that is not nil"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

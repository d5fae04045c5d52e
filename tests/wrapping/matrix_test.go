// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wrapping_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// TestEveryPolicyOnEveryPath checks that a policy takes effect on every way of wrapping, or that
// construction fails: where the scope has the policy from the beginning, and where Apply adds it
// later. There is no third state.
func TestEveryPolicyOnEveryPath(t *testing.T) {
	seen := map[middleware.Stage]bool{}
	for _, p := range everyPolicy(t) {
		seen[p.stage] = true
	}
	if all := middleware.Stages(); len(seen) != len(all) {
		t.Errorf("got policies of %d stages, want all %d", len(seen), len(all))
	}
	for _, path := range everyPath {
		for i, p := range everyPolicy(t) {
			for _, later := range []bool{false, true} {
				name := fmt.Sprintf("%s/%s/New", path.name, p.stage)
				if later {
					name = fmt.Sprintf("%s/%s/Apply", path.name, p.stage)
				}
				t.Run(name, func(t *testing.T) { check(t, path, everyPolicy(t)[i], later) })
			}
		}
	}
}

func check(t *testing.T, path path, p governed, later bool) {
	// The control: once is enough.
	contained := p.stage == middleware.StageRecover // servers and proxies contain panics by themselves
	if !later && !path.refuses && !contained {
		if got := path.replies(t, scopeWith(t, p.inert), p.calls); p.effect(got) {
			t.Errorf("without the policy: got %+v, which looks as if there were one", got)
		}
	}
	policies := p.policies(t)
	if !later {
		scope := scopeWith(t, policies)
		if path.refuses {
			if _, err := path.wrap(t, scope); err == nil {
				t.Error("got no error, want construction to fail")
			}
			return
		}
		if got := path.replies(t, scope, p.calls); !p.effect(got) {
			t.Errorf("got %+v, which is not the policy's effect", got)
		}
		return
	}
	scope := scopeWith(t, nil)
	call, err := path.wrap(t, scope)
	if err != nil {
		t.Fatal(err)
	}
	switch err := scope.Apply(toolscope.Settings{Policies: policies}); {
	case path.refuses || path.fixed:
		if err == nil {
			t.Error("Apply: got no error, want one: the policy has no effect on what is wrapped")
		}
	case err != nil:
		t.Error(err)
	default:
		if got := replies(t, call, p.calls); !p.effect(got) {
			t.Errorf("after Apply: got %+v, which is not the policy's effect", got)
		}
	}
}

func scopeWith(t *testing.T, policies []middleware.Policy) *toolscope.Scope {
	scope, err := toolscope.New(toolscope.Options{Policies: policies})
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// replies wraps the tool and calls it; nil if construction fails.
func (p path) replies(t *testing.T, scope *toolscope.Scope, calls []string) []reply {
	call, err := p.wrap(t, scope)
	if err != nil {
		if !p.refuses {
			t.Fatal(err)
		}
		return nil
	}
	return replies(t, call, calls)
}

func replies(t *testing.T, call caller, calls []string) (all []reply) {
	ctx := toolkit.WithSession(context.WithoutCancel(t.Context()), toolkit.Session{ID: "one"})
	for _, arguments := range calls {
		all = append(all, func() (r reply) {
			defer func() {
				if v := recover(); v != nil {
					r = reply{fmt.Sprint(v), false}
				}
			}()
			return call(ctx, arguments)
		}())
	}
	return all
}

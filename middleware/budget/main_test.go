// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// policy makes one; a mistake in the options is the test's.
func policy(t testing.TB, o budget.Options) *budget.Policy {
	t.Helper()
	p, err := budget.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*budget.Policy)
}

// costs are what the tools of the tests cost.
var costs = map[string]float64{"free": 0, "tenth": 0.1, "two": 2}

func lookup(name string) *toolkit.Definition {
	return &toolkit.Definition{Name: name, Cost: costs[name]}
}

// rig is tools under the policy, with what is recorded of them.
type rig struct {
	t      testing.TB
	handle toolkit.Handler
	seen   tooltest.Recorder
}

func newRig(t testing.TB, o budget.Options, tool toolkit.Handler, inner ...middleware.Policy) *rig {
	r := &rig{t: t}
	if tool == nil {
		tool = func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "ran"}, nil }
	}
	r.handle = toolkit.Observe(lookup, &r.seen)(middleware.Wrap(tool, append(inner, policy(t, o))...))
	return r
}

// call makes one and tells "" if it ran, else what is used up: "calls turn".
func (r *rig) call(s toolkit.Session, name string) string {
	r.t.Helper()
	_, err := r.handle(toolkit.WithSession(r.t.Context(), s), toolkit.Call{Name: name})
	e := r.seen.TakeAll()[0]
	refused := errors.Is(err, toolkit.ErrBudgetExceeded)
	if refused != (e.Disposition.Outcome == toolkit.OutcomeRefused) || refused != (e.ErrorType == "budget_exceeded") {
		r.t.Errorf("got %v, recorded %v %v", err, e.Disposition.Outcome, e.ErrorType)
	}
	var told []string
	for _, tag := range e.Disposition.Tags {
		told = append(told, tag.Value)
	}
	return strings.Join(told, " ")
}

func (r *rig) want(want string, s toolkit.Session, name string) {
	r.t.Helper()
	if got := r.call(s, name); got != want {
		r.t.Errorf("%+v: got %q, want %q", s, got, want)
	}
}

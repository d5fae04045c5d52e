// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func policy(t testing.TB, o breaker.Options) *breaker.Policy {
	t.Helper()
	p, err := breaker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var errDown = errors.New("connection refused")

// answer is a handler that ends as told.
func answer(fault, err error) toolkit.Handler {
	return func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Fault: fault}, err }
}

var (
	well = answer(nil, nil)
	down = answer(nil, errDown)
)

// ask is one call of the tool search through p, and how it ended.
func ask(t testing.TB, p *breaker.Policy, h toolkit.Handler) toolkit.Ended {
	return askAs(t, p, "search", h)
}

func askAs(t testing.TB, p *breaker.Policy, tool string, h toolkit.Handler) toolkit.Ended {
	var seen tooltest.Recorder
	_, _ = toolkit.Chain(h, toolkit.Observe(nil, &seen), p.Wrap)(t.Context(), toolkit.Call{Name: tool})
	return seen.All()[0]
}

// state is how things stand with the only circuit.
func state(t testing.TB, p *breaker.Policy) breaker.Circuit {
	t.Helper()
	states := p.States()
	if len(states) != 1 {
		t.Fatalf("got %d circuits, want 1", len(states))
	}
	return states[0]
}

func tag(e toolkit.Ended, key string) string {
	for _, t := range e.Disposition.Tags {
		if t.Key == key {
			return t.Value
		}
	}
	return ""
}

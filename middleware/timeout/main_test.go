// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// policy makes one; a mistake in the options is the test's.
func policy(t testing.TB, o timeout.Options) *timeout.Policy {
	t.Helper()
	p, err := timeout.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*timeout.Policy)
}

// observed is a tool under a policy, with what is recorded of it.
func observed(p middleware.Policy, def toolkit.Definition, tool toolkit.Handler) (toolkit.Handler, *tooltest.Recorder) {
	seen := new(tooltest.Recorder)
	lookup := func(string) *toolkit.Definition { return &def }
	return toolkit.Observe(lookup, seen)(middleware.Wrap(tool, p)), seen
}

// tags are the tags of the one call that a recorder has seen.
func tags(t testing.TB, seen *tooltest.Recorder) map[string]string {
	t.Helper()
	all := seen.TakeAll()
	if len(all) != 1 {
		t.Fatalf("%d calls were recorded, want 1", len(all))
	}
	m := map[string]string{"error.type": all[0].ErrorType, "outcome": all[0].Disposition.Outcome.String()}
	for _, tag := range all[0].Disposition.Tags {
		m[tag.Key] = tag.Value
	}
	return m
}

// heeds is a tool that waits for its context and returns its error.
func heeds(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
	<-ctx.Done()
	return toolkit.Result{}, ctx.Err()
}

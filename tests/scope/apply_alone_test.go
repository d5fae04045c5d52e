// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// The policies alone are those in use, and tell no observer.
func TestPoliciesAlone(t *testing.T) {
	recorder, policy := new(tooltest.Recorder), new(closing)
	scope, err := toolscope.New(toolscope.Options{
		Observers: []toolkit.Observer{recorder},
		Policies:  []middleware.Policy{policy},
	})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	handle := scope.Policies()(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		ran++
		return toolkit.Result{}, nil
	})
	call := func(judged int64, want error) {
		t.Helper()
		before := policy.calls.Load()
		if _, err := handle(t.Context(), toolkit.Call{Name: "x"}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		if got := policy.calls.Load() - before; got != judged {
			t.Errorf("got it judged %d times, want %d", got, judged)
		}
	}
	call(1, nil)
	for _, settings := range []toolscope.Settings{{Off: true, Policies: scope.Settings().Policies}, {}} {
		if err := scope.Apply(settings); err != nil {
			t.Fatal(err)
		}
		call(0, nil)
	}
	if err := scope.Apply(toolscope.Settings{ToolsOff: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	call(0, toolkit.ErrPermissionDenied)
	if n := recorder.Len(); ran != 3 || n != 0 {
		t.Errorf("got %d runs and %d calls told, want 3 and none", ran, n)
	}
	none := (*toolscope.Scope)(nil).Policies()
	if _, err := none(nil)(t.Context(), toolkit.Call{Name: "x"}); err == nil {
		t.Error("a nil handler: got no error")
	}
}

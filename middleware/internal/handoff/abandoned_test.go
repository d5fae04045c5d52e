// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package handoff_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

func TestAnAbandonedToolIsOfItsCallAlone(t *testing.T) {
	call, cause := toolkit.Call{ID: "1", Name: "slow"}, errors.New("too slow")
	l := handoff.NewAbandoned(call)
	err := fmt.Errorf("the call: %w", &toolkit.Error{Kind: toolkit.ErrTimeout, Cause: l.Wrap(cause)})
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want an error with the cause in it", err)
	}
	if handoff.AbandonedOf(call, err) != l {
		t.Error("the call's error does not tell of it")
	}
	for name, got := range map[string]*handoff.Abandoned{
		"no error":       handoff.AbandonedOf(call, nil),
		"another error":  handoff.AbandonedOf(call, cause),
		"the call above": handoff.AbandonedOf(toolkit.Call{ID: "0", Name: "agent"}, err),
	} {
		if got != nil {
			t.Errorf("%s: got an abandoned tool, want none", name)
		}
	}
	ended := 0
	for range 2 {
		if !l.OnEnd(func() { ended++ }) || ended != 0 {
			t.Error("it has not ended yet")
		}
	}
	l.End()
	if l.OnEnd(func() { ended++ }) || ended != 2 {
		t.Errorf("got %d calls at its end, want 2, and none of what came later", ended)
	}
}

// wrapping is an error whose Unwrap panics if it is nil, as many do.
type wrapping struct{ cause error }

func (*wrapping) Error() string   { return "failed" }
func (w *wrapping) Unwrap() error { return w.cause }

// TestATypedNilHoldsNoAbandonedTool: policies ask where a panic would end the process.
func TestATypedNilHoldsNoAbandonedTool(t *testing.T) {
	if handoff.AbandonedOf(toolkit.Call{Name: "read"}, (*wrapping)(nil)) != nil {
		t.Error("got an abandoned tool of an error that tells of nothing")
	}
}

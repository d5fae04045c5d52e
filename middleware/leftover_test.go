// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

func TestALeftoverIsItsCallsAlone(t *testing.T) {
	call, cause := toolkit.Call{ID: "1", Name: "slow"}, errors.New("too slow")
	l := middleware.NewLeftover(call)
	err := fmt.Errorf("the call: %w", &toolkit.Error{Kind: toolkit.ErrTimeout, Cause: l.Err(cause)})
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want an error with the cause in it", err)
	}
	if middleware.LeftoverOf(call, err) != l {
		t.Error("the call's error does not tell of it")
	}
	for name, got := range map[string]*middleware.Leftover{
		"no error":       middleware.LeftoverOf(call, nil),
		"another error":  middleware.LeftoverOf(call, cause),
		"the call above": middleware.LeftoverOf(toolkit.Call{ID: "0", Name: "agent"}, err),
	} {
		if got != nil {
			t.Errorf("%s: got a leftover, want none", name)
		}
	}
	ended := 0
	for range 2 {
		if !l.Then(func() { ended++ }) || ended != 0 {
			t.Error("it has not ended yet")
		}
	}
	l.End()
	if l.Then(func() { ended++ }) || ended != 2 {
		t.Errorf("got %d calls at its end, want 2, and none of what came later", ended)
	}
}

// wrapping is an error whose Unwrap panics if it is nil, as many do.
type wrapping struct{ cause error }

func (*wrapping) Error() string   { return "failed" }
func (w *wrapping) Unwrap() error { return w.cause }

// TestATypedNilTellsOfNoLeftover: policies ask where a panic would end the process.
func TestATypedNilTellsOfNoLeftover(t *testing.T) {
	if middleware.LeftoverOf(toolkit.Call{Name: "read"}, (*wrapping)(nil)) != nil {
		t.Error("got a leftover of an error that tells of nothing")
	}
}

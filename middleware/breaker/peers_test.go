// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/breaker/breakertest"
	"github.com/toolscope/toolscope/toolkit"
)

func TestPeersOfOneProcess(t *testing.T) { breakertest.Run(t, breaker.NewPeers) }

// TestACircuitThatOpensIsDistrustedElsewhere opens a circuit in one policy and calls in another.
func TestACircuitThatOpensIsDistrustedElsewhere(t *testing.T) {
	synctest.Test(t, testDistrust)
}

func testDistrust(t *testing.T) {
	store := breaker.NewPeers()
	down := true
	policy := func() (*breaker.Policy, toolkit.Handler) {
		p, err := breaker.New(breaker.Options{Consecutive: 2, Peers: store})
		if err != nil {
			t.Fatal(err)
		}
		return p, p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			if down {
				return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrTimeout}
			}
			return toolkit.Result{Output: "up"}, nil
		})
	}
	first, one := policy()
	second, two := policy()
	call := toolkit.Call{Name: "tool"}
	for range 2 {
		_, _ = one(t.Context(), call)
	}
	if s := first.States()[0].State; s != breaker.Open {
		t.Fatalf("got %v, want it open", s)
	}
	down = false
	other := toolkit.Call{Name: "other"} // a call of another tool, so that the policy looks
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := two(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if s := second.States(); len(s) > 1 && s[1].Key == "tool" && s[1].State == breaker.HalfOpen {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %+v, want the other policy's circuit half open", second.States())
		}
		<-time.After(10 * time.Millisecond)
	}
	if res, err := two(t.Context(), call); err != nil || res.Output != "up" {
		t.Errorf("got %q, %v, want one call to try", res.Output, err)
	}
	if s := second.States()[1].State; s != breaker.Closed {
		t.Errorf("got %v after a call that succeeded, want it closed", s)
	}
}

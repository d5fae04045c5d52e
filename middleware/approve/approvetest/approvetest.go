// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package approvetest has the tests that any store of approvals must pass:
//
//	func TestGrants(t *testing.T) {
//		approvetest.Run(t, func() approve.Grants { return newGrants(t) })
//	}
package approvetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
)

// Run runs the tests, each on an empty store that newGrants makes.
func Run(t *testing.T, newGrants func() approve.Grants) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, approve.Grants)
	}{
		{"a grant is taken once", once},
		{"a grant expires", expires},
		{"all at once", concurrent},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newGrants()) })
	}
}

func give(t *testing.T, g approve.Grants, key, grant string, keep time.Duration) {
	t.Helper()
	if err := g.Give(context.Background(), key, grant, keep); err != nil {
		t.Fatalf("Give: %v", err)
	}
}

func wantTaken(t *testing.T, g approve.Grants, key, want string) {
	t.Helper()
	got, ok, err := g.Take(context.Background(), key)
	if err != nil || got != want || ok != (want != "") {
		t.Errorf("%s: got %q, %t, %v, want %q", key, got, ok, err, want)
	}
}

func once(t *testing.T, g approve.Grants) {
	wantTaken(t, g, "a", "")
	give(t, g, "a", "first", time.Minute)
	give(t, g, "a", "id\nby Ann", time.Minute)
	give(t, g, "b", "another", time.Minute)
	wantTaken(t, g, "a", "id\nby Ann")
	wantTaken(t, g, "a", "")
	wantTaken(t, g, "b", "another")
}

func expires(t *testing.T, g approve.Grants) {
	give(t, g, "a", "grant", 20*time.Millisecond)
	<-time.After(60 * time.Millisecond)
	wantTaken(t, g, "a", "")
}

func concurrent(t *testing.T, g approve.Grants) {
	give(t, g, "a", "grant", time.Minute)
	var taken atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, ok, err := g.Take(context.Background(), "a")
			if err != nil {
				t.Error(err)
			}
			if ok {
				taken.Add(1)
			}
		})
	}
	wg.Wait()
	if n := taken.Load(); n != 1 {
		t.Errorf("got it taken %d times, want once", n)
	}
}

func over(t *testing.T, g approve.Grants) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := g.Take(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

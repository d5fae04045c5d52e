// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package breakertest has the tests that any store of openings must pass:
//
//	func TestPeers(t *testing.T) {
//		breakertest.Run(t, func() breaker.Peers { return newPeers(t) })
//	}
package breakertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/breaker"
)

// Run runs the tests, each on an empty store that newPeers makes.
func Run(t *testing.T, newPeers func() breaker.Peers) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, breaker.Peers)
	}{
		{"openings are kept", kept},
		{"openings expire", expires},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newPeers()) })
	}
}

func keep(t *testing.T, p breaker.Peers, o breaker.Opening, openFor time.Duration) {
	t.Helper()
	if err := p.Tell(context.Background(), o, openFor); err != nil {
		t.Fatalf("Tell: %v", err)
	}
}

func openings(t *testing.T, p breaker.Peers) []breaker.Opening {
	t.Helper()
	list, err := p.Openings(context.Background())
	if err != nil {
		t.Fatalf("Openings: %v", err)
	}
	slices.SortFunc(list, func(a, b breaker.Opening) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func kept(t *testing.T, p breaker.Peers) {
	if list := openings(t, p); len(list) != 0 {
		t.Errorf("got %+v of an empty store", list)
	}
	want := []breaker.Opening{{Circuit: "tool", ID: "1"}, {Circuit: "tool", ID: "2"}, {Circuit: "other\ntool", ID: "3"}}
	for _, o := range want {
		keep(t, p, o, time.Minute)
	}
	if got := openings(t, p); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func expires(t *testing.T, p breaker.Peers) {
	keep(t, p, breaker.Opening{Circuit: "short", ID: "1"}, 20*time.Millisecond)
	keep(t, p, breaker.Opening{Circuit: "long", ID: "2"}, time.Minute)
	<-time.After(60 * time.Millisecond)
	if got := openings(t, p); len(got) != 1 || got[0].ID != "2" {
		t.Errorf("got %+v, want the second one only", got)
	}
}

func over(t *testing.T, p breaker.Peers) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Tell(ctx, breaker.Opening{Circuit: "tool", ID: "1"}, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

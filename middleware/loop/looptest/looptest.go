// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package looptest has the tests that any store of histories must pass:
//
//	func TestHistories(t *testing.T) {
//		looptest.Run(t, func() loop.Histories { return newHistories(t) })
//	}
package looptest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/loop"
)

// Run runs the tests, each on an empty store that newHistories makes.
func Run(t *testing.T, newHistories func() loop.Histories) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, loop.Histories)
	}{
		{"events are in order", order},
		{"the last events are kept", keeps},
		{"agents are apart", apart},
		{"all at once", concurrent},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newHistories()) })
	}
}

func add(t *testing.T, s loop.Histories, agent, event string, after uint64) loop.Events {
	t.Helper()
	e, err := s.Add(context.Background(), loop.HistoryKey{Agent: agent, Events: 4, Idle: time.Minute}, []byte(event), after)
	if err != nil {
		t.Fatalf("Add: %v", err)
	}
	return e
}

func want(t *testing.T, e loop.Events, last uint64, list ...string) {
	t.Helper()
	var got []string
	for _, event := range e.List {
		got = append(got, string(event))
	}
	if e.Last != last || strings.Join(got, " ") != strings.Join(list, " ") {
		t.Errorf("got %q up to %d, want %q up to %d", got, e.Last, list, last)
	}
}

func order(t *testing.T, s loop.Histories) {
	first := add(t, s, "a", "1", 0)
	n := first.Last
	want(t, first, n, "1")
	want(t, add(t, s, "a", "2", 0), n+1, "1", "2")
	want(t, add(t, s, "a", "3\x00\xff", n), n+2, "2", "3\x00\xff")
	want(t, add(t, s, "a", "4", n+2), n+3, "4")
	want(t, add(t, s, "a", "5", n+100), n+4, "2", "3\x00\xff", "4", "5")
}

func keeps(t *testing.T, s loop.Histories) {
	n := add(t, s, "a", "1", 0).Last
	for i := 2; i <= 9; i++ {
		add(t, s, "a", fmt.Sprint(i), n)
	}
	want(t, add(t, s, "a", "10", n), n+9, "7", "8", "9", "10")
	want(t, add(t, s, "a", "11", n+7), n+10, "9", "10", "11")
}

func apart(t *testing.T, s loop.Histories) {
	add(t, s, "a", "1", 0)
	want(t, add(t, s, "b", "2", 0), add(t, s, "b", "3", 0).Last-1, "2")
}

func concurrent(t *testing.T, s loop.Histories) {
	const calls = 40
	seen := make([]loop.Events, calls)
	var wg sync.WaitGroup
	for i := range seen {
		wg.Go(func() {
			var err error
			seen[i], err = s.Add(context.Background(), loop.HistoryKey{Agent: "a", Events: calls, Idle: time.Minute},
				[]byte(fmt.Sprint(i)), 0)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	end := add(t, s, "a", "end", 0)
	number := map[uint64]string{}
	for i, e := range seen {
		if len(e.List) == 0 || string(e.List[len(e.List)-1]) != fmt.Sprint(i) || e.Last >= end.Last {
			t.Fatalf("got %q up to %d, want the event itself to be the last one", e.List, e.Last)
		}
		for j, event := range e.List {
			at := e.Last - uint64(len(e.List)) + 1 + uint64(j)
			if other, ok := number[at]; ok && other != string(event) {
				t.Errorf("got %q and %q with the number %d, want one order", event, other, at)
			}
			number[at] = string(event)
		}
	}
	if len(number) != calls {
		t.Errorf("got %d events, want %d", len(number), calls)
	}
}

func over(t *testing.T, s loop.Histories) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Add(ctx, loop.HistoryKey{Agent: "a", Events: 4, Idle: time.Minute}, nil, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

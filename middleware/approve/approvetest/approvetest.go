// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package approvetest has the tests that any store of approvals must pass:
//
//	func TestRequests(t *testing.T) {
//		approvetest.Run(t, func() approve.Requests { return newRequests(t) })
//	}
package approvetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
)

// Run runs the tests, each on an empty store that newRequests makes.
func Run(t *testing.T, newRequests func() approve.Requests) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, approve.Requests)
	}{
		{"a request is read by its revision", reads},
		{"a revision is changed once", changesOnce},
		{"one open request is for a call", oneForACall},
		{"requests expire", expires},
		{"there are not too many", bounded},
		{"a grant is taken once", takenOnce},
		{"a grant is kept only with its change", grantsWithChanges},
		{"all at once", concurrent},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newRequests()) })
	}
}

func open(t *testing.T, s approve.Requests, id, call, text string, keep time.Duration) string {
	t.Helper()
	got, err := s.Open(context.Background(), approve.Kept{ID: id, Call: call, Text: []byte(text), Keep: keep})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return got
}

// lasting is a grant that is kept for a minute.
func lasting(call, text string) *approve.Grant {
	return &approve.Grant{Call: call, Text: text, Keep: time.Minute}
}

func change(t *testing.T, s approve.Requests, r approve.Kept, g *approve.Grant) bool {
	t.Helper()
	r.Keep = time.Minute
	ok, err := s.Change(context.Background(), r, g)
	if err != nil {
		t.Fatalf("Change: %v", err)
	}
	return ok
}

// wantRead wants the ids with the revisions and texts, as "id 1 text".
func wantRead(t *testing.T, s approve.Requests, known map[string]uint64, want ...string) {
	t.Helper()
	all, err := s.Read(context.Background(), known)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	got := map[string]bool{}
	for _, r := range all {
		got[fmt.Sprintf("%s %d %s", r.ID, r.Revision, r.Text)] = true
	}
	if len(all) != len(want) {
		t.Errorf("got %v, want %q", got, want)
	}
	for _, w := range want {
		if !got[w] {
			t.Errorf("got %v, want %q", got, w)
		}
	}
}

func wantTaken(t *testing.T, s approve.Requests, call, want string) {
	t.Helper()
	got, ok, err := s.Take(context.Background(), call)
	if err != nil || got != want || ok != (want != "") {
		t.Errorf("%s: got %q, %t, %v, want %q", call, got, ok, err, want)
	}
}

func reads(t *testing.T, s approve.Requests) {
	wantRead(t, s, nil)
	open(t, s, "a", "", "first", time.Minute)
	open(t, s, "b", "", "other\x00\xff", time.Minute)
	wantRead(t, s, nil, "a 1 first", "b 1 other\x00\xff")
	wantRead(t, s, map[string]uint64{"a": 0, "c": 0}, "a 1 first")
	wantRead(t, s, map[string]uint64{"a": 1, "b": 2}, "b 1 other\x00\xff")
	wantRead(t, s, map[string]uint64{})
	wantRead(t, s, map[string]uint64{"a": 1, "c": 7}, "c 0 ")
}

func changesOnce(t *testing.T, s approve.Requests) {
	open(t, s, "a", "", "open", time.Minute)
	if change(t, s, approve.Kept{ID: "a", Revision: 3, Text: []byte("late")}, nil) ||
		change(t, s, approve.Kept{ID: "b", Revision: 2, Text: []byte("unknown")}, nil) ||
		change(t, s, approve.Kept{ID: "b", Revision: 1, Text: []byte("unknown")}, nil) {
		t.Error("got a revision changed that is not the one kept")
	}
	if !change(t, s, approve.Kept{ID: "a", Revision: 2, Closed: true, Text: []byte("closed")}, nil) {
		t.Error("got no change, want one")
	}
	if change(t, s, approve.Kept{ID: "a", Revision: 2, Text: []byte("again")}, nil) {
		t.Error("got a revision changed twice")
	}
	wantRead(t, s, map[string]uint64{"a": 1}, "a 2 closed")
}

func oneForACall(t *testing.T, s approve.Requests) {
	if got := open(t, s, "a", "call", "first", time.Minute); got != "a" {
		t.Errorf("got %q, want a", got)
	}
	if got := open(t, s, "b", "call", "second", time.Minute); got != "a" {
		t.Errorf("got %q, want the id of the open request", got)
	}
	if got := open(t, s, "c", "another call", "third", time.Minute); got != "c" {
		t.Errorf("got %q, want c", got)
	}
	wantRead(t, s, nil, "a 1 first", "c 1 third")
	change(t, s, approve.Kept{ID: "a", Revision: 2, Call: "call", Text: []byte("noted")}, nil)
	if got := open(t, s, "d", "call", "fourth", time.Minute); got != "a" {
		t.Errorf("got %q, want the id of the request, which is open still", got)
	}
	change(t, s, approve.Kept{ID: "a", Revision: 3, Call: "call", Closed: true, Text: []byte("closed")}, nil)
	if got := open(t, s, "d", "call", "fourth", time.Minute); got != "d" {
		t.Errorf("got %q, want d, as a is closed", got)
	}
}

func expires(t *testing.T, s approve.Requests) {
	open(t, s, "a", "call", "first", 20*time.Millisecond)
	open(t, s, "b", "", "second", time.Minute)
	change(t, s, approve.Kept{ID: "b", Revision: 2, Text: []byte("longer")},
		&approve.Grant{Call: "g", Text: "grant", Keep: 20 * time.Millisecond})
	<-time.After(60 * time.Millisecond)
	wantRead(t, s, nil, "b 2 longer")
	wantRead(t, s, map[string]uint64{"a": 0})
	if change(t, s, approve.Kept{ID: "a", Revision: 2, Text: []byte("late")}, nil) {
		t.Error("got a request changed that had expired")
	}
	if got := open(t, s, "c", "call", "third", time.Minute); got != "c" {
		t.Errorf("got %q, want c, as a has expired", got)
	}
	wantTaken(t, s, "g", "")
}

func bounded(t *testing.T, s approve.Requests) {
	text := bytes.Repeat([]byte("x"), 1<<20)
	for i := range 64 {
		_, err := s.Open(context.Background(), approve.Kept{ID: fmt.Sprint(i), Text: text, Keep: time.Minute})
		if errors.Is(err, approve.ErrFull) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Error("got 64 MiB kept, want ErrFull")
}

func takenOnce(t *testing.T, s approve.Requests) {
	wantTaken(t, s, "a", "")
	open(t, s, "1", "", "open", time.Minute)
	change(t, s, approve.Kept{ID: "1", Revision: 2, Text: []byte("x")}, lasting("a", "first"))
	change(t, s, approve.Kept{ID: "1", Revision: 3, Text: []byte("x")}, lasting("a", "id\nby Ann"))
	change(t, s, approve.Kept{ID: "1", Revision: 4, Text: []byte("x")}, lasting("b", "another"))
	wantTaken(t, s, "a", "id\nby Ann")
	wantTaken(t, s, "a", "")
	wantTaken(t, s, "b", "another")
}

func grantsWithChanges(t *testing.T, s approve.Requests) {
	open(t, s, "1", "", "open", time.Minute)
	if change(t, s, approve.Kept{ID: "1", Revision: 5, Text: []byte("x")}, lasting("a", "grant")) {
		t.Error("got a change, want none")
	}
	wantTaken(t, s, "a", "")
}

func concurrent(t *testing.T, s approve.Requests) {
	var opened, changed, taken atomic.Int64
	var wg sync.WaitGroup
	ctx := context.Background()
	for i := range 20 {
		wg.Go(func() {
			id, err := s.Open(ctx, approve.Kept{ID: fmt.Sprint(i), Call: "call", Text: []byte("open"), Keep: time.Minute})
			if err != nil {
				t.Error(err)
			}
			if id == fmt.Sprint(i) {
				opened.Add(1)
			}
			ok, err := s.Change(ctx, approve.Kept{ID: id, Revision: 2, Call: "call", Text: []byte("changed"), Keep: time.Minute},
				lasting("call", "grant"))
			if err != nil {
				t.Error(err)
			}
			if ok {
				changed.Add(1)
			}
			_, ok, err = s.Take(ctx, "call")
			if err != nil {
				t.Error(err)
			}
			if ok {
				taken.Add(1)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 1 || changed.Load() != 1 || taken.Load() != 1 {
		t.Errorf("got %d opened, %d changed, %d taken, want each once", opened.Load(), changed.Load(), taken.Load())
	}
}

func over(t *testing.T, s approve.Requests) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, openErr := s.Open(ctx, approve.Kept{ID: "a", Keep: time.Minute})
	_, changeErr := s.Change(ctx, approve.Kept{ID: "a", Revision: 2, Keep: time.Minute}, nil)
	_, readErr := s.Read(ctx, nil)
	_, _, takeErr := s.Take(ctx, "a")
	for i, err := range []error{openErr, changeErr, readErr, takeErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: got %v, want the context's error", i, err)
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// callIn ends a call of a session at a time.
func callIn(r *Recorder, s toolkit.Session, at time.Time) {
	e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: &toolkit.Definition{Name: "read"}, Session: &s}, Start: at, End: at}
	e.Disposition.Repeat = 1
	r.End(r.Begin(context.Background(), e.Call, &e.Info), e)
}

func TestForget(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	now := time.Now()
	a, b := toolkit.Session{ID: "s", Tenant: "a"}, toolkit.Session{ID: "s", Tenant: "b"}
	for range 3 {
		callIn(r, a, now)
		callIn(r, b, now)
	}
	callIn(r, toolkit.Session{Conversation: "talk"}, now)
	for _, c := range []struct {
		name     string
		session  toolkit.Session
		removed  int
		sessions int
	}{
		{"no id", toolkit.Session{}, 0, 3},
		{"another tenant's", toolkit.Session{ID: "s"}, 0, 3},
		{"its own", a, 3, 2},
		{"it is gone", a, 0, 2},
		{"by conversation", toolkit.Session{ID: "talk"}, 1, 1},
	} {
		if got := r.Forget(c.session); got != c.removed {
			t.Errorf("%s: got %d calls removed, want %d", c.name, got, c.removed)
		}
		if got := len(r.Sessions(0)); got != c.sessions {
			t.Errorf("%s: got %d sessions left, want %d", c.name, got, c.sessions)
		}
		if got := len(r.Loops()); got != c.sessions {
			t.Errorf("%s: got %d loops left, want %d", c.name, got, c.sessions)
		}
	}
	if got := r.Recent(Filter{}); len(got) != 3 || got[0].Session != "s" {
		t.Errorf("got %+v, want the three calls of the other tenant", got)
	}
	if s := r.Snapshot(Window{}).Tool("read"); s.Calls() != 7 {
		t.Errorf("got %d calls counted, want all 7: histograms hold no sessions", s.Calls())
	}
	callIn(r, a, now)
	if got := len(r.Sessions(0)); got != 2 {
		t.Errorf("got %d sessions after a call of the forgotten one, want 2", got)
	}
}

// Sessions are forgotten while others come and go.
func TestForgetBesideCalls(t *testing.T) {
	r, err := New(Options{MaxSessions: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	now := time.Now()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for j := range 500 {
				s := toolkit.Session{ID: string(rune('a' + (i*7+j)%26))}
				callIn(r, s, now)
				r.Forget(s)
			}
		})
	}
	wg.Wait()
	if got := r.Snapshot(Window{}).Tool("read"); got.Calls() != 1500 {
		t.Errorf("got %d calls, want 1500", got.Calls())
	}
}

func TestWithRecentAge(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	r, err := New(Options{RecentAge: time.Hour, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	callIn(r, toolkit.Session{ID: "old"}, now)
	now = now.Add(59 * time.Minute)
	callIn(r, toolkit.Session{ID: "new"}, now)
	if got := len(r.Recent(Filter{})); got != 2 {
		t.Errorf("got %d recent calls after 59 minutes, want 2", got)
	}
	now = now.Add(2 * time.Minute)
	if calls, sessions, loops := r.Recent(Filter{}), r.Sessions(0), r.Loops(); len(calls) != 1 || len(sessions) != 1 ||
		len(loops) != 1 || calls[0].Session != "new" {
		t.Errorf("got calls %+v, sessions %+v, loops %+v after 61 minutes, want those of the new session", calls, sessions, loops)
	}
	if _, err := New(Options{RecentAge: time.Second}); err == nil {
		t.Error("RecentAge: 1s: got no error, want one")
	}
}

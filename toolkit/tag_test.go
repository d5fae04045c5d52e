// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/counters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestTagsAreToldInOrderAndBounded(t *testing.T) {
	var kept toolkit.Record
	e := recorded(t, t.Context(), func(r toolkit.Record) {
		kept = r
		if !r.Tag("cache", "miss") || !r.Tag("loop.kind", strings.Repeat("é", 200)) {
			t.Error("Tag: got false, want true")
		}
		fork := r.Fork()
		fork.Tag("fork", "yes")
		r.Join(fork)
		if got := r.Disposition().Tags; len(got) != 3 {
			t.Errorf("got %v, want 3 tags", got)
		}
		for range 13 {
			r.Tag("more", "")
		}
		if r.Tag("beyond", "") {
			t.Error("a tag beyond the 16th was taken")
		}
	})
	tags := e.Disposition.Tags
	if len(tags) != 16 || tags[0] != (toolkit.Tag{Key: "cache", Value: "miss"}) ||
		tags[2] != (toolkit.Tag{Key: "fork", Value: "yes"}) {
		t.Errorf("got %v", tags)
	}
	if v := tags[1].Value; len(v) > 256 || !utf8.ValidString(v) {
		t.Errorf("got a value of %d bytes, valid: %t; want at most 256, valid", len(v), utf8.ValidString(v))
	}
	if kept.Tag("late", "") || (toolkit.Record{}).Tag("none", "") {
		t.Error("a tag was taken after the end, or without a record")
	}
	if again := recorded(t, t.Context(), func(toolkit.Record) {}); len(again.Disposition.Tags) != 0 {
		t.Errorf("the next call has tags %v", again.Disposition.Tags)
	}
}

// attempts notes the attempts it observes.
type attempts struct {
	funcs
	told []string
}

type attemptKey struct{}

func (a *attempts) BeginAttempt(
	ctx context.Context, call toolkit.Call, _ time.Time,
) (context.Context, func(toolkit.Result, error)) {
	a.told = append(a.told, "begin "+string('0'+rune(call.Attempt)))
	return context.WithValue(ctx, attemptKey{}, call.Attempt), func(_ toolkit.Result, err error) {
		a.told = append(a.told, "end "+toolkit.TypeOf(err))
	}
}

// badAttempts panics wherever it can.
type badAttempts struct{ funcs }

func (badAttempts) BeginAttempt(context.Context, toolkit.Call, time.Time) (context.Context, func(toolkit.Result, error)) {
	panic("begin")
}

func TestAttemptsAreToldToWhoAsks(t *testing.T) {
	var all tooltest.Recorder
	told := &attempts{}
	before := counters.ObserverPanics.Load()
	handler := toolkit.Observe(nil, &all, badAttempts{}, told)(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		for _, r := range []toolkit.Record{call.Record, call.Record.Fork()} {
			call.Attempt++
			inner, end := r.BeginAttempt(ctx, call, time.Time{})
			if inner.Value(attemptKey{}) != call.Attempt {
				t.Errorf("attempt %d does not go on with the observer's context", call.Attempt)
			}
			end(toolkit.Result{}, toolkit.ErrTimeout)
		}
		return toolkit.Result{}, nil
	})
	if _, err := handler(t.Context(), toolkit.Call{}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(told.told, ", "), "begin 1, end timeout, begin 2, end timeout"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := counters.ObserverPanics.Load() - before; n != 2 {
		t.Errorf("%d panics were counted, want 2", n)
	}
	ctx, end := (toolkit.Record{}).BeginAttempt(t.Context(), toolkit.Call{}, time.Time{})
	end(toolkit.Result{}, errors.New("x"))
	if ctx != t.Context() {
		t.Error("without a record the context changed")
	}
}

func TestTagsThatVary(t *testing.T) {
	for key, want := range map[string]bool{"approval.id": true, "validation.at": true, "approval.by": true,
		"truncate.bytes": true, "id": true, "cache": false, "loop.kind": false, "": false, "paid": false} {
		if got := (toolkit.Tag{Key: key}).Varies(); got != want {
			t.Errorf("%q: got %t", key, got)
		}
	}
}

// A list of tags that a policy shares between its calls is never written over by them.
func TestNoteCopiesListsOfTags(t *testing.T) {
	shared := append(
		make([]toolkit.Tag, 0, 8), toolkit.Tag{Key: "permission.decision", Value: "allow"},
		toolkit.Tag{Key: "permission.door", Value: "rules"},
	)
	for n := range 3 {
		e := recorded(t, t.Context(), func(r toolkit.Record) {
			if n > 0 {
				r.Tag("loop", "before")
			}
			r.Note(func(s *toolkit.Disposition) { s.Tags = shared })
			r.Tag("cache", "miss")
		})
		if got := e.Disposition.Tags; len(got) != 3 || got[0] != shared[0] || got[2] != (toolkit.Tag{Key: "cache", Value: "miss"}) {
			t.Errorf("call %d: got %v", n, got)
		}
	}
	if shared[0] != (toolkit.Tag{Key: "permission.decision", Value: "allow"}) || shared[1].Value != "rules" {
		t.Errorf("the policy's own list is %v", shared)
	}
}

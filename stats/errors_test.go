// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/toolkit"
)

func TestErrorsAreGrouped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "db"}
		for i := range 10 {
			record(r, call(tool, time.Millisecond, sampled(byte(i+1)),
				failing("tool_error", fmt.Sprintf("row %d of /tmp/f%d is locked", i, i))))
			time.Sleep(3 * time.Second)
		}
		record(r,
			call(tool, time.Millisecond, failing("timeout", "row 3 of /tmp/f is locked")), // another type
			call(tool, time.Millisecond, func(e *toolkit.Ended) {
				e.ErrorType, e.Ending, e.Panic = "panic", toolkit.EndingPanicked, errors.New("index 7 out of range")
			}),
			call(tool, time.Millisecond, func(e *toolkit.Ended) { e.ErrorType, e.Err = "tool_error", panickyError{} }),
		)
		s := r.Snapshot(Window{Last: time.Minute})
		if len(s.Errors) != 4 || s.OtherErrors != 0 || s.MaxUnlisted != 0 {
			t.Fatalf("got %d groups, %d others, want 4 and none: %+v", len(s.Errors), s.OtherErrors, s.Errors)
		}
		g := s.Errors[0]
		if g.Message != "row <num> of <path> is locked" || g.Example != "row 0 of /tmp/f0 is locked" || g.Count != 10 ||
			g.CountMax != 10 {
			t.Errorf("got %+v", g)
		}
		if g.LastSeen.Sub(g.FirstSeen) != 27*time.Second {
			t.Errorf("first and last seen: got %v apart, want 27 s", g.LastSeen.Sub(g.FirstSeen))
		}
		if len(g.TraceIDs) != errorgroups.MaxTraces || !strings.HasPrefix(g.TraceIDs[0], "0a00") ||
			!strings.HasPrefix(g.TraceIDs[4], "0600") {
			t.Errorf("got traces %v, want the latest five", g.TraceIDs)
		}
		sum := uint64(0)
		for _, n := range g.Trend {
			sum += n
		}
		if len(g.Trend) != trendParts || sum != g.Count {
			t.Errorf("got trend %v, want %d parts with %d in all", g.Trend, trendParts, g.Count)
		}
	})
}

type panickyError struct{}

func (panickyError) Error() string { panic("no text") }

func TestHeavyHittersSurviveAFlood(t *testing.T) {
	r := newRecorder(t, Options{MaxErrorGroups: 64})
	tool := &toolkit.Definition{Name: "t"}
	const flood, each = 50_000 / raceSaving, 2_000 / raceSaving
	heavy := 0
	for i := range flood {
		record(r, call(tool, time.Millisecond, failing("tool_error", "noise "+word(i))))
		if i%(flood/each) == 0 {
			record(r, call(tool, time.Millisecond, failing("tool_error", "the disk is full")))
			heavy++
		}
	}
	s := r.Snapshot(Window{})
	g := s.Errors[0]
	if g.Message != "the disk is full" || g.Count > uint64(heavy) || g.CountMax < uint64(heavy) {
		t.Errorf("got %q with %d to %d, want the frequent one with %d in between", g.Message, g.Count, g.CountMax, heavy)
	}
	if len(s.Errors) > 64 {
		t.Errorf("got %d groups, want at most 64", len(s.Errors))
	}
	listed := s.OtherErrors
	for _, g := range s.Errors {
		listed += g.Count
	}
	if listed != flood+uint64(heavy) || s.MaxUnlisted == 0 {
		t.Errorf("got %d errors in all and %d unlisted at most, want %d", listed, s.MaxUnlisted, flood+heavy)
	}
}

// word is a text without digits that differs for each i.
func word(i int) string {
	b := []byte("qqqqqqqq")
	for at := range b {
		b[at] = byte('g' + i%16)
		i /= 16
	}
	return string(b)
}

func TestNoSecretIsStored(t *testing.T) {
	r := newRecorder(t)
	secret := "gh" + "p_" + strings.Repeat("aB3", 12)
	tool := &toolkit.Definition{Name: "t"}
	e := call(tool, time.Millisecond, failing("tool_error", "denied for token "+secret), in("session of "+secret, 1))
	e.Info.Session.Agent = "agent " + secret
	e.Disposition.Repeat = 1
	record(r, e)
	for name, v := range map[string]any{
		"recent": r.Recent(Filter{}), "snapshot": r.Snapshot(Window{}), "sessions": r.Sessions(0), "loops": r.Loops(),
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secret[8:]) {
			t.Errorf("%s holds the secret: %s", name, text)
		}
	}
	if got := r.Recent(Filter{})[0].Error; !strings.Contains(got, "REDACTED") {
		t.Errorf("got error text %q, want a mark of the redactor", got)
	}
}

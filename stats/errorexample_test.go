// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// An error group has a whole call to look at, however many calls ended since.
func TestErrorGroupsKeepAnExampleCall(t *testing.T) {
	r := newRecorder(t)
	tool := &toolkit.Definition{Name: "search"}
	for i := range 3 {
		record(r, call(tool, time.Millisecond, failing("timeout", fmt.Sprint("page of ", i, " is slow")), in("s", 1)))
	}
	record(r, call(tool, time.Millisecond, failing("tool_error", "no such index"), in("t", 2)))
	for range 20_000 {
		record(r, call(tool, time.Millisecond))
	}
	groups := r.Summary(Window{}).Errors
	if len(groups) != 2 {
		t.Fatalf("got %d groups, want 2", len(groups))
	}
	for _, g := range groups {
		calls := r.Recent(Filter{ErrorGroup: g.ID})
		if len(calls) != 1 || calls[0].Error == "" || calls[0].Session == "" || calls[0].Turn == 0 {
			t.Fatalf("%s: got %+v, want one whole call", g.Message, calls)
		}
		if c, ok := r.Call(calls[0].ID); !ok || c.ErrorGroup != g.ID {
			t.Errorf("%s: got %+v, %v by its ID", g.Message, c, ok)
		}
	}
	if all := r.Recent(Filter{ErrorsOnly: true}); len(all) != 2 || all[0].ID < all[1].ID {
		t.Errorf("got %+v, want both failed calls, the latest first", all)
	}
	if n := r.Forget(toolkit.Session{ID: "s"}); n != 1 {
		t.Errorf("Forget: got %d calls, want the example", n)
	}
	if all := r.Recent(Filter{ErrorsOnly: true}); len(all) != 1 || all[0].Session != "t" {
		t.Errorf("after Forget: got %+v", all)
	}
}

// A sampled call stays the example of its group until another sampled call fails.
func TestErrorExamplesHaveATrace(t *testing.T) {
	r := newRecorder(t, Options{MaxRecent: 1})
	tool := &toolkit.Definition{Name: "search"}
	record(r, call(tool, time.Millisecond, failing("timeout", "slow"), sampled(7)))
	record(r, call(tool, time.Millisecond, failing("timeout", "slow")), call(tool, time.Millisecond))
	if all := r.Recent(Filter{ErrorsOnly: true}); len(all) != 1 || all[0].TraceID == "" {
		t.Errorf("got %+v, want the sampled call", all)
	}
}

func BenchmarkError(b *testing.B) {
	r := newRecorder(b)
	e := call(&toolkit.Definition{Name: "search"}, time.Millisecond, failing("timeout", "page 7 of 12 is slow"))
	b.ReportAllocs()
	for b.Loop() {
		record(r, e)
	}
}

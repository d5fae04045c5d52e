// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"reflect"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// TestUsualCallLeavesNothingOfTheOneBefore: a usual call writes less than others do, and what
// one of those left in its place is gone, from answers and from memory.
func TestUsualCallLeavesNothingOfTheOneBefore(t *testing.T) {
	tool := &toolkit.Definition{Name: "search"}
	usual := call(tool, time.Millisecond)
	for name, change := range map[string]func(*toolkit.Ended){
		"failed":   failing("timeout", "deadline"),
		"hit":      with(toolkit.OutcomeCacheHit),
		"attempts": func(e *toolkit.Ended) { e.Disposition.Attempts = 2 },
		"repeat":   func(e *toolkit.Ended) { e.Disposition.Repeat = 3 },
		"origin": func(e *toolkit.Ended) {
			e.Disposition.Origin = toolkit.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{2}}
		},
		"age":        func(e *toolkit.Ended) { e.Disposition.Age = time.Second },
		"queue":      func(e *toolkit.Ended) { e.Disposition.Queue = time.Second },
		"approval":   func(e *toolkit.Ended) { e.Disposition.Approval = time.Second },
		"backoff":    func(e *toolkit.Ended) { e.Disposition.Backoff = time.Second },
		"tags":       func(e *toolkit.Ended) { e.Disposition.Tags = []toolkit.Tag{{Key: "permit.rule", Value: "r1"}} },
		"suspended":  func(e *toolkit.Ended) { e.Result.Suspended = true },
		"in session": in("s1", 4),
		"panicked":   func(e *toolkit.Ended) { e.Ending, e.ErrorType = toolkit.EndingPanicked, "panic" },
	} {
		t.Run(name, func(t *testing.T) {
			r, alone := newRecorder(t, Options{MaxRecent: 1}), newRecorder(t, Options{MaxRecent: 1})
			record(alone, usual)
			record(r, call(tool, time.Millisecond, change))
			before := r.Recent(Filter{})[0]
			record(r, usual)
			got, want := r.Recent(Filter{})[0], alone.Recent(Filter{})[0]
			got.ID = want.ID
			before.ID, before.Time = want.ID, want.Time
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if reflect.DeepEqual(before, want) {
				t.Errorf("got %+v, want all that the call has", before)
			}
			if c := &r.recent.places[0].call; c.unusual || !reflect.DeepEqual(c.more, recentMore{}) {
				t.Errorf("the place still holds %+v", c.more)
			}
		})
	}
}

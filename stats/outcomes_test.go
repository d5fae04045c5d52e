// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// TestEachOutcomeIsCountedAsItself: one call of each outcome is counted in one place each: by the
// recorder, in a summary, by session, and in a snapshot that was written and read.
func TestEachOutcomeIsCountedAsItself(t *testing.T) {
	for _, o := range toolkit.Outcomes() {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "a"}
		record(r, call(tool, time.Millisecond, in("s", 1), func(e *toolkit.Ended) { e.Disposition.Outcome = o }))
		s := r.Snapshot(Window{})
		d := decoder{rest: appendTools(nil, s.Tools)}
		for name, x := range map[string]*ToolSnapshot{
			"recorder": s.Tool("a"), "codec": &d.tools()[0], "merge": Merge(s, &Snapshot{}).Tool("a"),
		} {
			for _, other := range toolkit.Outcomes() {
				want := uint64(0)
				if other == o {
					want = 1
				}
				if got := x.Outcome(other).Count(); got != want {
					t.Errorf("%s: %s: got %d calls with the outcome %s, want %d", name, o, got, other, want)
				}
			}
			if x.Calls() != 1 || x.Failed.Count() != 0 || x.Outcome(toolkit.Outcome(toolkit.OutcomeCount)) != nil {
				t.Errorf("%s: %s: got %d calls, %d failed, want one that did not", name, o, x.Calls(), x.Failed.Count())
			}
		}
		sum := r.Summary(Window{}).Overall
		for i, n := range sum.ByOutcome() {
			if want := toolkit.Outcome(i) == o; (n == 1) != want {
				t.Errorf("summary: %s: got %d calls with the outcome %s", o, n, toolkit.Outcome(i))
			}
		}
		if (sum.answered() == 1) != o.Answered() {
			t.Errorf("summary: %s: got %d answered", o, sum.answered())
		}
		for name, x := range map[string]SessionStats{"session": r.Sessions(0)[0]} {
			got := x.Refused
			if o == toolkit.OutcomeExecuted {
				got = x.Executed
			} else if o.Answered() {
				got = x.Answered
			}
			if x.Calls != 1 || got != 1 || x.Executed+x.Answered+x.Refused != 1 {
				t.Errorf("%s: %s: got %+v, want one call that was executed, answered or refused", name, o, x)
			}
		}
	}
}

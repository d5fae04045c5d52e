// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// TestEachOutcomeIsCountedAsItself: one call of each outcome is counted in one place each: by the
// recorder, in a summary, by session, in a snapshot that was written and read, and in a call log.
func TestEachOutcomeIsCountedAsItself(t *testing.T) {
	for _, o := range toolkit.Outcomes() {
		r, log := newRecorder(t), NewCallLog(nil)
		tool := &toolkit.Definition{Name: "a"}
		record(r, call(tool, time.Millisecond, in("s", 1), func(e *toolkit.Ended) { e.Disposition.Outcome = o }))
		line := fmt.Sprintf(`{"tool":"a","outcome":%q,"duration_us":5,"session":"s"}`, o.String())
		if err := log.Add([]byte(line)); err != nil {
			t.Errorf("%s: %v", o, err)
		}
		s := r.Snapshot(Window{})
		d := decoder{rest: appendTools(nil, s.Tools)}
		for name, x := range map[string]*ToolSnapshot{
			"recorder": s.Tool("a"), "codec": &d.tools()[0], "log": log.Snapshot().Tool("a"), "merge": Merge(s, &Snapshot{}).Tool("a"),
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
		if (sum.answered() == 1) != o.Answered() || (answerTexts[o] != "") != o.Answered() {
			t.Errorf("summary: %s: got %d answered, text %q", o, sum.answered(), answerTexts[o])
		}
		for name, x := range map[string]SessionStats{"session": r.Sessions()[0], "log": log.Sessions()[0]} {
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
		err := log.Add([]byte(`{"tool":"a","outcome":"lost","duration_us":5}`))
		if err == nil || !strings.Contains(err.Error(), o.String()) {
			t.Errorf("got %v, want an error that lists %s", err, o)
		}
	}
}

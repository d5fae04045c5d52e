// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package summary

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// The tables compare with the window of the same length before.
func TestStatsComparesWithTheWindowBefore(t *testing.T) {
	var before, now *stats.Snapshot
	synctest.Test(t, func(t *testing.T) {
		r, err := stats.New(stats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tool := &toolkit.Definition{Name: "read"}
		minute := func(calls int, run time.Duration, failing int) {
			for i := range calls {
				e := &toolkit.Ended{
					Info: toolkit.CallInfo{Tool: tool}, Disposition: toolkit.Disposition{Run: run},
					Start: time.Now(), End: time.Now().Add(run),
				}
				if i < failing {
					e.ErrorType = "timeout"
				}
				r.Begin(context.Background(), e.Call, &e.Info)
				r.End(context.Background(), e)
			}
			time.Sleep(time.Minute) // in the bubble of synctest: it takes no time
		}
		minute(10, 100*time.Millisecond, 0)
		minute(20, 150*time.Millisecond, 5)
		end := time.Now()
		before = r.Snapshot(stats.Window{Since: end.Add(-2 * time.Minute), Until: end.Add(-time.Minute)})
		now = r.Snapshot(stats.Window{Since: end.Add(-time.Minute)})
		_ = r.Close(context.Background())
	})
	v := &View{Snapshot: now, Before: before, Sort: "time"}
	var b strings.Builder
	v.Write(&b, "a program", screen.Paint{}, true)
	for _, want := range []string{"± against the window before", "▲ 100 %", "▲ 25.0 points", "▲ 50"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", b.String(), want)
		}
	}
	if p := v.Summary().Tools[0].Previous; p == nil || p.Calls != 10 {
		t.Errorf("as JSON: got %+v, want 10 calls before", p)
	}
	v.Tool = "another"
	if s := v.Summary(); len(s.Tools) != 0 || s.Overall.Previous != nil {
		t.Errorf("of another tool: got %+v, want nothing", s.Overall)
	}
}

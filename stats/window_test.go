// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

func TestWindowsForgetAndTotalDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "t"}
		count := func(w Window) uint64 { return r.Summary(w).Overall.Calls }
		record(r, call(tool, time.Millisecond))
		for _, c := range []struct {
			after time.Duration
			last  time.Duration
			want  uint64
		}{
			{30 * time.Second, time.Minute, 1},
			{45 * time.Second, time.Minute, 0}, // 75 s
			{0, 5 * time.Minute, 1},
			{5 * time.Minute, 5 * time.Minute, 0},
			{0, 15 * time.Minute, 1},
			{10 * time.Minute, 15 * time.Minute, 0}, // 16 min
			{0, time.Hour, 1},
			{time.Hour, time.Hour, 0},
			{0, 24 * time.Hour, 1},
			{25 * time.Hour, 24 * time.Hour, 0},
			{48 * time.Hour, 0, 1}, // the total, after the retention
		} {
			time.Sleep(c.after)
			if got := count(Window{Last: c.last}); got != c.want {
				t.Errorf("last %v: got %d calls, want %d", c.last, got, c.want)
			}
		}
	})
}

func TestIdleRecorderLabelsALateCallRightly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "t"}
		record(r, call(tool, time.Millisecond))
		time.Sleep(time.Hour)
		record(r, call(tool, time.Millisecond))
		time.Sleep(time.Minute / 2)
		if got := r.Summary(Window{Last: time.Minute}).Overall.Calls; got != 1 {
			t.Errorf("the last minute: got %d calls, want the one of half a minute ago", got)
		}
		since := time.Now().Add(-2 * time.Hour)
		if got := r.Summary(Window{Since: since, Until: time.Now().Add(-30 * time.Minute)}).Overall.Calls; got != 1 {
			t.Errorf("until half an hour ago: got %d calls, want the first one", got)
		}
		if parts := r.Intervals(Window{}); len(parts) != 2 || parts[0].To.After(parts[1].From) {
			t.Errorf("got intervals %+v, want two apart", parts)
		}
	})
}

func TestWindowIsComparedWithTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "t"}
		time.Sleep(time.Second)
		for range 6 {
			record(r, call(tool, 10*time.Millisecond))
			time.Sleep(10 * time.Second)
		}
		for range 6 {
			record(r, call(tool, 40*time.Millisecond), call(tool, 40*time.Millisecond, failing("timeout", "late")))
			time.Sleep(10 * time.Second)
		}
		s := r.Summary(Window{Last: time.Minute})
		p := s.Overall.Previous
		if p == nil || p.Calls < 5 || p.Calls > 6 || p.ErrorRate != 0 || p.P50Ms < 9.9 || p.P50Ms > 10.1 {
			t.Fatalf("previous: got %+v, want about six calls of 10 ms", p)
		}
		if s.Overall.ErrorRate < 0.4 || s.Overall.P50Ms < 39.9 {
			t.Errorf("got error rate %v and p50 %v ms, want about 0.5 and 40", s.Overall.ErrorRate, s.Overall.P50Ms)
		}
		if r.Summary(Window{}).Overall.Previous != nil {
			t.Error("the total is compared with something")
		}
	})
}

func TestRolledIntervalsLoseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tools := []*toolkit.Definition{{Name: "a", Cost: 2}, {Name: "b"}}
		time.Sleep(time.Second)
		const minutes = 4 * 60
		for i := range minutes * 6 {
			record(r, call(tools[i%2], time.Duration(i)*time.Millisecond, sampled(byte(1+i%200))),
				call(tools[0], time.Millisecond, failing("timeout", "late")))
			time.Sleep(10 * time.Second)
		}
		for _, w := range []Window{{}, {Last: 24 * time.Hour}} {
			s := r.Snapshot(w)
			a, b := s.Tool("a"), s.Tool("b")
			if a.Executed.Count() != minutes*9 || b.Executed.Count() != minutes*3 || a.Failed.Count() != minutes*6 {
				t.Errorf("%v: got %d, %d, %d calls, want %d, %d, %d", w, a.Executed.Count(), b.Executed.Count(), a.Failed.Count(),
					minutes*9, minutes*3, minutes*6)
			}
			if a.Cost != minutes*18 || a.BytesIn != minutes*90 || a.Errors() != minutes*6 {
				t.Errorf("%v: got cost %v, %d bytes, %d errors", w, a.Cost, a.BytesIn, a.Errors())
			}
			if len(s.Errors) != 1 || s.Errors[0].Count != minutes*6 || s.OtherErrors != 0 {
				t.Errorf("%v: got error groups %+v and %d others, want one of %d", w, s.Errors, s.OtherErrors, minutes*6)
			}
			if x := b.Exemplars; len(x) < maxSlowest || x[0].DurationMs != float64(minutes*6-1) {
				t.Errorf("%v: got exemplars %+v, want the slowest call first", w, x)
			}
		}
		if l := r.Limits(); l.Intervals > 96+6+125+10+30 {
			t.Errorf("got %d intervals for four hours, want them rolled up", l.Intervals)
		}
	})
}

func TestIntervalBytesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t, Options{MaxIntervalBytes: 64 << 10})
		tool := &toolkit.Definition{Name: "t"}
		n := 0
		for range 600 {
			for i := range 200 / raceSaving {
				record(r, call(tool, time.Duration(1+n*i)*time.Microsecond))
				n++
			}
			time.Sleep(10 * time.Second)
		}
		l := r.Limits()
		if l.IntervalBytes > l.MaxIntervalBytes {
			t.Errorf("got %d bytes of intervals, want at most %d", l.IntervalBytes, l.MaxIntervalBytes)
		}
		if got := r.Snapshot(Window{}).Tools[0].Executed.Count(); got != uint64(n) {
			t.Errorf("total: got %d calls, want all %d though old intervals were dropped", got, n)
		}
		s := r.Snapshot(Window{Last: 24 * time.Hour})
		if got := s.Tools[0].Executed.Count(); got >= uint64(n) || got == 0 {
			t.Errorf("24h: got %d calls of %d, want those kept", got, n)
		}
	})
}

func TestHostClock(t *testing.T) {
	now := time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	r := newRecorder(t, Options{Clock: func() time.Time { return now }})
	tool := &toolkit.Definition{Name: "t"}
	for range 100 {
		e := call(tool, time.Second)
		e.Start, e.End = now.Add(-time.Second), now
		record(r, e)
		now = now.Add(time.Minute)
	}
	if got := len(r.Intervals(Window{})); got != 100 {
		t.Errorf("got %d intervals, want one for each call", got)
	}
	if s := r.Snapshot(Window{Last: 10 * time.Minute}); s.Tools[0].Calls() != 10 {
		t.Errorf("last ten minutes: got %d calls, want 10", s.Tools[0].Calls())
	}
}

func TestParseWindow(t *testing.T) {
	for _, name := range WindowNames() {
		w, err := ParseWindow(name)
		if err != nil || w.String() != name || w.Validate() != nil {
			t.Errorf("%s: got %v, %v", name, w, err)
		}
	}
	for _, name := range []string{"", "2m", "1M", " 1m", strings.Repeat("x", 1<<20)} {
		if _, err := ParseWindow(name); err == nil || len(err.Error()) > 200 {
			t.Errorf("%.10q: got error %.300v, want a short one", name, err)
		}
	}
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, w := range []Window{
		{Last: -1}, {Last: 1, Since: day}, {Since: day, Until: day}, {Since: day, Until: day.Add(-1)},
	} {
		if w.Validate() == nil {
			t.Errorf("%+v: got no error", w)
		}
	}
	if got := (Window{Since: day}).String(); got != "2025-01-01T00:00:00Z/.." {
		t.Errorf("got %q", got)
	}
}

// TestWindowNamesAreDocumented: errors and docs/http.md list the windows of the table.
func TestWindowNamesAreDocumented(t *testing.T) {
	if _, err := ParseWindow("2m"); err == nil || !strings.HasSuffix(err.Error(), "want one of "+strings.Join(WindowNames(), ", ")) {
		t.Errorf("got %v, want an error that lists the names", err)
	}
	text, err := os.ReadFile(filepath.Join("..", "docs", "http.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "**Windows.** `window` is ")
	list, _, _ = strings.Cut(list, ". ")
	var got []string
	for i, part := range strings.Split(list, "`") {
		if i%2 == 1 {
			got = append(got, part)
		}
	}
	if !slices.Equal(got, WindowNames()) {
		t.Errorf("docs/http.md lists the windows %q, want %q", got, WindowNames())
	}
	if wanted, _ := json.Marshal(WindowNames()); !strings.Contains(string(text), `"wanted":`+string(wanted)) {
		t.Errorf("docs/http.md: the example of an error does not list %s", wanted)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

// mixed is a recorder that has seen a bit of everything.
func mixed(t testing.TB) *Recorder {
	r := newRecorder(t)
	a, b := &toolkit.Definition{Name: "a", Cost: 0.5}, &toolkit.Definition{Name: "b"}
	for i := range 100 {
		record(r,
			call(a, time.Duration(i)*time.Millisecond, sampled(byte(i+1)), in("s", i)),
			call(b, time.Duration(i)*time.Microsecond, with(toolkit.OutcomeCacheHit), told("cache", "hit")),
			call(b, time.Second, failing("timeout", "late"), told("timeout.abandoned", "true", "cache", "miss")),
			call(nil, 0, with(toolkit.OutcomeRefused), failing("unknown_tool", "who?")))
	}
	r.AddContent(a, 3, 4)
	return r
}

func TestSnapshotSurvivesJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mixed(t).Snapshot(Window{})
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadSnapshot(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, back) {
			t.Errorf("got  %+v\nwant %+v", back, s)
		}
		again, err := json.Marshal(back)
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("written again it differs (%v)", err)
		}
	})
}

func TestHistogramTextIsHdrHistograms(t *testing.T) {
	for _, digits := range []int{2, 3} {
		l, theirs := histogram.NewLive(digits, nil), hdrhistogram.New(histogram.Lowest, histogram.Highest, digits)
		for _, v := range logNormal(10_000) {
			l.Record(v)
			if err := theirs.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		ours, err := l.Read(false).MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		want, err := theirs.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil || !bytes.Equal(ours, want) {
			t.Errorf("%d digits: got another text than hdrhistogram-go (%v)", digits, err)
		}
		back := new(histogram.Histogram)
		if err := back.UnmarshalText(want); err != nil || !back.Equal(l.Read(false)) {
			t.Errorf("%d digits: read back it differs (%v)", digits, err)
		}
	}
	for name, h := range map[string]*hdrhistogram.Histogram{
		"other range": hdrhistogram.New(1, 1000, 3), "other precision": hdrhistogram.New(histogram.Lowest, histogram.Highest, 4),
	} {
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Histogram).UnmarshalText(text); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: got %v, want an error", name, err)
		}
	}
}

func TestMergeAndSub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := mixed(t)
		first := r.Snapshot(Window{})
		time.Sleep(time.Minute)
		a := &toolkit.Definition{Name: "a"}
		record(r, call(a, time.Second), call(a, time.Second, failing("timeout", "too late")))
		second := r.Snapshot(Window{})

		d := second.Sub(first)
		if len(d.Tools) != 1 || d.Tools[0].Calls() != 2 || d.Tools[0].Errors() != 1 || d.Tools[0].BytesIn != 20 || d.From != first.To {
			t.Errorf("the difference: got %+v, want two calls of a", d)
		}
		if len(d.Errors) != 1 || d.Errors[0].Message != "too late" || d.Errors[0].Count != 1 {
			t.Errorf("the difference's errors: got %+v", d.Errors)
		}
		m := Merge(first, nil, second)
		if m.Processes != 2 || m.Tool("a").Calls() != first.Tool("a").Calls()+second.Tool("a").Calls() {
			t.Errorf("the sum: got %+v", m)
		}
		if g := m.Errors[slices.IndexFunc(m.Errors,
			func(g ErrorGroup) bool { return g.Message == "late" })]; g.Count != 200 || g.CountMax != 200 {
			t.Errorf("the sum's group: got %+v, want 200", g)
		}
		if got := m.Sub(second).Tool("b"); !got.Executed.raw().Equal(first.Tool("b").Executed.raw()) ||
			got.BytesOut != first.Tool("b").BytesOut {
			t.Errorf("the sum less the second is not the first: %+v", got)
		}
		if e := Merge(); len(e.Tools) != 0 || e.Processes != 0 || Summarise(e, nil).Overall.Calls != 0 {
			t.Errorf("the sum of nothing: got %+v", e)
		}
	})
}

func TestMergeOfGroupsCountsWhatMayBeMissing(t *testing.T) {
	group := func(id string, n uint64) ErrorGroup { return ErrorGroup{ID: id, Count: n, CountMax: n} }
	a := &Snapshot{Processes: 1, Errors: []ErrorGroup{group("x", 10)}, MaxUnlisted: 3, OtherErrors: 5}
	b := &Snapshot{Processes: 1, Errors: []ErrorGroup{group("x", 1), group("y", 7)}, MaxUnlisted: 2}
	m := Merge(a, b)
	x, y := m.Errors[0], m.Errors[1]
	if x.Count != 11 || x.CountMax != 11 || y.Count != 7 || y.CountMax != 10 || m.MaxUnlisted != 5 || m.OtherErrors != 5 {
		t.Errorf("got %+v, want x 11, y 7 to 10, 5 unlisted", m)
	}
}

func TestMergeTakesTheCoarserPrecision(t *testing.T) {
	fine, coarse, want := histogram.NewLive(3, nil), histogram.NewLive(2, nil), histogram.NewLive(2, nil)
	for i, v := range logNormal(10_000) {
		want.Record(v)
		if i%2 == 0 {
			fine.Record(v)
		} else {
			coarse.Record(v)
		}
	}
	for _, m := range []*histogram.Histogram{histogram.Merge(fine.Read(false), coarse.Read(false)),
		histogram.Merge(coarse.Read(false), nil, fine.Read(false))} {
		if !m.Equal(want.Read(false)) {
			t.Error("the merge differs from what two digits would have recorded")
		}
	}
	if d := histogram.Merge(fine.Read(false), coarse.Read(false)).Sub(fine.Read(false)); !d.Equal(coarse.Read(false)) {
		t.Error("the difference is not the coarse histogram")
	}
}

func TestReadSnapshotRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "EOF"},
		{"no JSON", "<html>", "invalid"},
		{"another version", `{"version":2,"processes":1}`, "version: got 2, want 1"},
		{"no processes", `{"version":1}`, "processes: got 0"},
		{"more", `{"version":1,"processes":1} {}`, "more after"},
		{"a negative count", `{"version":1,"processes":1,"tools":[{"tool":"a","bytes_in":-1}]}`, "bytes_in"},
		{"no name", `{"version":1,"processes":1,"tools":[{}]}`, "tools[0].tool"},
		{"a name twice", `{"version":1,"processes":1,"tools":[{"tool":"a"},{"tool":"a"}]}`, "tools[1].tool"},
		{"no histogram", `{"version":1,"processes":1,"tools":[{"tool":"a","executed_ns":"AAAA"}]}`, "histogram"},
		{"a negative cost", `{"version":1,"processes":1,"tools":[{"tool":"a","cost":-1}]}`, "tools[0].cost"},
		{"a trace id that is none", `{"version":1,"processes":1,"tools":[{"tool":"a","exemplars":[{"trace_id":"<b>"}]}]}`,
			"exemplars[0]"},
		{"a group id that is none", `{"version":1,"processes":1,"errors":[{"id":"x"}]}`, "errors[0].id"},
		{"time goes back", `{"version":1,"processes":1,"from":"2025-01-02T00:00:00Z","to":"2025-01-01T00:00:00Z"}`, "to: got"},
	} {
		_, err := ReadSnapshot(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "stats: snapshot") {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// FuzzReadSnapshot: no bytes make reading, merging, subtracting or summing up
// panic.
func FuzzReadSnapshot(f *testing.F) {
	r := newRecorder(f)
	record(r, call(&toolkit.Definition{Name: "a"}, time.Millisecond, sampled(1), failing("timeout", "late")))
	text, err := json.Marshal(r.Snapshot(Window{}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":1,"processes":1,"tools":[{"tool":"a","bytes_in":18446744073709551615}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadSnapshot(bytes.NewReader(b))
		if err != nil {
			return
		}
		m := Merge(s, s)
		if _, err := json.Marshal(Summarise(m, m.Sub(s))); err != nil {
			t.Error(err)
		}
	})
}

func TestHlogAndHgrm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "odd,name=x"}
		time.Sleep(time.Second) // off the boundaries of intervals
		for range 3 {
			record(r, call(tool, 20*time.Millisecond), call(tool, 40*time.Millisecond))
			time.Sleep(10 * time.Second)
		}
		var log bytes.Buffer
		if err := WriteHlog(&log, tool.Name, r.Intervals(Window{})...); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), "Tag=odd_name_x,") {
			t.Errorf("got %s, want a tag that can be read", log.String())
		}
		in := hdrhistogram.NewHistogramLogReader(&log)
		lines, values := 0, int64(0)
		for {
			h, err := in.NextIntervalHistogram()
			if err != nil {
				t.Fatal(err)
			}
			if h == nil {
				break
			}
			lines, values = lines+1, values+h.TotalCount()
			if h.EndTimeMs()-h.StartTimeMs() != 10_000 {
				t.Errorf("got an interval of %d ms, want 10 s", h.EndTimeMs()-h.StartTimeMs())
			}
		}
		if lines != 3 || values != 6 {
			t.Errorf("read back: got %d intervals with %d values, want 3 with 6", lines, values)
		}
		var table bytes.Buffer
		if err := r.Snapshot(Window{}).Tools[0].Executed.WriteHgrm(&table); err != nil {
			t.Fatal(err)
		}
		if out := table.String(); !strings.Contains(out, "Total count    =            6") || !strings.Contains(out, "20.0") {
			t.Errorf("got %s", out)
		}
		if err := (*Histogram)(nil).WriteHgrm(&table); err != nil {
			t.Errorf("an empty histogram: got %v", err)
		}
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
)

// histogramWith is a histogram of values.
func histogramWith(values ...time.Duration) *Histogram {
	b := histogram.NewBuilder(histogram.MaxDigits)
	defer b.Release()
	for _, v := range values {
		b.Record(histogram.Clamp(v))
	}
	return (*Histogram)(b.Histogram())
}

// checkSVG checks that a picture is XML with a name, without a number that is none.
func checkSVG(t *testing.T, picture template.HTML) (elements map[string]int) {
	t.Helper()
	text := string(picture)
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "e+") || !strings.Contains(text, "<title>") {
		t.Errorf("got %.300s", text)
	}
	elements = make(map[string]int)
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return elements
		}
		if err != nil {
			t.Fatalf("%v in %.300s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
}

func TestScaleCountsAll(t *testing.T) {
	values := logNormal(1000)
	durations := make([]time.Duration, len(values))
	for i, v := range values {
		durations[i] = time.Duration(v)
	}
	h := histogramWith(durations...)
	for _, s := range []logScale{newLogScale(h.Min(), h.Max()), newLogScale(time.Hour, time.Hour), newLogScale(0, 0), newLogScale(time.Second, 2*time.Second)} {
		sum := uint64(0)
		for _, n := range s.counts(h, 40) {
			sum += n
		}
		if sum != h.Count() {
			t.Errorf("%+v: got %d of %d values", s, sum, h.Count())
		}
		if s.high-s.low < 1 {
			t.Errorf("%+v: want a decade at least", s)
		}
	}
}

func TestScaleAndItsTicks(t *testing.T) {
	s := newLogScale(time.Microsecond, 100*time.Second)
	for _, d := range []time.Duration{time.Microsecond, time.Millisecond, 100 * time.Second} {
		if got := s.value(s.at(d)); math.Abs(float64(got)/float64(d)-1) > 1e-6 {
			t.Errorf("%v: came back as %v", d, got)
		}
	}
	if s.at(0) != 0 || s.at(time.Hour) != 1 {
		t.Errorf("beyond the ends: got %v and %v, want 0 and 1", s.at(0), s.at(time.Hour))
	}
	var labels []string
	for _, x := range s.decades() {
		labels = append(labels, x.Label)
	}
	if got := strings.Join(labels, " | "); got != "1 µs | 10 µs | 100 µs | 1 ms | 10 ms | 100 ms | 1 s | 10 s | 100 s" {
		t.Errorf("got %s", got)
	}
}

func TestPlots(t *testing.T) {
	h := histogramWith(time.Millisecond, 2*time.Millisecond, 2*time.Millisecond, time.Second)
	axis := newLogScale(h.Min(), h.Max())
	if got := checkSVG(t, plotDistribution(h, axis)); got["rect"] != 3 {
		t.Errorf("distribution: got %v, want three bars", got)
	}
	if plotDistribution(nil, axis) != "" {
		t.Error("distribution of nothing: want none")
	}
	checkSVG(t, plotAxis(axis))
	checkSVG(t, plotShare(math.NaN()))
	checkSVG(t, plotShare(7))
	checkSVG(t, plotTrend([]float64{1, 2, 3}, []float64{0, 1, 0}, "a & b <c>\x1b"))
	checkSVG(t, plotTrend([]float64{0}, []float64{0}, "zero"))
	if plotTrend(nil, nil, "") != "" {
		t.Error("trend of nothing: want none")
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	columns := []heatColumn{{begin, begin.Add(time.Minute), h}, {begin.Add(time.Minute), begin.Add(2 * time.Minute), nil}, {begin.Add(2 * time.Minute), begin.Add(3 * time.Minute), h}}
	m := plotHeat(columns, axis, "heat")
	if got := checkSVG(t, m.Picture); got["path"] < 3 || got["rect"] != 3 {
		t.Errorf("heat map: got %v", got)
	}
	checkSVG(t, m.Y)
	if !slices.Equal(m.X, []string{"00:00:00", "00:00:45", "00:01:30", "00:02:15", "00:03:00"}) {
		t.Errorf("times: got %q", m.X)
	}
	if !strings.Contains(string(m.Picture), "00:01:00: no calls") {
		t.Error("heat map: want an empty column to say so")
	}
}

// Each interval falls into the column of its time, whatever the window.
func TestTimeline(t *testing.T) {
	to := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct{ span, width time.Duration }{
		{time.Minute, 10 * time.Second}, {15 * time.Minute, 10 * time.Second}, {time.Hour, time.Minute},
		{2 * time.Hour, 2 * time.Minute}, {24 * time.Hour, 20 * time.Minute}, {0, 10 * time.Second},
	} {
		t.Run(c.span.String(), func(t *testing.T) {
			from := to.Add(-c.span)
			var intervals []*Snapshot
			for at := from.Truncate(c.width); !at.After(to); at = at.Add(c.width) {
				intervals = append(intervals, &Snapshot{From: at, To: at.Add(c.width), Tools: []ToolSnapshot{
					{Tool: "a", Histograms: Histograms{Executed: histogramWith(time.Second)}},
					{Tool: "b", Histograms: Histograms{Executed: histogramWith(time.Minute)}, ErrorTypes: []TypeCount{{"timeout", 1}}},
				}})
			}
			l := newTimeline(intervals, from, to, "a")
			if l.width != c.width || len(l.columns) > maxColumns+1 || len(l.columns) != len(intervals) {
				t.Fatalf("got %d columns of %v, want %d of %v", len(l.columns), l.width, len(intervals), c.width)
			}
			for i, x := range l.columns {
				if x.Executed.Count() != 1 || x.Executed.Max() > 2*time.Second {
					t.Errorf("column %d: got %d calls up to %v, want tool a's one", i, x.Executed.Count(), x.Executed.Max())
				}
				if all := l.lines[""]; all.calls[i] <= 0 || all.errors[i]*2 != all.calls[i] {
					t.Errorf("column %d: got %v calls and %v errors a second", i, all.calls[i], all.errors[i])
				}
			}
		})
	}
}

func TestWaterfall(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(1000+s), 0) }
	order := func(rows []waterRow) string {
		var list []string
		for _, r := range rows {
			list = append(list, fmt.Sprintf("%s%d", r.SpanID, r.Depth))
		}
		return strings.Join(list, " ")
	}
	for _, c := range []struct {
		name  string
		spans []SpanView
		want  string
	}{
		{"none", nil, ""},
		{"a tree, children by their start", []SpanView{
			{SpanID: "c", ParentID: "a", Start: at(2), End: at(3)}, {SpanID: "b", ParentID: "a", Start: at(1), End: at(2)},
			{SpanID: "d", ParentID: "b", Start: at(1), End: at(2)}, {SpanID: "a", Start: at(0), End: at(4)}}, "a0 b1 d2 c1"},
		{"parent that is not there", []SpanView{{SpanID: "b", ParentID: "x", Start: at(1)}, {SpanID: "a", Start: at(0)}}, "a0 b0"},
		{"a ring", []SpanView{{SpanID: "a", ParentID: "b", Start: at(0)}, {SpanID: "b", ParentID: "a", Start: at(1)}}, "b0 a1"},
		{"its own parent", []SpanView{{SpanID: "a", ParentID: "a", Start: at(0)}}, "a0"},
		{"the same id twice", []SpanView{{SpanID: "a", Start: at(0)}, {SpanID: "a", Start: at(1)}, {SpanID: "b", ParentID: "a", Start: at(2)}}, "a0 b1 a0"},
		{"no ids at all", []SpanView{{Start: at(0)}, {Start: at(1)}}, "0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, left := waterfall(c.spans, "a")
			if got := order(rows); got != c.want || left != 0 {
				t.Errorf("got %q and %d left out, want %q", got, left, c.want)
			}
			for _, r := range rows {
				checkSVG(t, r.Bar)
				if r.Here != (r.SpanID == "a") || r.Duration < 0 {
					t.Errorf("got %+v", r)
				}
			}
		})
	}
}

// A trace of any size and depth is drawn within bounds.
func TestWaterfallIsBounded(t *testing.T) {
	var chain, wide []SpanView
	for i := range 3 * maxSpans {
		s := SpanView{SpanID: fmt.Sprint(i), Start: time.Unix(int64(i), 0), End: time.Unix(0, 0)}
		wide = append(wide, s)
		s.ParentID = fmt.Sprint(i - 1)
		chain = append(chain, s)
	}
	for _, spans := range [][]SpanView{chain, wide} {
		rows, left := waterfall(spans, "")
		if len(rows) != maxWaterfall || left != len(spans)-maxWaterfall || rows[len(rows)-1].Depth > maxDepth {
			t.Errorf("got %d rows, %d left out, depth %d", len(rows), left, rows[len(rows)-1].Depth)
		}
	}
}

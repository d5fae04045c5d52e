// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package plot

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
)

// histogramOf is a histogram of values.
func histogramOf(values ...time.Duration) *stats.Histogram {
	b := histogram.NewBuilder(histogram.MaxDigits)
	defer b.Release()
	for _, v := range values {
		b.Record(histogram.Clamp(v))
	}
	return (*stats.Histogram)(b.Histogram())
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
	h := histogramOf(durations...)
	for _, s := range []Scale{NewScale(h.Min(), h.Max()), NewScale(time.Hour, time.Hour), NewScale(0, 0), NewScale(time.Second, 2*time.Second)} {
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
	s := NewScale(time.Microsecond, 100*time.Second)
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
	h := histogramOf(time.Millisecond, 2*time.Millisecond, 2*time.Millisecond, time.Second)
	axis := NewScale(h.Min(), h.Max())
	if got := checkSVG(t, Distribution(h, axis)); got["rect"] != 3 {
		t.Errorf("distribution: got %v, want three bars", got)
	}
	if Distribution(nil, axis) != "" {
		t.Error("distribution of nothing: want none")
	}
	checkSVG(t, Axis(axis))
	checkSVG(t, Share(math.NaN()))
	checkSVG(t, Share(7))
	checkSVG(t, Trend([]float64{1, 2, 3}, []float64{0, 1, 0}, "a & b <c>\x1b"))
	checkSVG(t, Trend([]float64{0}, []float64{0}, "zero"))
	if Trend(nil, nil, "") != "" {
		t.Error("trend of nothing: want none")
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	columns := []HeatColumn{{begin, begin.Add(time.Minute), h}, {begin.Add(time.Minute), begin.Add(2 * time.Minute), nil}, {begin.Add(2 * time.Minute), begin.Add(3 * time.Minute), h}}
	m := Heat(columns, axis, "heat")
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

func TestWaterfall(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(1000+s), 0) }
	order := func(rows []Row) string {
		var list []string
		for _, r := range rows {
			list = append(list, fmt.Sprintf("%s%d", r.SpanID, r.Depth))
		}
		return strings.Join(list, " ")
	}
	for _, c := range []struct {
		name  string
		spans []stats.SpanView
		want  string
	}{
		{"none", nil, ""},
		{"a tree, children by their start", []stats.SpanView{
			{SpanID: "c", ParentID: "a", Start: at(2), End: at(3)}, {SpanID: "b", ParentID: "a", Start: at(1), End: at(2)},
			{SpanID: "d", ParentID: "b", Start: at(1), End: at(2)}, {SpanID: "a", Start: at(0), End: at(4)}}, "a0 b1 d2 c1"},
		{"parent that is not there", []stats.SpanView{{SpanID: "b", ParentID: "x", Start: at(1)}, {SpanID: "a", Start: at(0)}}, "a0 b0"},
		{"a ring", []stats.SpanView{{SpanID: "a", ParentID: "b", Start: at(0)}, {SpanID: "b", ParentID: "a", Start: at(1)}}, "b0 a1"},
		{"its own parent", []stats.SpanView{{SpanID: "a", ParentID: "a", Start: at(0)}}, "a0"},
		{"the same id twice", []stats.SpanView{{SpanID: "a", Start: at(0)}, {SpanID: "a", Start: at(1)}, {SpanID: "b", ParentID: "a", Start: at(2)}}, "a0 b1 a0"},
		{"no ids at all", []stats.SpanView{{Start: at(0)}, {Start: at(1)}}, "0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, left := Waterfall(c.spans, "a")
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
	var chain, wide []stats.SpanView
	for i := range 3 * MaxSpans {
		s := stats.SpanView{SpanID: fmt.Sprint(i), Start: time.Unix(int64(i), 0), End: time.Unix(0, 0)}
		wide = append(wide, s)
		s.ParentID = fmt.Sprint(i - 1)
		chain = append(chain, s)
	}
	for _, spans := range [][]stats.SpanView{chain, wide} {
		rows, left := Waterfall(spans, "")
		if len(rows) != maxWaterfall || left != len(spans)-maxWaterfall || rows[len(rows)-1].Depth > maxDepth {
			t.Errorf("got %d rows, %d left out, depth %d", len(rows), left, rows[len(rows)-1].Depth)
		}
	}
}

// logNormal is like the latencies of a tool that asks another service: 20 ms in
// the middle, spread over several decades.
func logNormal(n int) []int64 {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]int64, n)
	for i := range out {
		out[i] = histogram.Clamp(time.Duration(20e6 * math.Exp(1.6*rng.NormFloat64())))
	}
	return out
}

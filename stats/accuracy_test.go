// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

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

// bimodal is a tool with a cache of its own: 88 µs or some ten seconds.
func bimodal(n int) []int64 {
	rng := rand.New(rand.NewPCG(3, 4))
	out := make([]int64, n)
	for i := range out {
		mean := 88e3
		if rng.Float64() < 0.3 {
			mean = 10e9
		}
		out[i] = histogram.Clamp(time.Duration(mean * (1 + 0.2*rng.NormFloat64())))
	}
	return out
}

// adversarial values lie at the edges of counters, where rounding is worst, over
// the whole range.
func adversarial(n int) []int64 {
	rng := rand.New(rand.NewPCG(5, 6))
	out := make([]int64, n)
	for i := range out {
		b := histogram.NewBuilder(histogram.MaxDigits)
		b.Record(histogram.Clamp(time.Duration(64 * math.Exp2(rng.Float64()*35))))
		for counter := range b.Histogram().Buckets() {
			out[i] = int64(counter.Low)
			if i%2 == 0 {
				out[i] = int64(min(counter.High, time.Duration(histogram.Highest)))
			}
		}
		b.Release()
	}
	return out
}

// tight values are all equal, at the worst place of a counter.
func tight(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = 1 << 23
	}
	return out
}

// sampledValues are values in the order they come in, and sorted. The tests share them and do not change them.
type sampledValues struct{ values, sorted []int64 }

func sampleOf(values func(int) []int64) func() sampledValues {
	return sync.OnceValue(func() sampledValues {
		s := sampledValues{values: values(sampleSize)}
		s.sorted = slices.Sorted(slices.Values(s.values))
		return s
	})
}

var samples = map[string]func() sampledValues{
	"lognormal": sampleOf(logNormal), "bimodal": sampleOf(bimodal),
	"adversarial": sampleOf(adversarial), "tight": sampleOf(tight),
}

var quantiles = []float64{0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1}

// checkQuantiles compares a histogram with the sorted values it was made of.
func checkQuantiles(t *testing.T, h *Histogram, sorted []int64) {
	t.Helper()
	if h.Count() != uint64(len(sorted)) {
		t.Fatalf("got %d values, want %d", h.Count(), len(sorted))
	}
	for _, q := range quantiles {
		rank := int(q*float64(len(sorted)) + 0.5) // as HdrHistogram has it
		exact := sorted[min(len(sorted), max(1, rank))-1]
		got := int64(h.Quantile(q))
		if off := abs(got - exact); off > 100 && float64(off) > 0.001*float64(exact) {
			t.Errorf("p%g: got %d ns, want %d: off by %.4f %%", q*100, got, exact, 100*float64(off)/float64(exact))
		}
	}
	sum := 0.0
	for _, v := range sorted {
		sum += float64(v)
	}
	if mean := sum / float64(len(sorted)); math.Abs(float64(h.Mean())-mean) > max(100, 0.001*mean) {
		t.Errorf("mean: got %v, want %v", h.Mean(), time.Duration(mean))
	}
}

func abs(n int64) int64 { return max(n, -n) }

func TestQuantilesAreExact(t *testing.T) {
	for name, sample := range samples {
		t.Run(name, func(t *testing.T) {
			s := sample()
			l, theirs := histogram.NewLive(3, nil), hdrhistogram.New(histogram.Lowest, histogram.Highest, 3)
			for _, v := range s.values {
				l.Record(v)
				if err := theirs.RecordValue(v); err != nil {
					t.Fatal(err)
				}
			}
			h := l.Read(true)
			checkQuantiles(t, (*Histogram)(h), s.sorted)
			for _, q := range quantiles[1:] {
				if got, want := int64(h.Quantile(q)), min(theirs.ValueAtQuantile(q*100), histogram.Highest); got != want {
					t.Errorf("p%g: got %d, hdrhistogram-go has %d", q*100, got, want)
				}
			}
			if l.Read(true) != nil {
				t.Error("a drained histogram still has values")
			}
		})
	}
}

func TestTwoDigitsAreWithin1Percent(t *testing.T) {
	l := histogram.NewLive(2, nil)
	for _, v := range logNormal(100_000) {
		l.Record(v)
	}
	values := logNormal(100_000)
	slices.Sort(values)
	h := l.Read(false)
	for _, q := range quantiles[1:9] {
		exact := values[int(math.Ceil(q*float64(len(values))))-1]
		if off := math.Abs(float64(int64(h.Quantile(q))-exact)) / float64(exact); off > 0.008 {
			t.Errorf("p%g is off by %.3f %%, want at most 0.8 %%", q*100, 100*off)
		}
	}
}

func TestMergeOf100SnapshotsIsOneHistogram(t *testing.T) {
	for name, sample := range samples {
		t.Run(name, func(t *testing.T) {
			s := sample()
			whole := histogram.NewLive(3, nil)
			snapshots := make([]*Snapshot, 100)
			for i := range snapshots {
				part := histogram.NewLive(3, nil)
				for _, v := range s.values[i*sampleSize/100 : (i+1)*sampleSize/100] {
					part.Record(v)
					whole.Record(v)
				}
				snapshots[i] = &Snapshot{Processes: 1,
					Tools: []ToolSnapshot{{Tool: "t", Histograms: Histograms{Executed: (*Histogram)(part.Read(false))}}}}
			}
			sum := Merge(snapshots...)
			if sum.Processes != 100 || !sum.Tools[0].Executed.raw().Equal(whole.Read(false)) {
				t.Error("the merged histogram differs from that of all values")
			}
			checkQuantiles(t, sum.Tools[0].Executed, s.sorted)
			rest := Merge(snapshots[:99]...)
			if got := sum.Sub(rest).Tools[0].Executed; !got.raw().Equal(snapshots[99].Tools[0].Executed.raw()) {
				t.Error("the sum less 99 of the snapshots is not the hundredth")
			}
		})
	}
}

func TestQuantilesOfEachWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "t"}
		values := samples["lognormal"]().values
		// Ten values in each second; of a million, 24 h are in the longest window.
		const perSecond = 10
		time.Sleep(time.Second / 2) // off the boundaries of intervals
		for i := 0; i < len(values); i += perSecond {
			for _, v := range values[i : i+perSecond] {
				r.tools.forDefinition(tool).executed.Record(v)
			}
			r.tools.forDefinition(tool).seen(time.Now().UnixNano())
			time.Sleep(time.Second)
		}
		for _, name := range WindowNames() {
			w, err := ParseWindow(name)
			if err != nil {
				t.Fatal(err)
			}
			s := r.Snapshot(w)
			covered := int(s.To.Sub(s.From).Seconds()) * perSecond
			n := int(s.Tools[0].Executed.Count())
			if n != covered {
				t.Errorf("%s: got %d values in %v, want %d", name, n, s.To.Sub(s.From), covered)
			}
			if w.Last > 0 && w.Last < time.Duration(sampleSize/perSecond)*time.Second &&
				(s.To.Sub(s.From) < w.Last || s.To.Sub(s.From) > w.Last+w.Last/5+time.Second) {
				t.Errorf("%s: covers %v", name, s.To.Sub(s.From))
			}
			checkQuantiles(t, s.Tools[0].Executed, slices.Sorted(slices.Values(values[len(values)-n:])))
		}
		l := r.Limits()
		if l.IntervalBytes > 1_300_000 {
			t.Errorf("all windows of one tool: got %d bytes, want at most 1.3 MB, as docs/performance-parts.md says", l.IntervalBytes)
		}
		t.Logf("one tool with ten calls a second for %d seconds: %d bytes in %d intervals, %d counted now",
			sampleSize/perSecond, l.IntervalBytes, l.Intervals, r.tools.forDefinition(tool).size())
	})
}

func TestRecordingAllocatesNothing(t *testing.T) {
	r := newRecorder(t)
	tool := &toolkit.Definition{Name: "t", Cost: 1}
	for name, e := range map[string]*toolkit.Ended{
		"plain":     call(tool, time.Millisecond),
		"session":   call(tool, time.Millisecond, in("s", 2)),
		"sampled":   call(tool, time.Millisecond, sampled(3)),
		"cache hit": call(tool, time.Microsecond, with(toolkit.OutcomeCacheHit)),
		"queued":    call(tool, time.Millisecond, func(e *toolkit.Ended) { e.Disposition.Queue = time.Second }),
		"unknown":   call(nil, time.Millisecond),
	} {
		record(r, e)
		if n := testing.AllocsPerRun(1000, func() { record(r, e) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, n)
		}
	}
	h := r.Snapshot(Window{}).Tools[0].Executed
	if n := testing.AllocsPerRun(100, func() { h.Quantile(0.99) }); n != 0 {
		t.Errorf("Quantile: got %v allocations, want 0", n)
	}
}

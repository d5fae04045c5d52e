// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

const benchValues = 1 << 16

// lockedHDR is what one would write without this package.
type lockedHDR struct {
	mu sync.Mutex
	h  *hdrhistogram.Histogram
}

func (l *lockedHDR) record(ns int64) {
	l.mu.Lock()
	_ = l.h.RecordValue(ns)
	l.mu.Unlock()
}

// BenchmarkRecord is one value into one tool's histogram, from one goroutine and from
// two: ours, and hdrhistogram-go's under a mutex, of the same range and precision.
func BenchmarkRecord(b *testing.B) {
	values := logNormal(benchValues)
	for _, digits := range []int{3, 2} {
		var spare atomic.Int64
		spare.Store(maxSpare)
		mine := histogram.NewLive(digits, &spare).Record
		locked := (&lockedHDR{h: hdrhistogram.New(histogram.Lowest, histogram.Highest, digits)}).record
		for _, v := range values {
			mine(v)
			locked(v)
		}
		serial := func(record func(int64)) func(int) {
			return func(n int) {
				for i := range n {
					record(values[i&(benchValues-1)])
				}
			}
		}
		parallel := func(record func(int64)) func(int) {
			return func(n int) {
				var both sync.WaitGroup
				for range 2 {
					both.Go(func() {
						from := rand.IntN(benchValues)
						for i := range n / 2 {
							record(values[(from+i)&(benchValues-1)])
						}
					})
				}
				both.Wait()
			}
		}
		pair{serial(locked), serial(mine)}.run(b, fmt.Sprintf("digits=%d/serial", digits))
		pair{parallel(locked), parallel(mine)}.run(b, fmt.Sprintf("digits=%d/parallel", digits))
	}
}

// BenchmarkCall is all that is done for one call, from Begin to End.
func BenchmarkCall(b *testing.B) {
	tool := &toolkit.Definition{Name: "search"}
	session := &toolkit.Session{ID: "3f0c7c62-53a9-4a2f-8c1e-6a8a9bb5a111", Agent: "agent", Turn: 3}
	for _, c := range []struct {
		name    string
		change  func(*toolkit.Ended)
		readers int
	}{
		{"plain", func(*toolkit.Ended) {}, 0},
		{"session", func(e *toolkit.Ended) { e.Info.Session = session }, 0},
		{"session+sampled", func(e *toolkit.Ended) { e.Info.Session = session; sampled(1)(e) }, 0},
		{"error", failing("tool_error", `row 17 of "orders" is locked by 10.0.0.7:5432`), 0},
		{"plain+2readers", func(*toolkit.Ended) {}, 2},
	} {
		run := func(b *testing.B, body func(r *Recorder, e toolkit.Ended)) {
			r := newRecorder(b)
			e := call(tool, 20*time.Millisecond, c.change)
			record(r, e)
			stop := make(chan struct{})
			var readers sync.WaitGroup
			for range c.readers {
				readers.Go(func() {
					for {
						select {
						case <-stop:
							return
						case <-time.After(5 * time.Millisecond):
							r.Summary(Window{Last: time.Minute})
						}
					}
				})
			}
			b.ReportAllocs()
			b.ResetTimer()
			body(r, *e)
			close(stop)
			readers.Wait()
		}
		b.Run(c.name+"/serial", func(b *testing.B) {
			run(b, func(r *Recorder, e toolkit.Ended) {
				ctx := context.Background()
				for b.Loop() {
					r.Begin(ctx, e.Call, &e.Info)
					r.End(ctx, &e)
				}
			})
		})
		b.Run(c.name+"/parallel", func(b *testing.B) {
			run(b, func(r *Recorder, e toolkit.Ended) {
				b.RunParallel(func(pb *testing.PB) {
					e, ctx := e, context.Background()
					for pb.Next() {
						r.Begin(ctx, e.Call, &e.Info)
						r.End(ctx, &e)
					}
				})
			})
		})
	}
}

// BenchmarkQuantiles is p50, p95 and p99: of a histogram at hand, and of a window as it
// is kept, which has to be decoded first.
func BenchmarkQuantiles(b *testing.B) {
	for _, digits := range []int{3, 2} {
		l, h := histogram.NewLive(digits, nil), hdrhistogram.New(histogram.Lowest, histogram.Highest, digits)
		for _, v := range logNormal(benchValues) {
			l.Record(v)
			_ = h.RecordValue(v)
		}
		mine := l.Read(false)
		quantiles := []float64{50, 95, 99}
		pair{
			func(n int) {
				for range n {
					h.ValueAtPercentilesSlice(quantiles)
				}
			},
			func(n int) {
				for range n {
					_, _, _ = mine.Quantile(0.5), mine.Quantile(0.95), mine.Quantile(0.99)
				}
			},
		}.run(b, fmt.Sprintf("digits=%d", digits))
		packed, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			b.Fatal(err)
		}
		kept := histogram.Append(nil, mine)
		pair{
			func(n int) {
				for range n {
					h, err := hdrhistogram.Decode(packed)
					if err != nil {
						b.Fatal(err)
					}
					h.ValueAtPercentilesSlice(quantiles)
				}
			},
			func(n int) {
				for range n {
					d := decoder{rest: kept}
					h := d.histogram()
					_, _, _ = h.Quantile(0.5), h.Quantile(0.95), h.Quantile(0.99)
				}
			},
		}.run(b, fmt.Sprintf("digits=%d/sealed", digits))
	}
}

// BenchmarkMerge100 is the merge of 100 histograms of 10,000 values each: alone, and
// as the snapshots of 100 processes with one tool each, errors and exemplars
// included.
func BenchmarkMerge100(b *testing.B) {
	for _, digits := range []int{3, 2} {
		mine := make([]*histogram.Histogram, 100)
		theirs := make([]*hdrhistogram.Histogram, 100)
		snapshots := make([]*Snapshot, 100)
		values := logNormal(1_000_000)
		tool := &toolkit.Definition{Name: "search"}
		for i := range mine {
			l, h := histogram.NewLive(digits, nil), hdrhistogram.New(histogram.Lowest, histogram.Highest, digits)
			r := newRecorder(b, Options{Digits: digits})
			for k, v := range values[i*10_000 : (i+1)*10_000] {
				l.Record(v)
				_ = h.RecordValue(v)
				e := call(tool, time.Duration(v), sampled(byte(k)))
				if k%1000 == 0 {
					failing("timeout", "no answer after 3s")(e)
				}
				record(r, e)
			}
			mine[i], theirs[i], snapshots[i] = l.Read(false), h, r.Snapshot(Window{})
		}
		merge := func(n int) {
			for range n {
				sum := hdrhistogram.New(histogram.Lowest, histogram.Highest, digits)
				for _, h := range theirs {
					sum.Merge(h)
				}
			}
		}
		pair{merge, func(n int) {
			for range n {
				histogram.Merge(mine...)
			}
		}}.run(b, fmt.Sprintf("digits=%d/histograms", digits))
		pair{merge, func(n int) {
			for range n {
				Merge(snapshots...)
			}
		}}.run(b, fmt.Sprintf("digits=%d/snapshots", digits))
	}
}

// recorded is a recorder with the calls of two hours of a number of tools.
func recorded(b *testing.B, tools int) *Recorder {
	now := time.Now().Add(-2 * time.Hour)
	r := newRecorder(b, Options{Clock: func() time.Time { return now }})
	values := logNormal(benchValues)
	definitions := make([]toolkit.Definition, tools)
	for i := range definitions {
		definitions[i].Name = fmt.Sprint("tool", i)
	}
	for i := range 720 {
		for d := range definitions {
			for j := range 20 {
				e := call(&definitions[d], time.Duration(values[(i*20+j)%benchValues]), sampled(byte(1+j)))
				e.Start, e.End = now, now
				record(r, e)
			}
		}
		now = now.Add(10 * time.Second)
	}
	return r
}

// BenchmarkSummary is what a page of the dashboard costs: ten tools with two calls
// a second each, for two hours.
func BenchmarkSummary(b *testing.B) {
	r := recorded(b, 10)
	for _, name := range []string{"1m", "15m", "1h", "total"} {
		w, err := ParseWindow(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Summary(w)
			}
		})
	}
}

// BenchmarkSeal is the end of an interval in which each of ten tools had twenty
// calls.
func BenchmarkSeal(b *testing.B) {
	r := newRecorder(b)
	definitions := make([]toolkit.Definition, 10)
	values := logNormal(benchValues)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for d := range definitions {
			definitions[d].Name = fmt.Sprint("tool", d)
			for range 20 {
				n++
				record(r, call(&definitions[d], time.Duration(values[n%benchValues])))
			}
		}
		b.StartTimer()
		r.sealing.Lock()
		tools, _ := r.takeOpen(true)
		appendTools(nil, tools)
		r.sealing.Unlock()
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"slices"
	"testing"
	"time"
)

// A pair is hdrhistogram-go's way to do something and ours.
type pair struct{ theirs, ours func(n int) }

// run runs a benchmark of each, and one that interleaves both, a batch of a
// hundredth of a second at a time, so that what else the machine does spoils both alike, and
// starting two goroutines is none of it: it
// reports the median of this package's time divided by the other's as x-hdr.
func (p pair) run(b *testing.B, name string) {
	for _, side := range []struct {
		name string
		do   func(n int)
	}{{"hdr", p.theirs}, {"toolscope", p.ours}} {
		b.Run(name+"/"+side.name, func(b *testing.B) {
			b.ReportAllocs()
			side.do(b.N)
		})
	}
	b.Run(name+"/ratio", func(b *testing.B) {
		batch := p.batch()
		var ratios []float64
		for b.Loop() {
			theirs := clock(p.theirs, batch)
			ratios = append(ratios, float64(clock(p.ours, batch))/float64(max(1, theirs)))
		}
		slices.Sort(ratios)
		b.ReportMetric(0, "ns/op") // means nothing here
		b.ReportMetric(ratios[len(ratios)/2], "x-hdr")
	})
}

// batch is how often theirs can be done in a hundredth of a second, at least once.
func (p pair) batch() int {
	n := 1
	for clock(p.theirs, n) < 10*time.Millisecond && n < 1<<22 {
		n *= 2
	}
	return n
}

func clock(do func(n int), n int) time.Duration {
	begun := time.Now()
	do(n)
	return time.Since(begun)
}

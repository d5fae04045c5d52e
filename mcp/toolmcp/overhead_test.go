// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
)

// BenchmarkOverhead reports how many times as much an instrumented call takes as a bare one: of
// time (times, between times-low and times-high with 95 % confidence) and of bytes
// (byte-times). Bare against bare says what the measurement itself is worth.
//
// An iteration is a round of a few hundred calls, bare and instrumented, interleaved, ten at a time,
// so that whatever else the machine does meets both. There are several sessions of each, since
// two alike differ by a few percent for as long as they last. The process holds the heap that
// module bench measures with: without one the collector, which the SDK's buffers of 400 KB a
// call keep busy, is half the time.
func BenchmarkOverhead(b *testing.B) {
	ballast := make([]byte, 64<<20)
	defer runtime.KeepAlive(ballast)
	for _, transport := range []struct {
		name    string
		connect connecting
	}{{"memory", dial}, {"http", dialHTTP}} {
		for _, revision := range []string{legacy, stateless} {
			for _, name := range variants {
				b.Run(transport.name+"/"+revision+"/"+name, func(b *testing.B) {
					c := new(comparison)
					for range 4 {
						c.bare = append(c.bare, newCall(b, transport.connect, revision, "bare"))
						c.watched = append(c.watched, newCall(b, transport.connect, revision, name))
					}
					b.ResetTimer()
					for b.Loop() {
						c.round()
					}
					c.report(b)
				})
			}
		}
	}
}

// comparison measures two kinds of calls, interleaved.
type comparison struct {
	bare, watched []func()
	ratios        []float64 // of rounds
}

// round calls the next pair of sessions: bare, watched, watched, bare, and so on.
func (c *comparison) round() {
	n, turn := len(c.bare), len(c.ratios)
	bare, watched := c.bare[turn%n], c.watched[turn/n%n]
	var plain, more time.Duration
	for range 20 {
		plain += batch(bare)
		more += batch(watched) + batch(watched)
		plain += batch(bare)
	}
	c.ratios = append(c.ratios, float64(more)/float64(plain))
}

func batch(call func()) time.Duration {
	start := time.Now()
	for range 10 {
		call()
	}
	return time.Since(start)
}

// report gives the median of the rounds, and the interval in which that of all rounds that
// could be made lies, by the ranks that a median of so many has.
func (c *comparison) report(b *testing.B) {
	slices.Sort(c.ratios)
	n := len(c.ratios)
	spread := int(math.Ceil(1.96 * math.Sqrt(float64(n)) / 2))
	b.ReportMetric(c.ratios[n/2], "times")
	b.ReportMetric(c.ratios[max(0, n/2-spread)], "times-low")
	b.ReportMetric(c.ratios[min(n-1, n/2+spread)], "times-high")
	b.ReportMetric(float64(bytesOf(c.watched[0]))/float64(bytesOf(c.bare[0])), "byte-times")
}

// bytesOf is what some calls allocate.
func bytesOf(call func()) uint64 {
	const calls = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// Goroutines are how many goroutines calls are made from at once.
var Goroutines = []int{1, 2, 8, 64}

// Measure times call from a number of goroutines at once, and reports allocations and the
// processor time of the whole process for each call (cpu-ns/op), in which exporters and
// the garbage collector are included. ns/op is wall time over all goroutines.
func Measure(b *testing.B, goroutines int, call func()) {
	b.Helper()
	b.ReportAllocs()
	before := ProcessorTime()
	if goroutines == 1 {
		for b.Loop() {
			call()
		}
	} else {
		var all sync.WaitGroup
		b.ResetTimer()
		for g := range goroutines {
			share := b.N / goroutines
			if g < b.N%goroutines {
				share++
			}
			all.Go(func() {
				for range share {
					call()
				}
			})
		}
		all.Wait()
	}
	if used := ProcessorTime() - before; used > 0 {
		b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/op")
	}
}

// Warm makes spans until the heap has grown to where it stays, so that the first benchmark of
// a process is not the one that gets its memory from the system.
func Warm() {
	w, err := Find("hand").Wrap(Tool)
	if err != nil {
		panic(err) // it has no option that could be wrong
	}
	defer w.Close()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for enough := m.NumGC + 3; m.NumGC < enough; runtime.ReadMemStats(&m) {
		for range 10_000 {
			_, _ = w.Handler(w.Context, Call)
		}
	}
}

// Gap is the time between two calls of [MeasureApart]: an agent that makes ten thousand
// calls a second, which is more than agents do.
const Gap = 100 * time.Microsecond

// MeasureApart times single calls, one after each [Gap] of other work, and reports the
// calls' own time (call-ns/op). In a tight loop a goroutine that a call wakes is awake
// already; here it sleeps, as it does in a program.
func MeasureApart(b *testing.B, call func()) {
	b.Helper()
	b.ReportAllocs()
	var own time.Duration
	for b.Loop() {
		for begin := time.Now(); time.Since(begin) < Gap; {
		}
		begin := time.Now()
		call()
		own += time.Since(begin)
	}
	b.ReportMetric(float64(own.Nanoseconds())/float64(b.N), "call-ns/op")
}

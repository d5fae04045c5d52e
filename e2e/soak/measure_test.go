// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// A sample is the process at one moment.
type sample struct {
	at                         time.Duration // since the first
	calls                      float64       // made so far
	rss, heap, goroutines, fds float64
}

// measure takes samples until the context is done. The heap is what lives after a collection.
func measure(ctx context.Context, every time.Duration, calls func() int64) (list []sample) {
	begun := time.Now()
	for {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		list = append(
			list,
			sample{
				time.Since(begun), float64(calls()), residentBytes(), float64(m.HeapAlloc), float64(runtime.NumGoroutine()),
				openFiles(),
			},
		)
		select {
		case <-ctx.Done():
			return list
		case <-time.After(every):
		}
	}
}

// residentBytes and openFiles are what /proc says, 0 where there is none.
func residentBytes() float64 {
	text, _ := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseFloat(string(fields[1]), 64)
	return pages * float64(os.Getpagesize())
}

func openFiles() float64 {
	entries, _ := os.ReadDir("/proc/self/fd")
	return float64(len(entries))
}

// report prints what was measured and says what grows: whose median in the last third is above
// that in the second. The first third is left out: pools, windows and stores fill up in it.
func report(all []sample, length time.Duration) error {
	settled := slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return s.at < length/3 })
	if len(settled) < 6 {
		return fmt.Errorf("got %d samples after the first third, want 6 or more", len(settled))
	}
	const mib = 1 << 20
	var problems []error
	half := len(settled) / 2
	fmt.Printf("calls a second: %.0f in the second third, %.0f in the third\n", callRate(settled[:half]), callRate(settled[half:]))
	fmt.Printf("%-12s %10s %10s %12s %12s %14s\n", "", "least", "most", "2nd third", "3rd third", "slope a minute")
	for _, q := range []struct {
		name  string
		of    func(sample) float64
		unit  float64
		limit float64 // of what the median may grow by
	}{
		{"RSS, MiB", func(s sample) float64 { return s.rss }, mib, 12},
		{"heap, MiB", func(s sample) float64 { return s.heap }, mib, 6},
		{"goroutines", func(s sample) float64 { return s.goroutines }, 1, maxRunning / 4},
		{"files", func(s sample) float64 { return s.fds }, 1, 6},
	} {
		values := make([]float64, len(settled))
		for i, s := range settled {
			values[i] = q.of(s) / q.unit
		}
		early, late := median(values[:len(values)/2]), median(values[len(values)/2:])
		fmt.Printf(
			"%-12s %10.1f %10.1f %12.1f %12.1f %14.3f\n", q.name, slices.Min(values), slices.Max(values), early,
			late, slopePerMinute(settled, values),
		)
		if late-early > q.limit {
			problems = append(
				problems,
				fmt.Errorf("%s: grows from %.1f to %.1f, want at most %g more", q.name, early, late, q.limit),
			)
		}
	}
	return errors.Join(problems...)
}

// callRate is how many calls a second were made from the first sample to the last.
func callRate(all []sample) float64 {
	first, last := all[0], all[len(all)-1]
	return (last.calls - first.calls) / (last.at - first.at).Seconds()
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// slopePerMinute is the slope of the line that fits the values best (least squares).
func slopePerMinute(at []sample, values []float64) float64 {
	var x, y, xx, xy float64
	n := float64(len(values))
	for i, v := range values {
		t := at[i].at.Minutes()
		x, y, xx, xy = x+t, y+v, xx+t*t, xy+t*v
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// goroutinesAbove waits until no more goroutines are left than there were, for five seconds.
func goroutinesAbove(before int) int {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return 0
		}
	}
	return runtime.NumGoroutine() - before
}

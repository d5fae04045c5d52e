// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package redact

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processorTime is what this process has used of its processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// readTime is the processor time that work takes, in the mean of as many runs as take 4 ms.
func readTime(work func()) time.Duration {
	begin := processorTime()
	for n := time.Duration(1); ; n++ {
		work()
		if used := processorTime() - begin; used > 4*time.Millisecond {
			return used / n
		}
	}
}

// timesProse is how many times the processor time of prose work takes: the median of several readings in turns, of large
// texts one reading.
func timesProse(prose string, work func()) float64 {
	var ratios []float64
	for range max(1, 5-len(prose)>>20) {
		before := readTime(func() { Default().Text(prose) })
		each := readTime(work)
		after := readTime(func() { Default().Text(prose) })
		ratios = append(ratios, 2*float64(each)/float64(before+after))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// TestHostileCost prints how many times the processor time of prose of the same length hostile texts take, and which are
// above the goal of 20: make redact-hostile. JSONMax is for 4 KiB of them.
func TestHostileCost(t *testing.T) {
	if os.Getenv("TOOLSCOPE_REDACT_HOSTILE") == "" {
		t.Skip("make redact-hostile runs it")
	}
	for _, size := range reviewSizes() {
		prose := filled(prosePiece, size)
		ratios := make(map[string]float64)
		notes := make(map[string]string)
		for name, text := range hostileTexts(size) {
			ratios[name] = timesProse(prose, func() { Default().Text(text) })
			if out, _ := Default().Text(text); out == "[REDACTED:unscanned]" {
				notes[name] = "unscanned"
			}
			doc := []byte(object("text", text))
			ratios[name+", JSONMax"] = timesProse(prose, func() { Default().JSONMax(doc, 4<<10) })
		}
		var w strings.Builder
		above := 0
		for _, name := range slices.SortedFunc(maps.Keys(ratios), func(a, b string) int {
			return cmp.Compare(ratios[b], ratios[a])
		}) {
			if ratios[name] > 20 {
				above++
			}
			if ratios[name] > 10 {
				fmt.Fprintf(&w, "%-20s %6.1f %s\n", name, ratios[name], notes[name])
			}
		}
		t.Logf("%d KiB: prose %v, %d of %d above 20 times:\n%s", size>>10,
			readTime(func() { Default().Text(prose) }), above, len(ratios), w.String())
	}
}

// reviewSizes are the lengths to measure, in bytes.
func reviewSizes() (sizes []int) {
	for size := range strings.FieldsSeq(os.Getenv("TOOLSCOPE_REDACT_HOSTILE")) {
		n := 0
		fmt.Sscan(size, &n)
		sizes = append(sizes, n)
	}
	return sizes
}

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

// processorTimeOf is the processor time that a text takes, in the mean of as many readings as take 30 ms.
func processorTimeOf(text string) time.Duration {
	const enough = 30 * time.Millisecond
	begin := processorTime()
	for n := time.Duration(1); ; n++ {
		Default().Text(text)
		if used := processorTime() - begin; used > enough {
			return used / n
		}
	}
}

// TestHostileCost prints how many times the processor time of prose of the same length every piece of hostile takes, and which
// are above the goal of 20: make redact-hostile.
func TestHostileCost(t *testing.T) {
	if os.Getenv("TOOLSCOPE_REDACT_HOSTILE") == "" {
		t.Skip("make redact-hostile runs it")
	}
	for _, size := range reviewSizes() {
		prose := processorTimeOf(filled(prosePiece, size))
		ratios := make(map[string]float64)
		removed := make(map[string]bool)
		for name, piece := range hostile {
			text := filled(piece, size)
			ratios[name] = float64(processorTimeOf(text)) / float64(prose)
			out, _ := Default().Text(text)
			removed[name] = out == "[REDACTED:unscanned]"
		}
		var w strings.Builder
		above := 0
		for _, name := range slices.SortedFunc(maps.Keys(ratios), func(a, b string) int {
			return cmp.Compare(ratios[b], ratios[a])
		}) {
			if ratios[name] > 20 {
				above++
			}
			if ratios[name] > 8 {
				fmt.Fprintf(&w, "%-14s %6.1f %v\n", name, ratios[name], map[bool]string{true: "unscanned"}[removed[name]])
			}
		}
		t.Logf("%d KiB: prose %v, %d of %d pieces above 20 times:\n%s", size>>10, prose, above, len(ratios), w.String())
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

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package summary

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
)

// orders are how tools can be sorted: the largest first, but names from A to Z.
var orders = []struct {
	name    string
	compare func(a, b *stats.ToolStats) int
}{
	{"time", func(a, b *stats.ToolStats) int { return cmp.Compare(b.TotalMs, a.TotalMs) }},
	{"name", func(a, b *stats.ToolStats) int { return 0 }},
	{"calls", func(a, b *stats.ToolStats) int { return cmp.Compare(b.Calls, a.Calls) }},
	{"errors", func(a, b *stats.ToolStats) int { return cmp.Compare(b.Errors, a.Errors) }},
	{"p50", func(a, b *stats.ToolStats) int { return cmp.Compare(b.P50Ms, a.P50Ms) }},
	{"p95", func(a, b *stats.ToolStats) int { return cmp.Compare(b.P95Ms, a.P95Ms) }},
	{"p99", func(a, b *stats.ToolStats) int { return cmp.Compare(b.P99Ms, a.P99Ms) }},
}

// OrderNames returns how tools can be sorted.
func OrderNames() []string {
	names := make([]string, len(orders))
	for i, o := range orders {
		names[i] = o.name
	}
	return names
}

// SortTools sorts tools by one of [OrderNames], and those that are equal by name.
func SortTools(tools []stats.ToolStats, by string) {
	for _, o := range orders {
		if o.name == by {
			slices.SortStableFunc(
				tools,
				func(a, b stats.ToolStats) int { return cmp.Or(o.compare(&a, &b), cmp.Compare(a.Tool, b.Tool)) },
			)
		}
	}
}

// Ran is a running time, or a dash where no call ran. Statistics do not tell times below their lowest one apart.
func Ran(x *stats.ToolStats, ms float64) string {
	const lowest = float64(histogram.Lowest) / 1e6
	switch {
	case x.Executed == 0:
		return "–"
	case ms < lowest:
		return "<" + display.Milliseconds(lowest)
	}
	return display.Milliseconds(ms)
}

// Spent is a sum of running times, or a dash where nothing is known of any.
func Spent(ms float64) string {
	if ms == 0 {
		return "–"
	}
	return display.Milliseconds(ms)
}

// WorstLoop is the call that a session made most often, or "" if it made none more than twice.
func WorstLoop(loops []stats.Loop, session string) string {
	for _, l := range loops { // the worst first
		if l.Session == session && l.Times > 2 {
			return fmt.Sprintf("%s × %s", display.Clip(l.Tool, 24), display.Count(l.Times))
		}
	}
	return ""
}

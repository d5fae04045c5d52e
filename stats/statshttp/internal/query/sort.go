// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"slices"

	"github.com/toolscope/toolscope/stats"
)

// orders are the values of the parameter sort. Tools are sorted by a number, the largest first, or by name without one.
var orders = []struct {
	name   string
	number func(t *stats.ToolStats) float64
}{
	{"time", func(t *stats.ToolStats) float64 { return t.TotalMs }},
	{"name", nil},
	{"calls", func(t *stats.ToolStats) float64 { return float64(t.Calls) }},
	{"errors", func(t *stats.ToolStats) float64 { return float64(t.Errors) }},
	{"error_rate", func(t *stats.ToolStats) float64 { return t.ErrorRate }},
	{"p50", func(t *stats.ToolStats) float64 { return t.P50Ms }},
	{"p95", func(t *stats.ToolStats) float64 { return t.P95Ms }},
	{"p99", func(t *stats.ToolStats) float64 { return t.P99Ms }},
	{"hits", func(t *stats.ToolStats) float64 { return t.HitRatio }},
}

// Orders are the names of the orders, the default first.
func Orders() (names []string) {
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// SortTools sorts by one of the orders. Tools that are equal in it are sorted by name.
func SortTools(tools []stats.ToolStats, by string) {
	number := func(*stats.ToolStats) float64 { return 0 }
	for _, o := range orders {
		if o.name == by && o.number != nil {
			number = o.number
		}
	}
	slices.SortFunc(tools, func(a, b stats.ToolStats) int {
		return cmp.Or(cmp.Compare(number(&b), number(&a)), cmp.Compare(a.Tool, b.Tool))
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// writeAll writes the medians of all benchmarks, with the time's spread: half of its 95 %
// interval, as a part of the median.
func (s *samples) writeAll(w io.Writer) {
	fmt.Fprintln(w, "| benchmark | passes | time | ± | processor time | B | allocs | other |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---|")
	for _, name := range s.names {
		units := s.values[name]
		median := func(unit string, show func(float64) string) string {
			f, ok := figureOf(units[unit])
			if !ok {
				return ""
			}
			return show(f.median)
		}
		spread := ""
		if f, ok := figureOf(units[seconds]); ok {
			if spread = fmt.Sprintf("%.0f %%", 100*f.spread()); math.IsInf(f.spread(), 0) {
				spread = ""
			}
		}
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", name, len(units[seconds]), median(seconds, duration), spread,
			median("cpu-sec/op", duration), median(bytes, whole), median(allocs, whole), strings.Join(s.others(name), ", "))
	}
}

// others are the medians in the units that have no column.
func (s *samples) others(name string) (list []string) {
	for unit, values := range s.values[name] {
		if slices.Contains([]string{seconds, "cpu-sec/op", bytes, allocs}, unit) {
			continue
		}
		if f, ok := figureOf(values); ok {
			if plain, isTime := strings.CutSuffix(strings.Replace(unit, "-sec/op", "", 1), "-sec"); isTime || plain != unit {
				list = append(list, fmt.Sprintf("%s %s", strings.TrimSuffix(plain, "-"), duration(f.median)))
			} else {
				list = append(list, fmt.Sprintf("%.4g %s", f.median, unit))
			}
		}
	}
	slices.Sort(list)
	return list
}

func whole(v float64) string { return fmt.Sprintf("%.0f", v) }

// duration writes seconds with three digits.
func duration(v float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if v >= u.of || v <= -u.of {
			return fmt.Sprintf("%.3g %s", v/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", v*1e9)
}

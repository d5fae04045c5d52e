// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A plot follows a value of benchmarks over a number in their names.
type plot struct {
	file, title string
	unit        string // of the values
	across      string // what the horizontal axis counts
	lines       []line
}

// A line is one series of a plot: the benchmarks whose names begin with prefix and end with
// suffix, at the number that the names give to key.
type line struct{ label, prefix, suffix, key, unit string }

// plots are those of docs/performance.md.
var plots = []plot{
	{file: "calls.svg", title: "time of a call", unit: seconds, across: "how many of them there are", lines: []line{
		{"tools, whole call", "Tools/", "", "tools", seconds},
		{"sessions, statistics only", "Sessions/", "", "sessions", seconds},
		{"error groups, failing, all known", "ErrorGroups/", "/messages=known", "groups", seconds},
		{"error groups, failing, each new", "ErrorGroups/", "/messages=new", "groups", seconds},
	}},
	{file: "memory.svg", title: "memory for each", unit: "bytes", across: "how many of them there are", lines: []line{
		{"tool", "Tools/", "", "tools", "B/tool"},
		{"session", "Sessions/", "", "sessions", "B/session"},
		{"error group", "ErrorGroups/", "/messages=known", "groups", "B/group"},
	}},
	{file: "tools.svg", title: "time of an answer, as tools grow", unit: seconds, across: "tools",
		lines: endpoints("EndpointTools", "tools",
			"dashboard", "summary", "tools", "tools-one", "errors", "calls", "snapshot")},
	{file: "windows.svg", title: "time of an answer, as the window grows (ten " +
		"tools)", unit: seconds, across: "seconds of the window", lines: endpoints("EndpointWindows", "window",
		"dashboard", "summary", "tools", "tools-one", "errors", "snapshot")},
	{file: "lists.svg", title: "time of an answer, as sessions and error groups " +
		"grow", unit: seconds, across: "sessions, error groups", lines: []line{
		{"dashboard, sessions", "EndpointSessions/of=dashboard/", "", "sessions", seconds},
		{"sessions", "EndpointSessions/of=sessions/", "", "sessions", seconds},
		{"dashboard, error groups", "EndpointErrors/of=dashboard/", "", "groups", seconds},
		{"errors", "EndpointErrors/of=errors/", "", "groups", seconds},
	}},
}

func endpoints(benchmark, key string, names ...string) (lines []line) {
	for _, name := range names {
		lines = append(lines, line{name, benchmark + "/of=" + name + "/", "", key, seconds})
	}
	return lines
}

// writePlots writes the plots that have values as SVG files into a directory.
func (s *samples) writePlots(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range plots {
		chart := chart{title: p.title, across: p.across, time: p.unit == seconds}
		for _, l := range p.lines {
			if points := s.points(l); len(points) > 1 {
				chart.series = append(chart.series, series{l.label, points})
			}
		}
		if len(chart.series) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, p.file), []byte(chart.svg()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// points are the medians of a line.
func (s *samples) points(l line) (points []point) {
	for _, name := range s.matching(l.prefix) {
		x := number(name, l.key)
		f, ok := figureOf(s.valuesOf(named(name, l.unit)))
		if ok && strings.HasSuffix(name, l.suffix) && x > 0 && f.median > 0 {
			points = append(points, point{x, f.median})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	return points
}

// number is what a name gives to a key, a window in seconds; 0 if it has no number there.
func number(name, key string) float64 {
	for part := range strings.SplitSeq(name, "/") {
		value, ok := strings.CutPrefix(part, key+"=")
		if !ok {
			continue
		}
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return n
		}
		if d, err := time.ParseDuration(value); err == nil {
			return d.Seconds()
		}
	}
	return 0
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// samples are what benchmarks printed: for each name and unit a value of each pass, in
// the order of passes.
type samples struct {
	values map[string]map[string][]float64
	names  []string // in the order first seen
	// processor says that processor time is compared where it is known.
	processor bool
	machine   string  // what benchmarks say of the machine
	load      float64 // the highest load average that a pass began with
}

// procs is what testing puts behind a name: the number of processors.
var procs = regexp.MustCompile(`-\d+$`)

// load reads files in Go's benchmark format. Units are benchfmt's: seconds, not nanoseconds.
func load(pattern string) (*samples, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: got no files, want outputs of benchmarks", pattern)
	}
	slices.Sort(paths)
	s := &samples{values: map[string]map[string][]float64{}}
	files := benchfmt.Files{Paths: paths}
	var errs []error
	for files.Scan() {
		switch r := files.Result().(type) {
		case *benchfmt.Result:
			s.addResult(r)
		case *benchfmt.SyntaxError:
			errs = append(errs, r)
		}
	}
	return s, errors.Join(append(errs, files.Err())...)
}

func (s *samples) addResult(r *benchfmt.Result) {
	name := procs.ReplaceAllString(r.Name.String(), "")
	units := s.values[name]
	if units == nil {
		units = map[string][]float64{}
		s.values[name] = units
		s.names = append(s.names, name)
	}
	if cpu := r.GetConfig("cpu"); cpu != "" {
		s.machine = fmt.Sprintf("%s/%s, %s, %d processors", r.GetConfig("goos"), r.GetConfig("goarch"), cpu, runtime.NumCPU())
	}
	if load, err := strconv.ParseFloat(r.GetConfig("load"), 64); err == nil {
		s.load = max(s.load, load)
	}
	for _, v := range r.Values {
		units[v.Unit] = append(units[v.Unit], v.Value)
	}
}

// A figure is a median with its 95 % interval.
type figure struct{ median, low, high float64 }

// figureOf summarises values; ok is false if there are none.
func figureOf(values []float64) (f figure, ok bool) {
	if len(values) == 0 {
		return figure{}, false
	}
	sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), 0.95)
	return figure{sum.Center, sum.Lo, sum.Hi}, true
}

// within is the interval as text; an interval of 95 % needs six passes.
func (f figure) within(show func(float64) string) string {
	if math.IsInf(f.high-f.low, 0) {
		return "too few passes"
	}
	return show(f.low) + " to " + show(f.high)
}

// spread is the interval's half as a part of the median.
func (f figure) spread() float64 {
	if f.median == 0 {
		return 0
	}
	return max(f.high-f.median, f.median-f.low) / f.median
}

// A cell is a benchmark's value in one unit, or a sum of several benchmarks' values.
type cell struct {
	unit  string
	terms []term
}

// A term is a benchmark's value, times a factor.
type term struct {
	name   string
	factor float64
}

// valuesOf are the values of a cell, pass by pass; none if a benchmark was not run.
func (s *samples) valuesOf(c cell) []float64 {
	var sum []float64
	for i, t := range c.terms {
		values := s.values[t.name][c.unit]
		if used := s.values[t.name]["cpu-sec/op"]; s.processor && c.unit == seconds && len(used) > 0 {
			values = used
		}
		if i == 0 {
			sum = make([]float64, len(values))
		}
		sum = sum[:min(len(sum), len(values))]
		for pass := range sum {
			sum[pass] += t.factor * values[pass]
		}
	}
	return sum
}

// ratio are the values of a, each divided by that of b in the same pass.
func (s *samples) ratio(a, b cell) []float64 {
	over, under := s.valuesOf(a), s.valuesOf(b)
	out := make([]float64, 0, min(len(over), len(under)))
	for i := range min(len(over), len(under)) {
		if under[i] > 0 {
			out = append(out, over[i]/under[i])
		}
	}
	return out
}

// matching are the names that begin so, in the order first seen.
func (s *samples) matching(prefix string) []string {
	var names []string
	for _, name := range s.names {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

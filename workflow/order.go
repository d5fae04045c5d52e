// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"maps"
	"slices"
	"strings"
)

// walk calls do for each step of a list, and for those in them, in the order of the definition.
func walk(steps []Step, do func(s *Step)) {
	for i := range steps {
		walkStep(&steps[i], do)
	}
}

func walkStep(s *Step, do func(s *Step)) {
	if s == nil {
		return
	}
	do(s)
	if s.Parallel != nil {
		walk(s.Parallel.Branches, do)
	}
	walkStep(s.Then, do)
	walkStep(s.Else, do)
	if s.Each != nil {
		walkStep(s.Each.Do, do)
	}
	if s.Loop != nil {
		walkStep(s.Loop.Do, do)
	}
	walk(s.Steps, do)
	walkStep(s.FallbackStep, do)
}

// variables are those that a step sets and that are visible after it: not those of branches and of the body of each.
func variables(s *Step) (names []string) {
	if s == nil {
		return nil
	}
	names = slices.Collect(maps.Keys(s.Set))
	inner := []*Step{s.Then, s.Else, s.FallbackStep}
	if s.Loop != nil {
		inner = append(inner, s.Loop.Do)
	}
	for i := range s.Steps {
		inner = append(inner, &s.Steps[i])
	}
	for _, step := range inner {
		names = append(names, variables(step)...)
	}
	return names
}

// calls are the names of the tools that steps call, sorted; not nil, since programs read them as a list in JSON.
func calls(steps []Step) []string {
	names := map[string]bool{}
	walk(steps, func(s *Step) {
		names[s.Call] = true
		if s.Undo != nil {
			names[s.Undo.Tool] = true
		}
		if s.Each != nil && s.Each.Merge != nil {
			names[s.Each.Merge.Tool] = true
		}
	})
	delete(names, "")
	return slices.AppendSeq(make([]string, 0, len(names)), slices.Values(slices.Sorted(maps.Keys(names))))
}

// maxNesting is how many levels of workflows may call each other.
const maxNesting = 3

// order returns the names of workflows such that each comes after those that it calls. A cycle, and too many levels, are
// errors.
func order(definitions map[string]Definition) (sorted []string, errs []error) {
	levels := map[string]int{}
	var visit func(name string, path []string) int
	visit = func(name string, path []string) int {
		if i := slices.Index(path, name); i >= 0 {
			errs = append(errs, &Error{name, "a workflow that calls itself: " + strings.Join(append(path[i:], name), " calls "),
				"no cycle"})
			return 0
		}
		if level, done := levels[name]; done {
			return level
		}
		level := 1
		for _, called := range calls(definitions[name].Steps) {
			if _, ok := definitions[called]; ok {
				level = max(level, 1+visit(called, append(path[:len(path):len(path)], name)))
			}
		}
		if level == maxNesting+1 {
			errs = append(errs, &Error{name, "workflows that call each other in more levels", "at most 3"})
		}
		levels[name] = level
		sorted = append(sorted, name)
		return level
	}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		visit(name, nil)
	}
	return sorted, errs
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// writeInto puts the tables into a file between marks, lines `<!-- goals -->` and `<!-- end -->`
// for the goals, `<!-- rows -->` and `<!-- end -->` for all benchmarks; what was between is
// replaced. It is an error if the file has none of both.
func (s *samples) writeInto(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var goals, rows strings.Builder
	s.writeGoals(&goals)
	s.writeAll(&rows)
	out, there := between(string(text), "<!-- goals -->", s.conditions()+"\n\n"+goals.String())
	out, also := between(out, "<!-- rows -->", rows.String())
	if !there && !also {
		return fmt.Errorf("%s: got no mark, want a line <!-- goals --> or <!-- rows --> and a line <!-- end --> after it", path)
	}
	return os.WriteFile(path, []byte(out), 0o644)
}

// conditions says where and how the figures were taken.
func (s *samples) conditions() string {
	passes := 0
	for name, units := range s.values {
		if !strings.HasPrefix(name, "Agent") { // whose runs are their own
			passes = max(passes, len(units[seconds]))
		}
	}
	of := "wall time"
	if s.processor {
		of = "processor time where it is known"
	}
	return fmt.Sprintf(
		"Measured on %s, %s, in %d passes that began with a load average of up to %.1f; ratios of %s.",
		s.machine, runtime.Version(), passes, s.load, of,
	)
}

// between replaces what stands between a mark and the next end; ok is false if there is no
// such place.
func between(text, mark, by string) (out string, ok bool) {
	const end = "<!-- end -->"
	before, after, ok := strings.Cut(text, mark+"\n")
	if !ok {
		return text, false
	}
	_, after, ok = strings.Cut(after, end)
	if !ok {
		return text, false
	}
	return before + mark + "\n\n" + strings.TrimSpace(by) + "\n\n" + end + after, true
}

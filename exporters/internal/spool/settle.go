// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// remove deletes a segment, whatever is in it.
func (s *store) remove(g *segment) {
	s.lists[g.class] = slices.DeleteFunc(s.lists[g.class], func(other *segment) bool { return other == g })
	if s.writing[g.class] == g {
		s.writing[g.class] = nil
	}
	for _, e := range g.index {
		e.done = true
		s.forget(e)
	}
	g.close()
	s.unmark(g)
	s.bytes -= g.size
	if !s.erase(g) {
		s.remains = append(s.remains, g) // its folder stays locked: no process must send it again
	}
}

// erase deletes the file of a segment, and what was its folder if it was the last.
func (s *store) erase(g *segment) bool {
	if err := os.Remove(g.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.tally.fault(err)
		return false
	}
	f := g.folder
	if f.segments--; f.segments == 0 && f != s.own {
		f.leave()
		s.adopted = slices.DeleteFunc(s.adopted, func(other *folder) bool { return other == f })
	}
	return true
}

// settle ends entries: they need not be sent any more. It does not count what became of them.
func (s *store) settle(entries []*entry) {
	var touched []*segment
	for _, e := range entries {
		if e.done { // its segment was dropped
			continue
		}
		g := e.segment
		e.done = true
		s.forget(e)
		g.records--
		g.spans -= e.spans
		if !slices.Contains(touched, g) {
			touched = append(touched, g)
		}
	}
	for _, g := range touched {
		if g.records == 0 && s.empty(g) {
			continue
		}
		for _, e := range entries {
			if e.segment == g {
				s.mark(e)
			}
		}
		g.index = slices.DeleteFunc(g.index, func(e *entry) bool { return e.done })
	}
}

// empty makes a segment in which nothing waits small, or deletes it.
func (s *store) empty(g *segment) bool {
	g.index = nil
	if s.writing[g.class] != g {
		s.remove(g)
		return true
	}
	if g.file.Truncate(segmentHeader) != nil {
		return false
	}
	s.unmark(g)
	s.bytes -= g.size - segmentHeader
	g.size = segmentHeader
	return true
}

// mark writes to the file that an entry is done.
func (s *store) mark(e *entry) {
	if e.segment.file == nil {
		return // it was dropped
	}
	if err := s.system.write(e.segment.file, []byte{stateDone}, e.offset+stateOffset); err != nil {
		s.tally.fault(err)
		s.unmarked = append(s.unmarked, e)
	}
}

// unmark forgets what could not be marked in a segment whose content is another now.
func (s *store) unmark(g *segment) {
	s.unmarked = slices.DeleteFunc(s.unmarked, func(e *entry) bool { return e.segment == g })
}

// markAgain tries again what could not be marked.
func (s *store) markAgain() {
	entries := s.unmarked
	s.unmarked = nil
	for _, e := range entries {
		s.mark(e)
	}
}

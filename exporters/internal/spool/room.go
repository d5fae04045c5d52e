// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"slices"
	"time"
)

// neighbours is what other processes keep in the directory.
type neighbours struct {
	looked time.Time
	bytes  int64
	count  int
}

// lookAround is how old the knowledge of other processes' bytes may be.
const lookAround = time.Second

func (s *store) neighbours() neighbours {
	if now := time.Now(); now.Sub(s.others.looked) >= lookAround {
		s.others = neighbours{looked: now}
		paths, _ := folders(s.dir)
		for _, path := range paths {
			if !s.has(path) {
				s.others.count++
				s.others.bytes += weigh(path)
			}
		}
	}
	return s.others
}

// has reports whether a folder is this store's.
func (s *store) has(path string) bool {
	return s.own != nil && s.own.path == path || slices.ContainsFunc(s.adopted, func(f *folder) bool { return f.path == path })
}

// makeRoom drops what the limit leaves no room for once n more bytes of a class are
// written: the oldest spans that did not fail, then, if the new ones did, the oldest that did. The
// limit is the directory's: when it is reached, who holds more than an equal share
// makes room. It reports whether there is room now.
func (s *store) makeRoom(c class, n int64) bool {
	for {
		others := s.neighbours()
		share := s.options.MaxBytes / int64(others.count+1)
		if s.bytes+n+others.bytes <= s.options.MaxBytes || s.bytes+n <= share {
			return true
		}
		g := s.victim(c)
		if g == nil {
			return false
		}
		s.drop(g, DroppedBytes)
	}
}

// victim is the segment that goes next for spans of that class; nil if there is none.
func (s *store) victim(c class) *segment {
	for k := range c + 1 {
		for _, g := range s.lists[k] {
			if g.flight == 0 && g.size > segmentHeader {
				return g
			}
		}
	}
	return nil
}

// giveWay drops the oldest spans that did not fail, and reports whether there were any.
func (s *store) giveWay() bool {
	g := s.victim(others)
	if g == nil || !g.counted && s.open(g) != nil { // one that cannot be read could not be counted
		return false
	}
	s.drop(g, DroppedFull)
	return true
}

// drop deletes a segment and counts what waited in it.
func (s *store) drop(g *segment, reason Reason) {
	if !g.counted {
		_ = s.open(g) // unreadable: nothing is known of it
	}
	s.change.drop(reason, g.spans)
	s.remove(g)
}

// expire drops what is older than the limit.
func (s *store) expire() {
	limit := time.Now().Add(-s.options.MaxAge).UnixNano()
	for c := range classes {
		for _, g := range slices.Clone(s.lists[c]) {
			if g.flight > 0 || g.made > limit {
				break
			}
			if g.counted && g.records == 0 {
				continue
			}
			if g.last <= limit {
				s.drop(g, DroppedAge)
				continue
			}
			var old []*entry
			for _, e := range g.index { // of those that are not loaded, later
				if e.at <= limit {
					old = append(old, e)
					s.change.drop(DroppedAge, e.spans)
				}
			}
			s.settle(old)
		}
	}
}

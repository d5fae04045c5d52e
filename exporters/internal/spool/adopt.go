// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import "errors"

// adopt takes over what processes that have ended left in the directory. A folder
// is taken by one: who gets its lock.
func (s *store) adopt() {
	if s.closed {
		return
	}
	paths, err := folders(s.dir)
	if err != nil {
		s.tally.fault(err)
		return
	}
	for _, path := range paths {
		if s.has(path) {
			continue
		}
		f, err := s.system.takeFolder(path)
		if err != nil {
			s.tally.fault(err)
		}
		if f != nil {
			s.takeFolder(f)
		}
	}
}

// takeFolder lists what is in a folder that was taken over.
func (s *store) takeFolder(f *folder) {
	all, foreign, err := segmentsOf(f)
	if err != nil {
		s.tally.fault(err)
	}
	s.tally.foreign(f.path, foreign)
	if len(all) == 0 {
		f.leave()
		return
	}
	s.adopted = append(s.adopted, f)
	for _, g := range all {
		s.list(g)
	}
}

// tend does what is to be done now and then.
func (s *store) tend() {
	s.markAgain()
	remains := s.remains
	s.remains = nil
	for _, g := range remains {
		if !s.erase(g) {
			s.remains = append(s.remains, g)
		}
	}
	s.expire()
	s.adopt()
	if s.tally.diskFails() && !s.closed {
		s.tally.fault(s.probe())
	}
}

// probe finds out if the disk takes something.
func (s *store) probe() error {
	g, err := s.writable(others)
	if err != nil {
		return err
	}
	err = s.system.write(g.file, make([]byte, 4<<10), g.size)
	return errors.Join(err, g.file.Truncate(g.size))
}

// countNext reads one segment whose number of records is not known yet.
func (s *store) countNext() {
	for c := range classes {
		for i, g := range s.lists[c] {
			if g.counted || g.rests() {
				continue
			}
			if s.load(g) && i > 0 {
				s.unload(g)
			}
			return
		}
	}
}

// uncounted reports whether there is a segment whose records have not been counted, and may be
// now.
func (s *store) uncounted() bool {
	for _, list := range s.lists {
		for _, g := range list {
			if !g.counted && !g.rests() {
				return true
			}
		}
	}
	return false
}

// waits reports whether there may be something to send.
func (s *store) waits() bool {
	for _, list := range s.lists {
		for _, g := range list {
			if g.records > 0 || !g.counted {
				return true
			}
		}
	}
	return false
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// A store is the files of a spool. Only the goroutine of its disk uses it, so that a disk
// that hangs holds up no other.
type store struct {
	dir     string
	options *Options
	system  *system
	tally   *tally

	own      *folder // nil until there is something to write
	adopted  []*folder
	lists    [classes][]*segment // what waits, oldest first
	writing  [classes]*segment   // the last of a list, or nil
	segment  int64               // a segment that is longer is followed by another
	bytes    int64
	last     int64      // the latest time given to a record or a file
	cached   int        // bytes of the entries' views
	remains  []*segment // that could not be deleted
	unmarked []*entry   // that are done, which could not be written
	others   neighbours
	change   change // that is not published yet
	futile   bool   // the room that was made on a full disk was not ours
	closed   bool
}

// maxCached is how many bytes of spans on disk are also kept in memory, to be sent without
// being read again.
const maxCached = 4 << 20

func newStore(dir string, o *Options, t *tally, files *system) *store {
	return &store{dir: dir, options: o, system: files, tally: t, segment: min(4<<20, max(o.MaxBytes/16, 4<<10))}
}

// now is the time, but later than all that was returned before: order must not depend on
// a clock that is set back.
func (s *store) now() int64 {
	s.last = max(s.last+1, time.Now().UnixNano())
	return s.last
}

// append writes records, all or none. What there is no room for is dropped and
// counted. On a disk that is full, urgent ones take the place of the oldest spans that did not fail.
func (s *store) append(all []*record, urgent bool) (entries []*entry, err error) {
	if s.closed {
		return nil, errClosed
	}
	at := s.now()
	for _, r := range all {
		if !s.makeRoom(r.class, int64(len(r.data))) {
			s.change.drop(DroppedBytes, r.spans)
			continue
		}
		e, err := s.write(r, at)
		if urgent && errors.Is(err, syscall.ENOSPC) && !s.futile && s.giveWay() {
			e, err = s.write(r, at)
			s.futile = err != nil
		}
		if err != nil {
			s.settle(entries)
			return nil, err
		}
		s.futile = false
		entries = append(entries, e)
	}
	return entries, nil
}

func (s *store) write(r *record, at int64) (*entry, error) {
	g, err := s.writable(r.class)
	if err != nil {
		return nil, err
	}
	payload := r.data[recordHeader:]
	e := &entry{segment: g, offset: g.size,
		header: header{class: r.class, id: g.id, at: at, spans: r.spans, length: len(payload),
			sum: crc32.Checksum(payload, castagnoli)}}
	e.late = !s.options.WriteAhead
	e.put(r.data)
	err = s.system.write(g.file, r.data, g.size)
	if err == nil && s.options.Sync {
		err = g.file.Sync()
	}
	if err != nil {
		if g.file.Truncate(g.size) != nil || s.options.Sync { // what a failed sync leaves is unknown
			s.retire(g)
		}
		return nil, err
	}
	g.size += int64(len(r.data))
	s.bytes += int64(len(r.data))
	g.records++
	g.spans += r.spans
	g.last = at
	if g.loaded {
		g.index = append(g.index, e)
		if s.cached+e.length <= maxCached {
			e.view = r.view
			s.cached += e.length
		}
	}
	return e, nil
}

// writable is the segment that a record of the class is to be appended to.
func (s *store) writable(c class) (*segment, error) {
	if g := s.writing[c]; g != nil {
		if g.size < s.segment && same(g.file, g.path) {
			return g, nil
		}
		s.retire(g)
	}
	if s.own != nil && !same(s.own.lock, filepath.Join(s.own.path, lockName)) { // it was deleted
		_ = s.own.lock.Close()
		s.own = nil
	}
	if s.own == nil {
		f, err := s.system.newFolder(s.dir)
		if err != nil {
			return nil, err
		}
		s.own = f
	}
	g, err := s.system.newSegment(s.own, c, s.now())
	if err != nil {
		return nil, err
	}
	if s.options.Sync {
		syncFolders(s.own.path, s.dir)
	}
	s.writing[c] = g
	s.list(g)
	return g, nil
}

// syncFolders makes the names of new files survive a power loss, where the system can.
func syncFolders(paths ...string) {
	for _, path := range paths {
		if f, err := os.Open(path); err == nil {
			_ = f.Sync()
			_ = f.Close()
		}
	}
}

// list puts a segment where its age belongs.
func (s *store) list(g *segment) {
	all := s.lists[g.class]
	i, _ := slices.BinarySearchFunc(all, g.made, func(g *segment, made int64) int { return int(min(max(g.made-made, -1), 1)) })
	s.lists[g.class] = slices.Insert(all, i, g)
	g.folder.segments++
	s.bytes += g.size
}

// retire ends the writing of a segment.
func (s *store) retire(g *segment) {
	s.writing[g.class] = nil
	switch {
	case g.records == 0:
		s.remove(g)
	case s.lists[g.class][0] != g && same(g.file, g.path):
		s.unload(g)
	}
}

func (s *store) unload(g *segment) {
	for _, e := range g.index {
		s.forget(e)
	}
	g.unload()
}

// forget drops the view of an entry.
func (s *store) forget(e *entry) {
	if e.view != nil {
		e.view = nil
		s.cached -= e.length
	}
}

// close gives everything back. What waits stays for the next process that opens the directory.
func (s *store) close() {
	s.markAgain()
	for c := range classes {
		for _, g := range slices.Clone(s.lists[c]) {
			if g.records == 0 && g.counted {
				s.remove(g)
			}
			g.close()
		}
	}
	if s.own != nil {
		s.own.leave()
	}
	for _, f := range s.adopted {
		f.leave()
	}
	s.publish() // the last figures: what is still on disk
	*s = store{dir: s.dir, options: s.options, system: s.system, tally: s.tally, segment: s.segment, closed: true}
}

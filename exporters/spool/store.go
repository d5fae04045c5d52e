// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A store is the files of a spool. Only the goroutine of its disk uses it, so that a disk
// that hangs holds up nobody else.
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
	closed   bool
}

// maxCached is how many bytes of spans on disk are also kept in memory, to be sent without
// being read again.
const maxCached = 4 << 20

func newStore(dir string, o *Options, t *tally) *store {
	return &store{dir: dir, options: o, system: newSystem(), tally: t, segment: min(4<<20, max(o.MaxBytes/16, 4<<10))}
}

// now is the time, but later than all that was returned before: order must not depend on
// a clock that is set back.
func (s *store) now() int64 {
	s.last = max(s.last+1, time.Now().UnixNano())
	return s.last
}

// append writes records, all or none. What there is no room for is dropped and
// counted.
func (s *store) append(all []*record) (entries []*entry, err error) {
	if s.closed {
		return nil, errClosed
	}
	at := s.now()
	for _, r := range all {
		if !s.makeRoom(r.class, int64(len(r.data))) {
			s.tally.drop(DroppedBytes, r.spans)
			continue
		}
		e, err := s.write(r, at)
		if err != nil {
			s.settle(entries)
			return nil, err
		}
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
	e := &entry{segment: g, offset: g.size, header: header{class: r.class, id: g.id, at: at, spans: r.spans, length: len(payload), sum: crc32.Checksum(payload, castagnoli)}}
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
	if s.own != nil && !same(s.own.lock, filepath.Join(s.own.path, lockName)) { // somebody has deleted it
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
		s.remains = append(s.remains, g) // its folder stays ours: nobody must send it again
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

// settle ends entries: they need not be sent any more.
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

// head is the oldest segment of a class that has something to send, loaded; nil if
// there is none. One that cannot be read now is passed over for a while.
func (s *store) head(c class) *segment {
	for _, g := range slices.Clone(s.lists[c]) {
		if !g.rests() && s.load(g) && g.records > 0 {
			return g
		}
	}
	return nil
}

// load reads a segment, and removes it if there is nothing in it, or it is gone.
func (s *store) load(g *segment) (ok bool) {
	d, err := g.load(s.system)
	s.tally.damaged(d)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.tally.drop(DroppedLost, g.spans)
		s.remove(g)
	case err != nil:
		s.tally.fault(err)
		g.unread = time.Now()
	case g.records == 0 && s.writing[g.class] != g:
		s.remove(g)
	default:
		return true
	}
	return false
}

// An item is what the sender gets of an entry, which is the store's.
type item struct {
	entry   *entry
	spans   int
	late    bool
	at      time.Time
	view    []*tracepb.ResourceSpans
	payload []byte // if there is no view
}

// next is what is to be sent next: records of both classes in the order in which they were
// appended, from one segment each, up to that many spans, and one record at least. An entry
// that is to be passed over may be given.
func (s *store) next(spans int, over *entry) []item {
	for {
		items, damaged := s.collect(spans, over)
		if damaged == nil {
			s.hold(items)
			return items
		}
		s.tally.damaged(damage{corrupt: 1})
		s.tally.drop(DroppedLost, damaged.spans)
		s.settle([]*entry{damaged})
	}
}

// collect reads the next batch, or finds an entry that is damaged.
func (s *store) collect(spans int, over *entry) (items []item, damaged *entry) {
	var heads [classes][]*entry
	for c := range classes {
		if g := s.head(c); g != nil {
			heads[c] = g.index
		}
	}
	for bytes := 0; ; {
		var e *entry
		for c := range classes {
			if len(heads[c]) > 0 && (e == nil || heads[c][0].at < e.at) {
				e = heads[c][0]
			}
		}
		if e == nil || len(items) > 0 && (spans < e.spans || bytes+e.length > maxPayload) {
			return items, nil
		}
		heads[e.class] = heads[e.class][1:]
		if e == over {
			continue
		}
		var payload []byte
		if e.view == nil {
			var ok bool
			if payload, ok = e.payload(); !ok {
				return nil, e
			}
		}
		spans -= e.spans
		bytes += e.length
		items = append(items, item{e, e.spans, e.late, time.Unix(0, e.at), e.view, payload})
	}
}

// hold begins the sending of items: their segments stay loaded.
func (s *store) hold(items []item) {
	for _, i := range items {
		i.entry.segment.flight++
	}
}

// release ends the sending of items, for good or until they are sent again.
func (s *store) release(items []item, settled bool) {
	entries := make([]*entry, len(items))
	for i := range items {
		entries[i] = items[i].entry
		entries[i].segment.flight--
	}
	if settled {
		s.settle(entries)
	}
}

// close gives everything back. What waits stays for whoever opens the directory next.
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
	*s = store{dir: s.dir, options: s.options, system: s.system, tally: s.tally, segment: s.segment, closed: true}
}

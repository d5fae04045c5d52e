// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// rewrite writes a segment anew without the session's spans, if it has any, also
// among those that were sent already.
func (p *purge) rewrite(st *store, g *segment) error {
	if err := st.open(g); err != nil {
		return err
	}
	data, _, err := g.peek(st.system)
	if err != nil {
		return err
	}
	defer func() {
		if all := st.lists[g.class]; slices.Contains(all, g) && all[0] != g && st.writing[g.class] != g {
			st.unload(g)
		}
	}()
	entries := make(map[int64]*entry, len(g.index))
	for _, e := range g.index {
		entries[e.offset] = e
	}
	next := newSegmentHeader(g.id)
	moved := make(map[*entry]*entry) // as they will be
	changed, deleted := false, 0
	lost := scan(data, func(at int64, h header, payload []byte) {
		var spans tracepb.TracesData
		readable := proto.Unmarshal(payload, &spans) == nil
		kept := only(spans.GetResourceSpans(), p.keeps)
		e := entries[at]
		gone := count(spans.GetResourceSpans()) - count(kept)
		changed = changed || !readable || gone > 0
		if e == nil { // sent already
			return
		}
		deleted += gone
		to := *e
		if gone > 0 || !readable {
			to.view = nil
			if len(kept) == 0 {
				to.done = true
				moved[e] = &to
				return
			}
			payload, _ = proto.Marshal(&tracepb.TracesData{ResourceSpans: kept}) // it was unmarshalled from such bytes
			to.header = header{class: h.class, id: h.id, at: h.at, spans: count(kept), length: len(payload),
				sum: crc32.Checksum(payload, castagnoli)}
		}
		to.offset = int64(len(next))
		head := make([]byte, recordHeader)
		to.put(head)
		next = append(append(next, head...), payload...)
		moved[e] = &to
	})
	if !changed && lost == (damage{}) {
		return nil
	}
	if err := st.replace(g, next); err != nil {
		return fmt.Errorf("spool: deleting a session: %w", err)
	}
	p.spans += deleted
	before := g.spans
	st.move(g, moved)
	st.change.drop(DroppedSession, deleted)
	st.change.drop(DroppedLost, before-g.spans-deleted)
	return nil
}

// peek reads a segment, and leaves it open only if it was.
func (g *segment) peek(s *system) ([]byte, damage, error) {
	open := g.file != nil
	data, d, err := g.read(s)
	if !open {
		g.close()
	}
	return data, d, err
}

// replace gives a segment another content, at once.
func (s *store) replace(g *segment, content []byte) error {
	name := filepath.Join(g.folder.path, rewriting)
	f, err := s.system.open(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if err = s.system.write(f, content, 0); err == nil && s.options.Sync {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		g.close() // Windows replaces no open file
		err = os.Rename(name, g.path)
	}
	if err != nil {
		_ = os.Remove(name)
	} else {
		s.unmark(g)
		s.bytes += int64(len(content)) - g.size
		g.size = int64(len(content))
	}
	g.close()
	file, openErr := s.system.open(g.path, os.O_RDWR)
	if openErr == nil {
		g.file = file
	}
	return errors.Join(err, openErr)
}

// move makes the entries of a segment what they are in its new content.
func (s *store) move(g *segment, moved map[*entry]*entry) {
	g.records, g.spans = 0, 0
	for _, e := range g.index {
		to, found := moved[e]
		if !found { // it could not be read
			e.done = true
			s.forget(e)
			continue
		}
		if to.view == nil {
			s.forget(e)
		}
		e.header, e.offset, e.view = to.header, to.offset, to.view
		if !e.done {
			g.records++
			g.spans += e.spans
		}
	}
	g.index = slices.DeleteFunc(g.index, func(e *entry) bool { return e.done })
	if g.records == 0 {
		s.empty(g)
	}
}

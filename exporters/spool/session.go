// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// The attributes that say whose a span is: ours and the conventions'.
var sessionKeys = []string{"toolscope.session.id", "session.id", "gen_ai.conversation.id"}

const tenantKey = "toolscope.tenant"

// ErrHeld is the error of a deletion that could not look at all there is, since
// processes that run own it: each has to be asked for itself.
var ErrHeld = errors.New("spool: other processes own a part of the directory")

// DeleteSession deletes what the spool keeps of a session: spans whose toolscope.session.id, session.id or
// gen_ai.conversation.id is the id, and those spans of the same traces that are of no
// session. The id is as spans have it, after redaction. A tenant that is not "" spares the
// sessions of that id of other tenants. It returns how many spans that were. What is being sent at that
// moment cannot be called back, and what other processes own is not seen: see [ErrHeld]. What it
// cannot read it deletes, since it may be the session's, where it has to write a file anew.
func (s *Spool) DeleteSession(ctx context.Context, id, tenant string) (spans int, err error) {
	if id == "" {
		return 0, errors.New(`spool: session: got "", want an id`)
	}
	if s.isClosed() {
		return 0, errClosed
	}
	if !s.disk.begun.Load() {
		if left, _ := folders(s.dir); len(left) == 0 {
			return 0, nil
		}
		s.begin()
	}
	p := newPurge(id, tenant)
	run := func(f func(*store) error) error {
		_, err := ask(ctx, s.disk, func(st *store) (struct{}, error) { return struct{}{}, f(st) }, nil)
		return err
	}
	if err := run(func(st *store) error { st.adopt(); return nil }); err != nil {
		return 0, err
	}
	if err := p.all(run, p.search); err != nil {
		return 0, err
	}
	if err := s.deleteFromMemory(ctx, p); err != nil {
		return p.spans, err
	}
	if err := p.all(run, p.rewrite); err != nil {
		return p.spans, err
	}
	return p.spans, run((*store).held)
}

// deleteFromMemory takes a session out of what is not on disk.
func (s *Spool) deleteFromMemory(ctx context.Context, p *purge) error {
	select {
	case s.turn <- struct{}{}: // nothing is being written
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.memory {
		p.look(u.all)
	}
	for _, u := range slices.Clone(s.memory) {
		kept := only(u.all, p.keeps)
		n := u.spans - count(kept)
		if n == 0 || u.flight {
			continue
		}
		p.spans += n
		s.tally.drop(DroppedSession, n)
		before := u.size
		u.all, u.spans, u.size = kept, u.spans-n, size(kept)
		s.bytes += u.size - before
		if u.spans == 0 {
			s.forget(u)
		}
	}
	return nil
}

// DeleteSession deletes what is kept of a session in the directory of spools of which none
// runs; for one that runs, see [Spool.DeleteSession].
func DeleteSession(ctx context.Context, dir, id, tenant string) (spans int, err error) {
	if id == "" {
		return 0, errors.New(`spool: session: got "", want an id`)
	}
	o, err := Options{}.complete()
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(dir); err != nil {
		return 0, fmt.Errorf("spool: directory: %w", err)
	}
	st := newStore(dir, o, newTally())
	defer st.close()
	st.adopt()
	p := newPurge(id, tenant)
	run := func(f func(*store) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f(st)
	}
	if err = p.all(run, p.search); err == nil {
		err = p.all(run, p.rewrite)
	}
	return p.spans, errors.Join(err, st.held())
}

// held is ErrHeld if others own a part of the directory.
func (s *store) held() error {
	paths, err := folders(s.dir)
	n := 0
	for _, path := range paths {
		if !s.has(path) {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%w: %d of its folders", ErrHeld, n)
	}
	return err
}

// A purge is the deletion of a session.
type purge struct {
	id     string
	tenant string          // "" is any
	traces map[string]bool // that have a span of the session
	spans  int             // deleted so far
}

func newPurge(id, tenant string) *purge {
	return &purge{id: id, tenant: tenant, traces: make(map[string]bool)}
}

// look notes the traces of the session's spans.
func (p *purge) look(all []*tracepb.ResourceSpans) {
	each(all, func(s *tracepb.Span) {
		if its, _ := p.owns(s); its {
			p.traces[string(s.GetTraceId())] = true
		}
	})
}

// keeps reports whether a span is to stay.
func (p *purge) keeps(s *tracepb.Span) bool {
	its, nobodys := p.owns(s)
	return !its && !(nobodys && p.traces[string(s.GetTraceId())])
}

// owns reports whether a span names the session, or none at all.
func (p *purge) owns(s *tracepb.Span) (its, nobodys bool) {
	nobodys = true
	ofTenant := p.tenant == ""
	for _, kv := range s.GetAttributes() {
		value := kv.GetValue().GetStringValue()
		switch {
		case slices.Contains(sessionKeys, kv.GetKey()):
			nobodys = false
			its = its || value == p.id
		case kv.GetKey() == tenantKey:
			ofTenant = ofTenant || value == p.tenant
		}
	}
	return its && ofTenant, nobodys
}

// all goes through the segments, one at a time, so that others have their turn.
func (p *purge) all(run func(func(*store) error) error, pass func(*store, *segment) error) error {
	var segments []*segment
	err := run(func(st *store) error { segments = slices.Concat(st.lists[:]...); return nil })
	for _, g := range segments {
		if err != nil {
			return err
		}
		err = run(func(st *store) error {
			if !slices.Contains(st.lists[g.class], g) {
				return nil // sent meanwhile
			}
			return pass(st, g)
		})
	}
	return err
}

// search notes the traces of a segment's spans, also of those that were sent already.
func (p *purge) search(st *store, g *segment) error {
	data, _, err := g.peek(st.system)
	scan(data, func(_ int64, _ header, payload []byte) {
		var spans tracepb.TracesData
		if proto.Unmarshal(payload, &spans) == nil {
			p.look(spans.GetResourceSpans())
		}
	})
	return err
}

// rewrite writes a segment anew without the session's spans, if it has any, also
// among those that were sent already.
func (p *purge) rewrite(st *store, g *segment) error {
	d, err := g.load(st.system)
	st.tally.damaged(d)
	if err != nil {
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
			to.header = header{class: h.class, id: h.id, at: h.at, spans: count(kept), length: len(payload), sum: crc32.Checksum(payload, castagnoli)}
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
	st.tally.drop(DroppedSession, deleted)
	st.move(g, moved)
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

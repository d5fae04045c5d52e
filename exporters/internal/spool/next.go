// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// head is what is to be sent of the oldest segment of a class that has such, without some entries
// and those that are being sent. A segment that cannot be read now is passed over for a
// while.
func (s *store) head(c class, without []*entry) []*entry {
	for _, g := range slices.Clone(s.lists[c]) {
		if g.rests() || !s.load(g) {
			continue
		}
		head := g.index
		if len(without) > 0 || g.flight > 0 {
			head = slices.DeleteFunc(slices.Clone(head), func(e *entry) bool {
				return e.sending || slices.Contains(without, e)
			})
		}
		if len(head) > 0 {
			return head
		}
	}
	return nil
}

// open reads a segment and counts what waits in it: what it holds more than was known was found, and
// what it holds less was lost.
func (s *store) open(g *segment) error {
	before := g.spans
	d, err := g.load(s.system)
	s.change.damage.torn += d.torn
	s.change.damage.corrupt += d.corrupt
	s.change.found += max(0, g.spans-before) + d.spans
	s.change.drop(DroppedLost, d.spans)
	s.change.drop(DroppedLost, before-g.spans)
	return err
}

// load reads a segment, and removes it if there is nothing in it, or it is gone.
func (s *store) load(g *segment) (ok bool) {
	err := s.open(g)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.change.drop(DroppedLost, g.spans)
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
// appended, from one segment each, up to that many spans, and one record at least, without some
// entries.
func (s *store) next(spans int, without []*entry) []item {
	for {
		items, damaged := s.collect(spans, without)
		if damaged == nil {
			s.hold(items)
			return items
		}
		s.unreadable(damaged)
	}
}

// unreadable gives up an entry that is damaged.
func (s *store) unreadable(e *entry) {
	s.change.damage.corrupt++
	s.change.drop(DroppedLost, e.spans)
	s.settle([]*entry{e})
}

// collect reads the next batch, or finds an entry that is damaged.
func (s *store) collect(spans int, without []*entry) (items []item, damaged *entry) {
	var heads [classes][]*entry
	for c := range classes {
		heads[c] = s.head(c, without)
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
		i.entry.sending = true
	}
}

// release ends the sending of items, for good if there is an outcome, or until they are sent again.
func (s *store) release(items []item, o *outcome) {
	entries := make([]*entry, len(items))
	for i := range items {
		entries[i] = items[i].entry
		entries[i].segment.flight--
		entries[i].sending = false
	}
	if o != nil {
		s.conclude(entries, *o)
	}
}

// conclude ends entries, and counts what became of them.
func (s *store) conclude(entries []*entry, o outcome) {
	spans := 0
	for _, e := range entries {
		if !e.done {
			spans += e.spans
		}
	}
	s.change.settle(spans, o)
	s.settle(entries)
}

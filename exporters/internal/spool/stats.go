// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"maps"
	"sync"
	"time"

	"github.com/toolscope/toolscope/redact"
)

// A Reason says why spans were not delivered.
type Reason string

// The reasons there are.
const (
	DroppedBytes    Reason = "bytes"     // no room within Options.MaxBytes
	DroppedAge      Reason = "age"       // older than Options.MaxAge
	DroppedRejected Reason = "rejected"  // the destination does not take them, and never will
	DroppedPartial  Reason = "partial"   // the destination took the rest of their batch
	DroppedMemory   Reason = "memory"    // neither disk nor destination took them, and Options.MaxMemory was full
	DroppedFull     Reason = "full"      // they made room for spans that failed, on a disk that was full
	DroppedInvalid  Reason = "invalid"   // text that is no UTF-8, which protobuf does not take
	DroppedTooLarge Reason = "too_large" // one span of more than 16 MiB
	DroppedLost     Reason = "lost"      // their file was damaged or deleted
	DroppedSession  Reason = "session"   // deleted on request
	DroppedShutdown Reason = "shutdown"  // in memory at the end, and the disk took none
)

// Stats is the state of a spool. At every moment
//
//	Taken + Found = Delivered + Spans + MemorySpans + what was Dropped
type Stats struct {
	Taken        uint64            // spans that were exported to it
	Found        uint64            // spans that processes that ended had left on disk, once they were read, and those restored
	Bytes        int64             // on disk, of what this process owns
	Records      int               // on disk, waiting to be sent
	Spans        int               // in these records
	Oldest       time.Time         // of these, when the oldest was written; zero if none waits
	MemoryBytes  int64             // waiting in memory: the disk takes none
	MemorySpans  int               // of those taken: neither on disk, nor delivered, nor dropped
	Delivered    uint64            // spans taken by the destination
	Replayed     uint64            // of these, those that had to wait on disk: not taken at once, or of a process that ended
	Dropped      map[Reason]uint64 // spans not delivered
	Torn         int               // segments whose end was not a whole record
	Corrupt      int               // stretches of segments that were no records
	Foreign      int               // segments of another version, left alone
	HealthySince time.Time         // since when the destination takes what it is sent; zero if it fails, or nothing was sent yet
	FailingSince time.Time         // since when it does not; zero if it does
	LastError    string            // the destination's last, redacted, with what is probably wrong; "" if there was none
	LastErrorAt  time.Time
	DiskError    string // why the disk takes nothing, or could not delete; "" if it does
	DiskSince    time.Time
}

// maxErrorText is how much of an error is kept.
const maxErrorText = 256

func errorText(err error) string {
	text, _ := redact.Default().TextMax(err.Error(), maxErrorText)
	return text
}

// A tally is what is counted. It is safe for concurrent use.
type tally struct {
	mu    sync.Mutex
	stats Stats // what store and sender publish and count
	left  map[string]int
}

func newTally() *tally {
	return &tally{stats: Stats{Dropped: make(map[Reason]uint64)}, left: make(map[string]int)}
}

func (t *tally) snapshot() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Dropped = maps.Clone(s.Dropped)
	elsewhere := s.Delivered + uint64(s.Spans)
	for _, n := range s.Dropped {
		elsewhere += n
	}
	s.MemorySpans = int(s.Taken + s.Found - elsewhere)
	for _, n := range t.left {
		s.Foreign += n
	}
	return s
}

// failing reports whether the destination does not take what it is sent.
func (t *tally) failing() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.stats.FailingSince.IsZero()
}

// diskFails reports whether the disk failed last.
func (t *tally) diskFails() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stats.DiskError != ""
}

// waiting reports whether something on disk is to be sent.
func (t *tally) waiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.stats.Oldest.IsZero()
}

// backlog is how many spans are on disk.
func (t *tally) backlog() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stats.Spans
}

// update changes what is counted.
func (t *tally) update(f func(*Stats)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.stats)
}

func (t *tally) drop(r Reason, spans int) {
	if spans > 0 {
		t.update(func(s *Stats) { s.Dropped[r] += uint64(spans) })
	}
}

// An outcome is what became of spans of which none needs to be sent again. The rest was delivered.
type outcome struct {
	late                       int // of those delivered, that had to wait on disk
	partial, rejected, invalid int
}

// A change is what is counted at once, so that no span counts twice, or not at all, in between.
type change struct {
	found, delivered, replayed int
	dropped                    map[Reason]int
	damage                     damage
}

func (c *change) drop(r Reason, spans int) {
	if spans <= 0 {
		return
	}
	if c.dropped == nil {
		c.dropped = make(map[Reason]int)
	}
	c.dropped[r] += spans
}

// settle counts what became of spans.
func (c *change) settle(spans int, o outcome) {
	for _, part := range []struct {
		reason Reason
		spans  int
	}{{DroppedPartial, o.partial}, {DroppedRejected, o.rejected}, {DroppedInvalid, o.invalid}} {
		n := min(part.spans, spans)
		c.drop(part.reason, n)
		spans -= n
	}
	c.delivered += spans
	c.replayed += min(o.late, spans)
}

// apply counts a change.
func (s *Stats) apply(c change) {
	s.Found += uint64(c.found)
	s.Delivered += uint64(c.delivered)
	s.Replayed += uint64(c.replayed)
	for reason, n := range c.dropped {
		s.Dropped[reason] += uint64(n)
	}
	s.Torn += c.damage.torn
	s.Corrupt += c.damage.corrupt
}

// settle counts what became of spans that are not on disk.
func (t *tally) settle(spans int, o outcome) {
	var c change
	c.settle(spans, o)
	t.update(func(s *Stats) { s.apply(c) })
}

// foreign notes how many segments of another version a folder has.
func (t *tally) foreign(folder string, segments int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if segments > 0 {
		t.left[folder] = segments
	} else {
		delete(t.left, folder)
	}
}

// fault notes that the disk failed; nil that it works.
func (t *tally) fault(err error) {
	t.update(func(s *Stats) {
		switch {
		case err == nil:
			s.DiskError, s.DiskSince = "", time.Time{}
		case s.DiskError == "":
			s.DiskSince = time.Now()
			fallthrough
		default:
			s.DiskError = errorText(err)
		}
	})
}

// sent notes how a request went.
func (t *tally) sent(v verdict) {
	t.update(func(s *Stats) {
		now := time.Now()
		if v.err != nil {
			s.LastError, s.LastErrorAt = errorText(v.err), now
		}
		switch {
		case v.fate == retry && s.FailingSince.IsZero():
			s.HealthySince, s.FailingSince = time.Time{}, now
		case v.fate != retry && s.HealthySince.IsZero(): // an answer, be it a refusal, is a working destination's
			s.HealthySince, s.FailingSince = now, time.Time{}
		}
	})
}

// publish updates the statistics of what the store holds and did, all at once. Those of a closed store stay as they were.
func (s *store) publish() {
	if s.closed {
		return
	}
	var records, spans int
	var oldest time.Time
	for _, list := range s.lists {
		for _, g := range list {
			records += g.records
			spans += g.spans
			if waits := g.records > 0 || !g.counted; waits && (oldest.IsZero() || g.oldest().Before(oldest)) {
				oldest = g.oldest()
			}
		}
	}
	s.tally.update(func(t *Stats) {
		t.Bytes, t.Records, t.Spans, t.Oldest = s.bytes, records, spans, oldest
		t.apply(s.change)
	})
	s.change = change{}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A unit is spans in memory that are sent in one request.
type unit struct {
	all         []*tracepb.ResourceSpans
	spans, size int
	verdict     chan verdict // how the first request went

	// Under the spool's lock.
	held    bool // not to be sent: it is being written
	writing bool // a record of it is being written, whose end counts what became of it
	flight  bool // being sent
	settled bool // needs not be sent any more
	outcome outcome
	items   []item // what it became on disk while it was being sent
}

// ExportSpans sends the spans, or writes them to the disk. It returns nil when the
// destination has them, the disk has them, or the disk takes nothing and they are
// kept in memory; an error if they are lost, or if the context was over before that
// was known. It waits for the destination no longer than Options.Patience, and for the
// disk no longer than 1 s.
func (s *Spool) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	s.tally.update(func(t *Stats) { t.Taken += uint64(len(spans)) })
	return s.takeSpans(ctx, transform(ctx, spans), len(spans))
}

// takeSpans takes n spans that have been counted.
func (s *Spool) takeSpans(ctx context.Context, spans []*tracepb.ResourceSpans, n int) error {
	s.turn <- struct{}{} // no holder has it for long
	defer func() { <-s.turn }()
	if s.isClosed() {
		s.tally.drop(DroppedShutdown, n)
		return errClosed
	}
	s.begin()
	var errs []error
	for _, part := range chunks(spans, int(min(maxPayload, s.options.MaxBytes/8))) {
		errs = append(errs, s.export(ctx, part))
	}
	return errors.Join(errs...)
}

func (s *Spool) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Spool) export(ctx context.Context, all []*tracepb.ResourceSpans) error {
	u := &unit{all: all, spans: count(all), size: size(all), verdict: make(chan verdict, 1)}
	if s.offer(u, ctx.Err() == nil) {
		if v, ok := s.await(ctx, u); ok && v.fate != retry {
			if v.fate == refused {
				return v.err
			}
			return nil
		}
	}
	err := s.save(ctx)
	if err != nil && s.overflows(u) {
		s.tally.drop(DroppedMemory, u.spans)
		return fmt.Errorf("spool: %d spans are lost, since memory is full, the destination takes none, and the "+
			"disk: %w", u.spans, err)
	}
	return nil
}

// SetPressed gives the spool a function that reports whether more spans wait to be exported. While they
// do, spans are written and not sent first. It is safe for concurrent use.
func (s *Spool) SetPressed(pressed func() bool) { s.pressed.Store(&pressed) }

// offer puts a unit in the sender's way, and reports whether it will be sent before it is
// written: not if there is no time, others wait, or the destination fails.
func (s *Spool) offer(u *unit, inTime bool) bool {
	direct := inTime && !s.options.WriteAhead && !s.tally.waiting() && !s.tally.failing()
	if pressed := s.pressed.Load(); direct && pressed != nil && (*pressed)() {
		direct = false // waiting for the destination would hold up what comes behind
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	direct = direct && len(s.memory) == 0 && s.underWay.IsZero()
	u.held = !direct
	s.memory = append(s.memory, u)
	s.bytes += u.size
	if direct {
		s.wakeUp()
	}
	return direct
}

// await waits for the first request with a unit, as long as is meet.
func (s *Spool) await(ctx context.Context, u *unit) (v verdict, ok bool) {
	patience := time.NewTimer(s.options.Patience)
	defer patience.Stop()
	select {
	case v = <-u.verdict:
		return v, true
	case <-patience.C:
	case <-ctx.Done():
	}
	return verdict{}, false
}

// save writes what is in memory to the disk, in order. What it cannot write stays.
func (s *Spool) save(ctx context.Context) (err error) {
	ctx, cancel := grace(ctx)
	defer cancel()
	for err == nil {
		s.mu.Lock()
		var u *unit
		if len(s.memory) > 0 {
			u = s.memory[0]
			u.held = true
		}
		s.mu.Unlock()
		if u == nil {
			return nil
		}
		if err = s.write(ctx, u, false); errors.Is(err, syscall.ENOSPC) && s.failuresWait() {
			err = s.write(ctx, u, true)
		}
	}
	s.mu.Lock()
	for _, u := range s.memory {
		u.held = false
	}
	s.mu.Unlock()
	s.wakeUp()
	return err
}

// failuresWait reports whether spans that failed are in memory.
func (s *Spool) failuresWait() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.memory, func(u *unit) bool { return len(only(u.all, failed)) > 0 })
}

// write writes a unit, unless it need not be sent any more.
func (s *Spool) write(ctx context.Context, u *unit, urgent bool) error {
	s.mu.Lock()
	u.writing = !u.settled
	s.mu.Unlock()
	if !u.writing {
		return nil
	}
	all, invalid, tooLarge := records(u.all)
	entries, err := ask(ctx, s.disk, func(st *store) ([]*entry, error) { return st.append(all, urgent) }, (*store).settle)
	s.mu.Lock()
	defer s.mu.Unlock()
	u.writing = false
	if err != nil {
		if u.settled {
			s.tally.settle(u.spans, u.outcome)
		}
		s.diskFailed(err)
		return err
	}
	s.tally.fault(nil)
	s.tally.drop(DroppedInvalid, invalid)
	s.tally.drop(DroppedTooLarge, tooLarge)
	s.forget(u)
	switch o := u.outcome; {
	case u.settled: // it was sent meanwhile
		s.disk.post(func(st *store) { st.conclude(entries, o) })
	case u.flight: // it is being sent
		for _, e := range entries {
			u.items = append(u.items, item{entry: e})
		}
		items := u.items
		s.disk.post(func(st *store) { st.hold(items) })
	}
	s.wakeUp()
	return nil
}

// forget takes a unit out of memory; the lock is held.
func (s *Spool) forget(u *unit) {
	if i := slices.Index(s.memory, u); i >= 0 {
		s.memory = slices.Delete(s.memory, i, i+1)
		s.bytes -= u.size
	}
}

// overflows takes a unit out of memory again if it does not fit there. Spans that did not fail go first,
// the oldest first; they are counted here.
func (s *Spool) overflows(u *unit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(s.bytes) <= s.options.MaxMemory {
		return false
	}
	if failures := only(u.all, failed); len(failures) > 0 {
		for _, old := range slices.Clone(s.memory) {
			if int64(s.bytes) > s.options.MaxMemory && !old.flight {
				s.tally.drop(DroppedMemory, s.keepOnly(old, only(old.all, failed)))
			}
		}
	}
	if u.flight || u.settled || int64(s.bytes) <= s.options.MaxMemory || !slices.Contains(s.memory, u) {
		return false
	}
	s.forget(u)
	return true
}

// keepOnly takes all other spans of a unit out of memory, and returns how many. The lock is held.
func (s *Spool) keepOnly(u *unit, kept []*tracepb.ResourceSpans) (removed int) {
	before := u.size
	removed = u.spans - count(kept)
	u.all, u.spans, u.size = kept, u.spans-removed, size(kept)
	s.bytes += u.size - before
	if u.spans == 0 {
		s.forget(u)
	}
	return removed
}

// diskFailed notes that the disk takes nothing, and tells OpenTelemetry's error handler when
// that begins.
func (s *Spool) diskFailed(err error) {
	if !s.tally.diskFails() {
		complain(fmt.Errorf("spool: %s takes no spans, which are kept in memory and sent from there: %w", s.dir, err))
	}
	s.tally.fault(err)
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// deliver sends work and does with it what the answer asks for. While the destination takes all, and
// more waits on disk, it sends several requests at the same time.
func (s *Spool) deliver(w *work) {
	if s.streak > 0 || w.unit != nil {
		s.width = 1
	}
	all := s.alongside(w)
	verdicts, fastest := s.attemptAll(all)
	for i, w := range all {
		s.handle(w, verdicts[i])
	}
	if s.far++; fastest <= farAway {
		s.far = 0
	}
	switch {
	case s.streak > 0:
		s.width = 1
		s.dropAhead()
	case s.far >= surelyFar:
		s.width = min(4*max(s.width, 1), maxWidth)
	}
}

// How much is sent at the same time: requests, and bytes in them.
const (
	maxWidth      = 16
	maxConcurrent = 16 << 20
	// farAway is how long a request takes at least where several at the same time help. To a destination
	// that is nearer, spans are sent one request after the other, in order. A machine that is busy for a
	// moment makes one request slow, but not several in a row.
	farAway   = 10 * time.Millisecond
	surelyFar = 3
)

// alongside is work with what is to be sent at the same time.
func (s *Spool) alongside(first *work) []*work {
	all, bytes := []*work{first}, first.bytes()
	for len(all) < s.width && bytes < maxConcurrent {
		w, err := s.nextOnDisk(maxMerged, s.passedOver)
		if w == nil || err != nil {
			break
		}
		all, bytes = append(all, w), bytes+w.bytes()
	}
	return all
}

// attemptAll sends all work at the same time, and meanwhile reads what comes next. It returns how long the
// fastest request took.
func (s *Spool) attemptAll(all []*work) (verdicts []verdict, fastest time.Duration) {
	verdicts, took := make([]verdict, len(all)), make([]time.Duration, len(all))
	var requests sync.WaitGroup
	for i, w := range all {
		requests.Go(func() {
			began := time.Now()
			verdicts[i] = s.attempt(w.all)
			took[i] = time.Since(began)
		})
	}
	s.readAhead()
	requests.Wait()
	return verdicts, slices.Min(took)
}

// readAhead reads what is to be sent next. It does so only if that fills a request, since otherwise more may
// come until then, and only if one request is sent after the other: where many are under way, reading
// takes little of the time.
func (s *Spool) readAhead() {
	if s.streak > 0 || s.width > 1 || s.ahead != nil || s.tally.backlog() < 2*maxMerged {
		return
	}
	s.aheadOf = s.purges.Load()
	s.ahead, _ = s.nextOnDisk(maxMerged, s.passedOver)
}

// handle does with work what the answer asks for.
func (s *Spool) handle(w *work, v verdict) {
	suspects := v.fate == retry && len(w.items) == 1 && s.streak >= suspicious
	if v.fate == refused || suspects {
		w = s.decode(w)
	}
	if v.fate == refused && len(w.items) > 1 {
		s.apart(w)
		return
	}
	if suspects && len(w.items) == 1 {
		v = s.suspect(w, v)
	}
	s.conclude(w, v)
}

// conclude finishes work, in parts if it was refused.
func (s *Spool) conclude(w *work, v verdict) {
	if v.fate == refused {
		v = s.divide(w.all, v)
	}
	if v.fate == refused && w.unit == nil && time.Since(s.complained) > complaints { // else ExportSpans returns it
		s.complained = time.Now()
		complain(fmt.Errorf("spool: spans are dropped, and counted in Stats: %w", v.err))
	}
	s.finish(w, v)
	s.pace(v)
}

// complaints is how often dropped spans are reported.
const complaints = 10 * time.Second

// complain reports to OpenTelemetry's error handler, which belongs to the application.
func complain(err error) {
	defer func() { _ = recover() }() // one that panics ends nothing here
	otel.Handle(err)
}

// apart sends the records of a batch that was refused one by one, to find the one that is
// at fault.
func (s *Spool) apart(w *work) {
	for n, i := range w.items {
		one := &work{items: w.items[n : n+1], all: i.view}
		v := s.attempt(one.all)
		s.conclude(one, v)
		if s.streak > 0 {
			s.release(w.items[n+1:], nil)
			return
		}
	}
}

// parted is what became of spans that were sent in parts.
type parted struct {
	partial, invalid int
	rejected         []*tracepb.ResourceSpans
}

// divide sends spans that were refused in smaller parts if that may help: they
// were too many, or some are no UTF-8. What is refused then is dropped. Nothing is counted if
// they are to be sent again: then all are.
func (s *Spool) divide(all []*tracepb.ResourceSpans, v verdict) verdict {
	var o parted
	if !errors.Is(v.err, errGivenUp) {
		v = s.parts(all, v, &o)
	} else {
		o.rejected = all
	}
	if v.fate == retry {
		return v
	}
	s.reject(o.rejected)
	v.outcome = outcome{partial: o.partial, rejected: count(o.rejected), invalid: o.invalid}
	if v.fate = counted; len(o.rejected)+o.invalid > 0 {
		v.fate = refused
	}
	return v
}

// SetRejected gives the spool a function that keeps what the destination refuses for good. Its errors
// are reported to OpenTelemetry's error handler.
func (s *Spool) SetRejected(keep func([]*tracepb.ResourceSpans) error) { s.setAside.Store(&keep) }

// reject sets aside spans that the destination refused for good.
func (s *Spool) reject(all []*tracepb.ResourceSpans) {
	if keep := s.setAside.Load(); keep != nil && len(all) > 0 {
		if err := (*keep)(all); err != nil {
			complain(fmt.Errorf("spool: rejected spans could not be set aside: %w", err))
		}
	}
}

// leastDivided is how large a request is at least that may be too large. Below it a
// destination that is out of resources, and says no more, means something else, and more
// requests would not help it.
const leastDivided = 64 << 10

// parts sends parts of what was refused, one after the other, and theirs.
func (s *Spool) parts(all []*tracepb.ResourceSpans, v verdict, o *parted) verdict {
	n := count(all)
	some, invalid := valid(all)
	var rest [][]*tracepb.ResourceSpans
	switch {
	case invalid > 0:
		o.invalid += invalid
		if invalid < n {
			rest = append(rest, some)
		}
	case v.tooLarge && n > 1 && size(all) > leastDivided:
		first, second := halves(all)
		rest = append(rest, first, second)
	case v.quota && size(all) <= leastDivided: // out of resources of another kind
		return verdict{err: v.err}
	default:
		o.rejected = append(o.rejected, all...)
	}
	for _, part := range rest {
		w := s.attempt(part)
		switch w.fate {
		case refused:
			w = s.parts(part, w, o)
		case delivered:
			o.partial += min(w.outcome.partial, count(part))
		}
		if w.fate == retry {
			return w
		}
		if w.err != nil {
			v.err = w.err
		}
	}
	return v
}

var errGivenUp = errors.New("the destination takes others but not these")

// maxPassedOver bounds the records that are passed over.
const maxPassedOver = 64

// suspect finds out if the oldest record, which failed several times, is itself at
// fault. It asks with a request of no spans, which a destination that works answers, then again
// with the record, and then with what comes after it. If that is taken three times, and the
// failures are ones that spans can cause, the record is given up. If they are others, such as gRPC's
// Unavailable, the record is sent after all others.
func (s *Spool) suspect(w *work, v verdict) verdict {
	if s.request(nil).fate == retry {
		return v
	}
	if v = s.attempt(w.all); v.fate != retry { // the destination works again
		return v
	}
	oldest := w.items[0]
	after, err := s.nextOnDisk(1, s.passedOver)
	if err != nil || after == nil {
		return v
	}
	after = s.decode(after)
	next := s.attempt(after.all)
	if next.fate == refused {
		next = s.divide(after.all, next)
	}
	s.finish(after, next)
	if next.fate == retry {
		return v
	}
	if s.suspected != oldest.entry {
		s.suspected, s.blame, s.proved = oldest.entry, 0, true
	}
	s.proved = s.proved && v.evidence
	if s.blame++; s.blame < maxBlame {
		s.streak = suspicious - 1 // the destination works: no need to wait longer
		return v
	}
	if s.proved {
		return verdict{fate: refused, err: fmt.Errorf("%w: %w", errGivenUp, v.err)}
	}
	if s.suspected = nil; len(s.passedOver) < maxPassedOver {
		s.passedOver = append(s.passedOver, oldest.entry)
	}
	s.streak = suspicious - 1
	return v
}

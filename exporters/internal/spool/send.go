// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	// maxMerged is how many spans records are put together to, for one request.
	maxMerged = 512
	// suspicious is after how many failures in a row the oldest record is sent alone, and the next one
	// after it: if that is taken, the fault is with the oldest.
	suspicious = 3
	// maxBlame is how often others are taken before a record is given up.
	maxBlame = 3
	// napTime is how long the sender rests when the disk does not answer.
	napTime = 100 * time.Millisecond
)

// work is what is sent in one request: items from the disk, or a unit.
type work struct {
	items   []item
	unit    *unit
	all     []*tracepb.ResourceSpans
	encoded bool // all is, or a part of it
}

// bytes is how many bytes on disk the work has.
func (w *work) bytes() (n int) {
	for _, i := range w.items {
		n += i.entry.length
	}
	return n
}

// send sends what waits until it is stopped.
func (s *Spool) send() {
	defer close(s.ended)
	for s.ready() {
		s.round <- struct{}{}
		w, err := s.next(s.batchSize())
		s.mu.Lock()
		s.stuck = w == nil && errors.Is(err, errUnreadable)
		s.mu.Unlock()
		if w != nil {
			s.deliver(w)
		}
		<-s.round
		s.stepped()
		if err != nil && w == nil && !s.nap() {
			return
		}
	}
}

// batchSize is how many spans to send at once: one record if it may be that one that the
// destination fails at.
func (s *Spool) batchSize() int {
	if s.streak >= suspicious {
		return 1
	}
	return maxMerged
}

// ready waits until there is something to send and it may be sent, and reports false
// when the sender is to end: it is stopped, and nothing is left or the destination failed once
// more.
func (s *Spool) ready() bool {
	for {
		waits, stopped := s.waits(), isClosed(s.stop)
		left := time.Until(s.notBefore)
		switch {
		case stopped && (!waits || left > 0 && s.lastTried):
			return false
		case stopped && left > 0: // one more request, since the destination may be back
			s.lastTried, s.notBefore = true, time.Time{}
			return true
		case !waits:
			select {
			case <-s.wake:
			case <-s.stop:
			}
		case left <= 0:
			return true
		default:
			s.rest(left)
		}
	}
}

// rest waits that long, or until a flush asks for a request and no server has asked
// the sender to wait.
func (s *Spool) rest(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.stop:
	case <-s.kick:
		if !s.throttled {
			s.notBefore = time.Time{}
			return
		}
		s.mu.Lock()
		s.failed++ // the flush need not wait
		s.mu.Unlock()
		s.stepped()
	}
}

// nap waits a moment, and reports false if the sender is stopped.
func (s *Spool) nap() bool {
	timer := time.NewTimer(napTime)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.stop:
		return false
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// waits reports whether there is something to send.
func (s *Spool) waits() bool {
	if s.tally.waiting() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.memory) > 0 && !s.memory[0].held
}

var errPanicked = errors.New("spool: the client panicked")

var errUnreadable = errors.New("spool: what is on disk cannot be read now")

// next is what to send next: what is on disk, else what is in memory. It is nil if there
// is nothing, and an error if the disk does not answer and there is nothing in memory.
func (s *Spool) next(spans int) (*work, error) {
	var err error
	if s.tally.waiting() {
		if w := s.takeAhead(); w != nil {
			return w, nil
		}
		var w *work
		w, err = s.nextOnDisk(spans, s.passedOver)
		if w == nil && len(s.passedOver) > 0 { // all others are sent
			s.passedOver = nil
			w, err = s.nextOnDisk(spans, nil)
		}
		if w != nil {
			return w, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.memory) == 0 || s.memory[0].held {
		return nil, err
	}
	u := s.memory[0]
	u.flight = true
	return &work{unit: u, all: u.all}, nil
}

// takeAhead is the next of what was read ahead; nil if there is none.
func (s *Spool) takeAhead() *work {
	if s.aheadOf != s.purges.Load() {
		s.dropAhead()
	}
	w := s.ahead
	s.ahead = nil
	return w
}

// dropAhead ends the sending of what was read ahead, until it is read again.
func (s *Spool) dropAhead() {
	if s.ahead != nil {
		s.release(s.ahead.items, nil)
		s.ahead = nil
	}
}

// nextOnDisk is what to send next of what is on disk, without some entries; nil if there is nothing else.
func (s *Spool) nextOnDisk(spans int, without []*entry) (*work, error) {
	items, err := ask(s.life, s.disk,
		func(st *store) ([]item, error) {
			items := st.next(spans, without)
			if len(items) == 0 && st.waits() {
				return nil, errUnreadable
			}
			return items, nil
		},
		func(st *store, items []item) { st.release(items, nil) })
	if len(items) == 0 {
		return nil, err
	}
	e, ok := s.client.(Encoder)
	return s.read(items, ok && e.OnlyEncodes()), nil
}

// decode is work whose spans can be looked at.
func (s *Spool) decode(w *work) *work {
	if !w.encoded {
		return w
	}
	return s.read(w.items, false)
}

// read makes spans of what was on disk, which need not be decoded if they are only to be sent.
func (s *Spool) read(items []item, onlySent bool) *work {
	w := new(work)
	for _, i := range items {
		if i.view == nil {
			if all, ok := encoded(i.payload); ok && onlySent {
				w.items, w.all, w.encoded = append(w.items, i), append(w.all, all...), true
				continue
			}
			var data tracepb.TracesData
			if proto.Unmarshal(i.payload, &data) != nil {
				s.disk.post(func(st *store) { st.release([]item{i}, nil); st.unreadable(i.entry) })
				continue
			}
			i.view, i.payload = data.GetResourceSpans(), nil
		}
		w.items, w.all = append(w.items, i), append(w.all, i.view...)
	}
	return w
}

// release ends the sending of items, for good if there is an outcome.
func (s *Spool) release(items []item, o *outcome) {
	if len(items) == 0 {
		return
	}
	s.disk.post(func(st *store) { st.release(items, o) })
}

// attempt sends spans, and notes how that went. A refusal counts as one only if the destination
// takes a request without spans right after it.
func (s *Spool) attempt(all []*tracepb.ResourceSpans) (v verdict) {
	if len(all) == 0 { // all of it was damaged
		return verdict{fate: delivered}
	}
	v = s.request(all)
	if v.fate == refused && s.request(nil).fate != delivered {
		// A destination that does not even take an empty request may be none: a proxy, a port of
		// something else, TLS where there is none. It may not decide that spans are lost.
		v.fate, v.hold, v.evidence = retry, true, true
		v.err = advise(v.err, noOTLP)
	}
	if v.fate == retry {
		s.mu.Lock()
		s.failed++
		s.mu.Unlock()
		if s.life.Err() != nil {
			return v // it was ended by us, which says nothing of the destination
		}
		if !s.tally.failing() {
			complain(fmt.Errorf("spool: the destination fails; spans are kept in %s: %w", s.dir, v.err))
		}
	}
	s.tally.sent(v)
	return v
}

// request sends one request.
func (s *Spool) request(all []*tracepb.ResourceSpans) (v verdict) {
	ctx, cancel := context.WithTimeout(s.life, s.options.Timeout)
	defer cancel()
	ctx, a := withAnswer(ctx)
	s.began()
	defer func() {
		if r := recover(); r != nil {
			v = verdict{evidence: true, err: fmt.Errorf("%w: %T", errPanicked, s.client)}
		}
		s.returned()
	}()
	return judge(s.client.UploadTraces(ctx, all), *a)
}

// began notes that a request is under way.
func (s *Spool) began() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests++; s.requests == 1 {
		s.underWay = time.Now()
	}
}

// returned notes that a request is over.
func (s *Spool) returned() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests--; s.requests == 0 {
		s.underWay = time.Time{}
	}
}

// finish does what a verdict says of work.
func (s *Spool) finish(w *work, v verdict) {
	if w.unit != nil {
		w.items = s.finishUnit(w.unit, v)
	}
	if v.fate == retry {
		s.release(w.items, nil)
		return
	}
	o := v.outcome
	for _, i := range w.items {
		if i.late || i.at.Before(s.lastFailed) {
			o.late += i.spans
		}
	}
	s.release(w.items, &o)
}

// finishUnit does it for a unit, and returns what it became on disk meanwhile.
func (s *Spool) finishUnit(u *unit, v verdict) (onDisk []item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.flight = false
	if v.fate != retry && !u.settled {
		u.settled, u.outcome = true, v.outcome
		s.forget(u)
		if len(u.items) == 0 && !u.writing {
			s.tally.settle(u.spans, u.outcome)
		}
	}
	select {
	case u.verdict <- v:
	default: // only the first is waited for
	}
	onDisk, u.items = u.items, nil
	return onDisk
}

// holdBackoff is the time between two requests to a destination whose configuration is at fault.
const holdBackoff = 30 * time.Second

// pace decides when the next request may be sent.
func (s *Spool) pace(v verdict) {
	if v.fate != retry {
		s.streak, s.notBefore, s.throttled = 0, time.Time{}, false
		return
	}
	s.lastFailed = time.Now()
	o := s.options
	d := o.MinBackoff
	for range s.streak {
		if d *= 2; d >= o.MaxBackoff {
			d = o.MaxBackoff
			break
		}
	}
	if v.hold {
		d = max(o.MaxBackoff, min(6*o.MaxBackoff, holdBackoff))
	}
	s.streak++
	d -= rand.N(d/2 + 1)
	s.throttled = v.wait > 0
	s.notBefore = time.Now().Add(max(d, v.wait))
}

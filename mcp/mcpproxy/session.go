// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"crypto/rand"
	"slices"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// side is who sent a message.
type side uint8

const (
	fromClient side = iota
	fromServer
)

// session is one connection of a client to the server. It belongs to the Watcher's
// goroutine, but for tools.
type session struct {
	w        *Watcher
	http     bool
	governed bool // calls are watched where they are governed
	named    atomic.Pointer[sessionName]
	began    time.Time
	fleeting bool      // it lives for one request; httpSessions', under its lock
	used     time.Time // the same

	agreed       atomic.Pointer[string] // the protocol's version
	client, peer peer
	capabilities [2][]string // by side
	initialized  bool
	tools        *toolTable
	list, pages  *toolList // the latest one that was complete, and one that is not yet

	open      map[operationKey]*operation
	suspended *suspended    // the Watcher's, for one that lives for one request
	rounds    rounds        // the same, of governed calls
	givable   givable       // governed calls over HTTP
	sessions  *httpSessions // that it is one of; nil over pipes
	gone      []goneCall    // cancelled calls, oldest first
	order     uint64
	stderr    *stream
	noting    bool // add notes the keys in begun
	begun     []operationKey
}

// sessionName is how a session is called.
type sessionName struct {
	id       string // for statistics: the protocol's, or made up where that has none
	protocol string // the protocol's id, "" without one
}

// operationKey tells requests apart: each side has its own ids.
type operationKey struct {
	from side
	id   string
}

// goneCall is a call whose caller gave up.
type goneCall struct {
	key  operationKey
	tool string
	at   time.Time
}

// The bounds of what a session remembers.
const (
	maxOpen = 1024
	maxGone = 256
)

// newSession makes a session. It must be joined by the Watcher's goroutine.
func newSession(w *Watcher, protocolID string) *session {
	s := &session{
		w: w, began: time.Now(), tools: &toolTable{earlier: &w.earlier}, suspended: new(suspended),
		open: map[operationKey]*operation{},
	}
	s.name(protocolID)
	return s
}

// name gives a session the protocol's id, "" for none. Safe for concurrent use.
func (s *session) name(protocolID string) { s.named.Store(&sessionName{protocolID, protocolID}) }

// called is how the session is called; one that has no id gets one when somebody asks. Safe for
// concurrent use.
func (s *session) called() sessionName {
	n := s.named.Load()
	for n.id == "" {
		s.named.CompareAndSwap(n, &sessionName{id: rand.Text()})
		n = s.named.Load()
	}
	return *n
}

// join makes the session one of those that are looked at.
func (s *session) join() { s.w.tap.later(func() { s.w.sessions[s] = struct{}{} }) }

// stream is one for what a side sends.
func (s *session) stream(from side, framing framing) *stream {
	most := 0
	if o := &s.w.options; from == fromServer && (o.AcceptTools || o.PinTools) {
		most = maxList
	}
	return &stream{framing: framing, take: func(f frame) { s.frame(from, f) }, lost: func() { s.frameLost(from) }, most: most}
}

// frame takes in what one side sent.
func (s *session) frame(from side, f frame) {
	list, ok := messages(f)
	if !ok {
		s.stray(from, f)
		return
	}
	if f.skim != nil {
		s.w.notes.add(note{kind: noteLongFrame, session: s})
	}
	for i := range list {
		s.message(from, &list[i], f.at)
	}
}

// frameLost is told that a frame was dropped before it was looked at. Answers that were lost
// end their calls when the session does.
func (s *session) frameLost(from side) {
	s.w.notes.add(note{kind: noteLostFrame, session: s})
	if from == fromServer {
		for _, o := range s.open {
			o.uncertain = true
		}
	}
}

// message takes in a message.
func (s *session) message(from side, m *message, at time.Time) {
	switch {
	case m.request():
		s.begin(from, m, at)
	case m.Method == methodCancelled:
		s.cancelled(from, m, at)
	case m.Method != "": // another notification
	case m.key() != "":
		s.answer(from, m, at)
	}
}

// begin begins an operation for a request.
func (s *session) begin(from side, m *message, at time.Time) {
	p := m.params()
	if m.Method == methodCallTool && from == fromClient {
		if s.governed {
			return
		}
		if o := s.suspended.take(&p); o != nil {
			o.rounds++
			o.asked = at
			s.add(operationKey{from, m.key()}, o)
			return
		}
	}
	o := s.newOperation(from, m, &p, at)
	if o == nil {
		return
	}
	s.add(operationKey{from, m.key()}, o)
}

// add remembers an operation that waits for its answer; of too many the oldest is given up.
func (s *session) add(key operationKey, o *operation) {
	if before := s.open[key]; before != nil { // an id that is used twice
		before.finish(time.Now(), &outcome{err: errUnanswered})
	} else if len(s.open) >= maxOpen {
		oldest := key
		for k, o := range s.open {
			if s.open[oldest] == nil || o.order < s.open[oldest].order {
				oldest = k
			}
		}
		s.open[oldest].finish(time.Now(), &outcome{err: errUnseen})
		delete(s.open, oldest)
	}
	s.order++
	o.order = s.order
	s.open[key] = o
	if s.noting {
		s.begun = append(s.begun, key)
	}
}

// answer ends the operation that a message answers.
func (s *session) answer(from side, m *message, at time.Time) {
	key := operationKey{fromClient, m.key()}
	if from == fromClient {
		key.from = fromServer
	}
	o := s.open[key]
	if o == nil {
		s.late(key)
		return
	}
	delete(s.open, key)
	a := m.answered()
	if o.call() && a.suspended() && m.Error == nil {
		s.suspended.put(o, a.RequestState, at)
		return
	}
	switch {
	case m.Error != nil:
	case o.method == methodInitialize:
		s.initialize(o, m)
	case o.method == methodListTools && from == fromServer:
		s.listed(o, m.Result)
	}
	o.finish(at, &outcome{message: m, answered: a})
}

// late notes an answer to a call whose caller had given up.
func (s *session) late(key operationKey) {
	i := slices.IndexFunc(s.gone, func(g goneCall) bool { return g.key == key })
	if i < 0 {
		return
	}
	s.w.notes.add(note{kind: noteLate, session: s, tool: s.gone[i].tool})
	s.gone = slices.Delete(s.gone, i, i+1)
}

// cancelled ends the request that its sender gave up.
func (s *session) cancelled(from side, m *message, at time.Time) {
	p := m.params()
	key := operationKey{from, string(p.RequestID)}
	o := s.open[key]
	if o == nil {
		return
	}
	delete(s.open, key)
	if o.call() {
		s.w.notes.add(note{kind: noteCancelled, session: s, tool: o.label()})
	}
	if len(s.gone) >= maxGone {
		s.gone = slices.Delete(s.gone, 0, 1)
	}
	s.gone = append(s.gone, goneCall{key, o.label(), at})
	o.finish(at, &outcome{err: context.Canceled})
}

// look notes calls that hang.
func (s *session) look(now time.Time) {
	for _, o := range s.open {
		if o.call() && now.Sub(o.asked) >= s.w.options.HungAfter {
			o.hangs()
		}
	}
	s.rounds.expire(now.Add(-maxSuspension))
}

// close ends the session, and what is open of it. err is why its connection ended.
func (s *session) close(at time.Time, err error) {
	if _, ok := s.w.sessions[s]; !ok {
		return
	}
	delete(s.w.sessions, s)
	for key, o := range s.open {
		out := outcome{err: errUnanswered}
		if err != nil {
			out.err = err
		}
		if o.uncertain {
			out.err = errUnseen
		} else if o.call() {
			s.w.notes.add(note{kind: noteUnanswered, session: s, tool: o.label()})
		}
		o.finish(at, &out)
		delete(s.open, key)
	}
	if s.suspended != &s.w.suspended {
		s.suspended.end(len(s.suspended.calls), at)
	}
	s.rounds.close()
	if s.initialized {
		l := labels{version: s.version(), http: s.http}
		s.w.metrics.session.Record(context.Background(), max(0, at.Sub(s.began)).Seconds(), metric.WithAttributes(l.attributes()...))
	}
	if s.initialized || s.list != nil || !s.http {
		s.w.notes.closed(s)
	}
}

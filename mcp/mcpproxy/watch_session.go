// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/metric"
)

// session is one connection of a client to the server. It belongs to the goroutine of the tap, but for tools,
// rounds and what [connection] says.
type session struct {
	connection
	governed bool        // calls are observed where they are governed
	fleeting atomic.Bool // it lives for one request
	began    time.Time

	client, peer peer
	capabilities [2][]string // by side
	initialized  bool
	list, pages  *toolList // the latest one that was complete, and one that is not yet

	open      map[operationKey]*operation
	suspended *waiting   // the engine's, for one that lives for one request
	rounds    waiting    // governed calls
	gone      []goneCall // cancelled calls, oldest first
	order     uint64
	stderr    *stream
	noting    bool // remember keeps the keys in begun
	begun     []operationKey
}

// operationKey tells requests apart: each side has its own ids.
type operationKey struct {
	from side
	id   string
}

// requestKey is the key of a request of the client.
func requestKey(id jsontext.Value) operationKey { return operationKey{fromClient, string(id)} }

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

// newSession makes a session of a protocol's id, "" for none. The watcher is to join it.
func newSession(w *engine, protocolID string) *session {
	s := &session{began: time.Now(), suspended: new(waiting), open: map[operationKey]*operation{}}
	s.w, s.tools = w, &toolTable{earlier: &w.earlier}
	s.setName(protocolID)
	return s
}

// newHTTPSession is newSession over HTTP. Without an id it lives for one request, with tools of its own
// protocol's peers.
func newHTTPSession(w *engine, protocolID string, tools *toolTable) *session {
	s := newSession(w, protocolID)
	s.http = true
	if protocolID == "" {
		s.fleeting.Store(true)
		s.tools, s.suspended = tools, &w.suspended
	}
	return s
}

// keep gives a session that was to live for one request the protocol's id, and has it live on.
func (s *session) keep(protocolID string) {
	s.setName(protocolID)
	s.fleeting.Store(false)
	s.w.tap.callLater(func() { s.suspended = new(waiting) })
}

// stream is one for what a side sends.
func (s *session) stream(from side, framing framing) *stream {
	most := 0
	if from == fromServer && (s.w.acceptTools || s.w.pinTools) {
		most = maxList
	}
	return &stream{framing: framing, onFrame: func(f frame) { s.frame(from, f) }, onLoss: func() { s.frameLost(from) }, most: most}
}

// stderrStream is one for the server's standard error.
func (s *session) stderrStream() *stream {
	s.stderr = &stream{framing: byLine, onFrame: s.stderrLine}
	return s.stderr
}

// noteRequests has the keys of the requests that a stream of the client's begins given to begun.
func (s *session) noteRequests(requests *stream, begun func(keys []operationKey)) {
	onFrame := requests.onFrame
	requests.onFrame = func(f frame) {
		s.noting, s.begun = true, nil
		onFrame(f)
		s.noting = false
		begun(s.begun)
	}
}

// pins are the filter for the lists of tools that go to the client.
func (s *session) pins() *pinFilter {
	return &pinFilter{
		baseline: s.w.baseline,
		leftOut:  func(tool string) { s.record(note{kind: noteLeftOut, tool: s.w.clean(tool)}) },
		refused:  func() { s.record(note{kind: noteRefusedOutput}) },
	}
}

// record records what was noticed in the session. Safe for concurrent use.
func (s *session) record(n note) {
	n.session = s.called().id
	s.w.notes.record(n)
}

// frame takes in what one side sent.
func (s *session) frame(from side, f frame) {
	list, ok := messagesOf(f)
	if !ok {
		s.stray(from, f)
		return
	}
	if f.skim != nil {
		s.record(note{kind: noteLongFrame})
	}
	for i := range list {
		s.message(from, &list[i], f.at)
	}
}

// messagesOf are the messages of a frame, one but for a batch; ok is false if it is not JSON-RPC.
func messagesOf(f frame) (list []message, ok bool) {
	if f.skim == nil {
		return parseMessages(f.data, f.size)
	}
	m, ok := skimmedMessage(f.skim, f.size)
	return []message{m}, ok && !f.torn
}

// frameLost is told that a frame was dropped before it was looked at. Answers that were lost
// end their calls when the session does.
func (s *session) frameLost(from side) {
	s.record(note{kind: noteLostFrame})
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
		s.request(from, m, at)
	case m.Method == methodCancelled:
		s.cancelled(from, m, at)
	case m.Method != "": // another notification
	case m.key() != "":
		s.answer(from, m, at)
	}
}

// request begins an operation for a request, or the next round of one.
func (s *session) request(from side, m *message, at time.Time) {
	p := m.params()
	if m.Method == methodCallTool && from == fromClient {
		if s.governed {
			return
		}
		if p.carriesInput() {
			if n := s.suspended.take(roundKey{p.Name, quickDigest(p.Arguments), quickDigest([]byte(p.RequestState))}); n != nil {
				n.op.rounds++
				n.op.asked = at
				s.keepOpen(operationKey{from, m.key()}, n.op)
				return
			}
		}
	}
	if m.Method == methodInitialize {
		s.client, s.capabilities[fromClient] = p.ClientInfo, names(p.Capabilities)
	}
	if o := s.begin(from, m, &p, at); o != nil {
		s.keepOpen(operationKey{from, m.key()}, o)
	}
}

// keepOpen remembers an operation that waits for its answer; of too many the oldest is given up.
func (s *session) keepOpen(key operationKey, o *operation) {
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
		key := roundKey{o.name, o.arguments, quickDigest([]byte(a.RequestState))}
		o.asked = at
		if !s.suspended.put(&round{op: o, key: key, at: at}) {
			o.finish(at, &outcome{suspended: true})
		}
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
	s.record(note{kind: noteLate, tool: s.gone[i].tool})
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
		s.record(note{kind: noteCancelled, tool: o.label()})
	}
	if len(s.gone) >= maxGone {
		s.gone = slices.Delete(s.gone, 0, 1)
	}
	s.gone = append(s.gone, goneCall{key, o.label(), at})
	o.finish(at, &outcome{err: context.Canceled})
}

// refuse ends requests that have reached no server, or that the server does not answer.
func (s *session) refuse(keys []operationKey, err *wireError) {
	for _, key := range keys {
		o := s.open[key]
		if o == nil {
			continue
		}
		delete(s.open, key)
		if err == errUnanswered && o.call() {
			s.record(note{kind: noteUnanswered, tool: o.label()})
		}
		o.finish(time.Now(), &outcome{err: err})
	}
}

// findHung notes calls that hang.
func (s *session) findHung(now time.Time) {
	for _, o := range s.open {
		if o.call() && now.Sub(o.asked) >= s.w.hungAfter {
			o.hangs()
		}
	}
	s.rounds.expire(now.Add(-maxSuspension))
}

// close ends what is open of the session. err is why its connection ended.
func (s *session) close(at time.Time, err error) {
	for key, o := range s.open {
		out := outcome{err: errUnanswered}
		if err != nil {
			out.err = err
		}
		if o.uncertain {
			out.err = errUnseen
		} else if o.call() {
			s.record(note{kind: noteUnanswered, tool: o.label()})
		}
		o.finish(at, &out)
		delete(s.open, key)
	}
	if s.suspended != &s.w.suspended {
		s.suspended.close()
	}
	s.rounds.close()
	if s.initialized {
		l := labels{version: s.version(), http: s.http}
		s.w.metrics.session.Record(context.Background(), max(0, at.Sub(s.began)).Seconds(), metric.WithAttributes(l.attributes()...))
	}
	if s.initialized || s.list != nil || !s.http {
		s.w.notes.recordEnd(s.report(false))
	}
}

// report is the session as people see it. It is for the goroutine.
func (s *session) report(open bool) sessionReport {
	w := s.w
	r := sessionReport{
		ID: w.clean(s.called().id), Began: s.began.UTC(), Open: open, ProtocolVersion: s.version().String(), Waiting: len(s.open),
		ClientCapabilities: s.cleaned(fromClient), ServerCapabilities: s.cleaned(fromServer), ChangedTools: s.tools.changedNames(w.clean),
	}
	if s.suspended != &w.suspended {
		r.Waiting += s.suspended.expire(time.Time{}) + s.rounds.expire(time.Time{})
	}
	if s.client.Name != "" {
		r.Client = w.clean(s.client.Name + " " + s.client.Version)
	}
	if s.peer.Name != "" {
		r.Server = w.clean(s.peer.Name + " " + s.peer.Version)
	}
	if s.list != nil {
		r.Tools, r.ToolsBytes, r.ToolsTokens = len(s.list.tools), s.list.bytes, s.list.tokens()
	}
	return r
}

// stray is a frame that is no message. Over HTTP its text is not told: it may be the answer of an
// authorization server.
func (s *session) stray(from side, f frame) {
	n := note{kind: noteStrayInput}
	switch {
	case f.torn:
		n.kind = noteTornFrame
	case from == fromServer:
		n.kind = noteStrayOutput
	}
	if !s.http {
		n.text = beginning(f.data)
	}
	s.record(n)
}

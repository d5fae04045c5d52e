// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// Session is one connection of a client to the server. It belongs to the goroutine of the tap, but for tools,
// rounds and what [connection] says.
type Session struct {
	Connection
	Governed bool        // calls are observed where they are governed
	Fleeting atomic.Bool // it lives for one request
	began    time.Time

	client, peer wire.Peer
	capabilities [2][]string // by side
	initialized  bool
	list, pages  *toolList // the latest one that was complete, and one that is not yet

	Open      map[OperationKey]*Operation
	suspended *Waiting       // the engine's, for one that lives for one request
	Rounds    Waiting        // governed calls
	gone      []goneCall     // cancelled calls, oldest first
	order     uint64         // of the last operation in Open
	waiting   [2]waitingList // the keys of Open, by the side that asked
	Stderr    *frames.Stream
	noting    bool // remember keeps the keys in begun
	begun     []OperationKey
}

// OperationKey tells requests apart: each side has its own ids.
type OperationKey struct {
	from Side
	id   string
}

// RequestKey is the key of a request of the client.
func RequestKey(id jsontext.Value) OperationKey { return OperationKey{FromClient, string(id)} }

// goneCall is a call whose caller gave up.
type goneCall struct {
	key  OperationKey
	tool string
	at   time.Time
}

// The bounds of what a session remembers. Those of a side's requests are apart from the other's: a server that floods its
// client with requests does not have the client's calls forgotten.
const (
	MaxOpen = 1024 // of each side
	maxGone = 256
)

// NewSession makes a session of a protocol's id, "" for none. The watcher is to join it.
func NewSession(w *Engine, protocolID string) *Session {
	s := &Session{began: time.Now(), suspended: new(Waiting), Open: map[OperationKey]*Operation{}}
	s.Engine, s.Tools = w, &ToolTable{Earlier: &w.Earlier}
	s.SetName(protocolID)
	return s
}

// NewHTTPSession is newSession over HTTP. Without an id it lives for one request, with tools of its own
// protocol's peers.
func NewHTTPSession(w *Engine, protocolID string, tools *ToolTable) *Session {
	s := NewSession(w, protocolID)
	s.http = true
	if protocolID == "" {
		s.Fleeting.Store(true)
		s.Tools, s.suspended = tools, &w.suspended
	}
	return s
}

// Keep gives a session that was to live for one request the protocol's id, and has it live on.
func (s *Session) Keep(protocolID string) {
	s.SetName(protocolID)
	s.Fleeting.Store(false)
	s.Engine.Tap.CallLater(func() { s.suspended = new(Waiting) })
}

// Stream is one for what a side sends.
func (s *Session) Stream(from Side, framing frames.Framing) *frames.Stream {
	most := 0
	if from == FromServer && (s.Engine.AcceptTools || s.Engine.PinTools) {
		most = frames.MaxList
	}
	return &frames.Stream{
		Framing: framing, OnFrame: func(f frames.Frame) { s.frame(from, f) }, OnLoss: func() { s.frameLost(from) },
		Most: most,
	}
}

// StderrStream is one for the server's standard error.
func (s *Session) StderrStream() *frames.Stream {
	s.Stderr = &frames.Stream{Framing: frames.ByLine, OnFrame: s.stderrLine}
	return s.Stderr
}

// NoteRequests has the keys of the requests that a stream of the client's begins given to begun.
func (s *Session) NoteRequests(requests *frames.Stream, begun func(keys []OperationKey)) {
	onFrame := requests.OnFrame
	requests.OnFrame = func(f frames.Frame) {
		s.noting, s.begun = true, nil
		onFrame(f)
		s.noting = false
		begun(s.begun)
	}
}

// Pins are the filter for the lists of tools that go to the client.
func (s *Session) Pins() *pins.Filter {
	return &pins.Filter{
		Baseline: s.Engine.Baseline,
		LeftOut:  func(tool string) { s.Record(Note{Kind: NoteLeftOut, tool: s.Engine.clean(tool)}) },
		Refused:  func() { s.Record(Note{Kind: NoteRefusedOutput}) },
	}
}

// Record records what was noticed in the session. Safe for concurrent use.
func (s *Session) Record(n Note) {
	n.session = s.Called().ID
	s.Engine.notes.record(n)
}

// frame takes in what one side sent.
func (s *Session) frame(from Side, f frames.Frame) {
	list, ok := messagesOf(f)
	if !ok {
		s.stray(from, f)
		return
	}
	if f.Skim != nil {
		s.Record(Note{Kind: NoteLongFrame})
	}
	for i := range list {
		s.message(from, &list[i], f.At)
	}
}

// messagesOf are the messages of a frame, one but for a batch; ok is false if it is not JSON-RPC.
func messagesOf(f frames.Frame) (list []wire.Message, ok bool) {
	if f.Skim == nil {
		return wire.ParseMessages(f.Data, f.Size)
	}
	m, ok := wire.SkimmedMessage(f.Skim, f.Size)
	return []wire.Message{m}, ok && !f.Torn
}

// frameLost notes that a frame was dropped before it was looked at. Answers that were lost
// end their calls when the session does.
func (s *Session) frameLost(from Side) {
	s.Record(Note{Kind: NoteLostFrame})
	if from == FromServer {
		for _, o := range s.Open {
			o.uncertain = true
		}
	}
}

// message takes in a message.
func (s *Session) message(from Side, m *wire.Message, at time.Time) {
	switch {
	case m.IsRequest():
		s.request(from, m, at)
	case m.Method == wire.MethodCancelled:
		s.cancelled(from, m, at)
	case m.Method != "": // another notification
	case m.Key() != "":
		s.answer(from, m, at)
	}
}

// request begins an operation for a request, or the next round of one.
func (s *Session) request(from Side, m *wire.Message, at time.Time) {
	p := m.ReadParams()
	if m.Method == wire.MethodCallTool && from == FromClient {
		if s.Governed {
			return
		}
		if p.CarriesInput() {
			if n := s.suspended.Claim(roundKey{p.Name, quickDigest(p.Arguments), quickDigest([]byte(p.RequestState))}); n != nil {
				n.Op.Rounds++
				n.Op.asked = at
				s.keepOpen(OperationKey{from, m.Key()}, n.Op)
				return
			}
		}
	}
	if m.Method == wire.MethodInitialize {
		s.client, s.capabilities[FromClient] = p.ClientInfo, names(p.Capabilities)
	}
	if o := s.begin(from, m, &p, at); o != nil {
		s.keepOpen(OperationKey{from, m.Key()}, o)
	}
}

// answer ends the operation that a message answers.
func (s *Session) answer(from Side, m *wire.Message, at time.Time) {
	o, key := s.answered(OperationKey{1 - from, m.Key()})
	if o == nil {
		s.late(key)
		return
	}
	s.forget(key)
	a := m.ReadResult()
	if o.call() && a.AsksForInput() && m.Error == nil {
		key := roundKey{o.name, o.arguments, quickDigest([]byte(a.RequestState))}
		o.asked = at
		if !s.suspended.Keep(&Round{Op: o, Key: key, At: at}) {
			o.finish(at, &outcome{suspended: true})
		}
		return
	}
	switch {
	case m.Error != nil:
	case o.method == wire.MethodInitialize:
		s.initialize(o, m)
	case o.method == wire.MethodListTools && from == FromServer:
		s.listed(o, m.Result)
	}
	o.finish(at, &outcome{message: m, answered: a})
}

// answered is the operation that waits for the answer of an id, nil if none does: of the very id, or of one that clients
// take for the same, as 1 for "1".
func (s *Session) answered(key OperationKey) (*Operation, OperationKey) {
	if o := s.Open[key]; o != nil || len(s.Open) == 0 {
		return o, key
	}
	other := OperationKey{key.from, wire.PlainID(jsontext.Value(key.id))}
	if o := s.Open[other]; o != nil {
		return o, other
	}
	if n, ok := wire.NumberIn(jsontext.Value(key.id)); ok {
		other.id = n
		if o := s.Open[other]; o != nil {
			return o, other
		}
	}
	return nil, key
}

// late notes an answer to a call whose caller had given up.
func (s *Session) late(key OperationKey) {
	i := slices.IndexFunc(s.gone, func(g goneCall) bool { return g.key == key })
	if i < 0 {
		return
	}
	s.Record(Note{Kind: NoteLate, tool: s.gone[i].tool})
	s.gone = slices.Delete(s.gone, i, i+1)
}

// cancelled ends the request that its sender gave up.
func (s *Session) cancelled(from Side, m *wire.Message, at time.Time) {
	p := m.ReadParams()
	key := OperationKey{from, string(p.RequestID)}
	o := s.Open[key]
	if o == nil {
		return
	}
	s.forget(key)
	if o.call() {
		s.Record(Note{Kind: NoteCancelled, tool: o.label()})
	}
	if len(s.gone) >= maxGone {
		s.gone = slices.Delete(s.gone, 0, 1)
	}
	s.gone = append(s.gone, goneCall{key, o.label(), at})
	o.finish(at, &outcome{err: context.Canceled})
}

// Refuse ends requests that have reached no server, or that the server does not answer.
func (s *Session) Refuse(keys []OperationKey, err *WireError) {
	for _, key := range keys {
		o := s.Open[key]
		if o == nil {
			continue
		}
		s.forget(key)
		if err == ErrUnanswered && o.call() {
			s.Record(Note{Kind: NoteUnanswered, tool: o.label()})
		}
		o.finish(time.Now(), &outcome{err: err})
	}
}

// findHung notes calls that hang.
func (s *Session) findHung(now time.Time) {
	for _, o := range s.Open {
		if o.call() && now.Sub(o.asked) >= s.Engine.HungAfter {
			o.Hangs()
		}
	}
	s.Rounds.expire(now.Add(-MaxSuspension))
}

// close ends what is open of the session. err is why its connection ended.
func (s *Session) close(at time.Time, err error) {
	for key, o := range s.Open {
		out := outcome{err: ErrUnanswered}
		if err != nil {
			out.err = err
		}
		if o.uncertain {
			out.err = errUnseen
		} else if o.call() {
			s.Record(Note{Kind: NoteUnanswered, tool: o.label()})
		}
		o.finish(at, &out)
		s.forget(key)
	}
	if s.suspended != &s.Engine.suspended {
		s.suspended.Close()
	}
	s.Rounds.Close()
	if s.initialized {
		l := labels{version: s.version(), http: s.http}
		s.Engine.metrics.session.Record(
			context.Background(), max(0, at.Sub(s.began)).Seconds(), metric.WithAttributes(l.attributes()...),
		)
	}
	if s.initialized || s.list != nil || !s.http {
		s.Engine.notes.recordEnd(s.report(false))
	}
}

// report is the session as people see it. It is for the goroutine.
func (s *Session) report(open bool) SessionReport {
	w := s.Engine
	r := SessionReport{
		ID: w.clean(s.Called().ID), Began: s.began.UTC(), Open: open, ProtocolVersion: s.version().String(), Waiting: len(s.Open),
		ClientCapabilities: s.cleaned(FromClient), ServerCapabilities: s.cleaned(FromServer),
		ChangedTools: s.Tools.changedNames(w.clean),
	}
	if s.suspended != &w.suspended {
		r.Waiting += s.suspended.expire(time.Time{}) + s.Rounds.expire(time.Time{})
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
func (s *Session) stray(from Side, f frames.Frame) {
	n := Note{Kind: NoteStrayInput}
	switch {
	case f.Torn:
		n.Kind = NoteTornFrame
	case from == FromServer:
		n.Kind = NoteStrayOutput
	}
	if !s.http {
		n.Text = Beginning(f.Data)
	}
	s.Record(n)
}

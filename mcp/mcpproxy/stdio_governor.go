// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of the governed calls of a connection that run at once, and of their bytes; one more is refused.
const (
	maxCalls     = 1024
	maxCallBytes = 256 << 20
)

// governor stands between a client and a server over pipes, and lets the scope's policies
// govern the calls. All other frames pass as they are.
type governor struct {
	calls
	caller caller
	client *frameWriter
	server *frameWriter

	ctx    context.Context // over when the connection is
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	running map[string]*governedCall // by the client's id
	bytes   int                      // of them
	waiting map[string]chan *answer  // by the id that was sent on
	ended   map[string]bool          // ids of calls that are answered, of which the latest are kept
	gone    bool                     // the server will answer nothing more
	texts   bool                     // the client has ids that are strings with a number, or batches: "7" is not 7 to it
	ending  sync.WaitGroup           // calls that run
	sending sync.WaitGroup           // calls that may still be sent on
}

// governedCall is a call that runs.
type governedCall struct {
	id     string // the client's
	cancel context.CancelFunc
	sent   func()      // it was sent on, or will not be
	given  atomic.Bool // the client gave it up, and wants no answer
}

// answer is what the server answered.
type answer struct {
	raw    []byte
	m      *message
	passed bool // it went to the client already, since it was too long to be kept
	failed bool
	gone   bool // there will be none
}

// frameWriter writes whole frames of several writers.
type frameWriter struct {
	mu sync.Mutex
	to *os.File
}

func (f *frameWriter) write(frame []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.to.Write(frame)
	return err
}

// newGovernor makes one that writes to the client, for a session of its own.
func newGovernor(w *watcher, client *os.File) *governor {
	s := newSession(w.engine, "")
	s.governed = true
	g := &governor{
		calls: newCalls(w, s), client: &frameWriter{to: client},
		running: map[string]*governedCall{}, waiting: map[string]chan *answer{}, ended: map[string]bool{},
	}
	g.caller = g.newCaller()
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	return g
}

// runFramed is Run with policies.
func runFramed(w *watcher, c serverCommand) (exitStatus, error) {
	g := newGovernor(w, c.Stdout)
	defer g.cancel(errUnanswered)
	return runWith(w, c, g.s, func(p *pipes) {
		g.server = &frameWriter{to: p.in}
		go g.readClient(c.Stdin, p)
		p.output(p.out, func() { g.readServer(c.Stdout, p) })
	})
}

// readClient reads what the client sends until it closes, and closes the server's end once
// all calls have been sent on.
func (g *governor) readClient(from *os.File, p *pipes) {
	last := func(frame []byte) error { return g.fromClient(frame, time.Now()) }
	dropping := func([]byte) error { return nil }
	f := &frameReader{
		from: from, tap: g.w.tap, stream: g.s.stream(fromClient, byLine), exited: &p.exited,
		whole: g.fromClient, long: dropping, found: g.tooLong, rest: last,
	}
	f.run()
	g.sending.Wait()
	_ = p.in.Close()
	_ = from.Close()
}

// readServer reads what the server sends until it closes. Then no call gets an answer any
// more.
func (g *governor) readServer(to *os.File, p *pipes) {
	locked := false
	pinned := g.w.pinTools
	f := &frameReader{
		from: p.out, tap: g.w.tap, stream: g.s.stream(fromServer, byLine), exited: &p.exited,
		whole: g.fromServer,
		long: func(piece []byte) error {
			if pinned { // its beginning may be one of a list
				return nil
			}
			if !locked {
				g.client.mu.Lock()
				locked = true
			}
			_, err := to.Write(piece)
			return err
		},
		found: func(skim *skimmer) error {
			m, _ := skimmedMessage(skim, 0)
			if pinned {
				g.s.record(note{kind: noteRefusedOutput})
				if m.Method != "" || m.key() == "" {
					return nil
				}
				if answer := unreadableAnswer(m.ID); answer != nil {
					return g.fromServer(append(answer, '\n'), time.Now())
				}
				return nil
			}
			g.client.mu.Unlock()
			locked = false
			g.hand(m.ID, &answer{passed: true, failed: skim.found["result.isError"] == "true"})
			return nil
		},
		rest: func(piece []byte) error { return g.client.write(g.pinned(piece)) },
	}
	f.run()
	if locked {
		g.client.mu.Unlock()
	}
	_ = p.out.Close()
	g.serverGone()
	_ = to.Close()
}

// serverGone ends the calls that wait for an answer, and then, after a while, those that wait for
// something else. Answers that came are still written.
func (g *governor) serverGone() {
	g.mu.Lock()
	g.gone = true
	for key, answered := range g.waiting {
		delete(g.waiting, key)
		answered <- &answer{gone: true}
	}
	g.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		g.ending.Wait()
		close(ended)
	}()
	for range 2 {
		select {
		case <-ended:
			return
		case <-time.After(idleTime):
			g.cancel(errUnanswered)
		}
	}
}

// fromClient takes in a frame that the client sent. What policies cannot govern is refused; where
// there are none it passes as it is.
func (g *governor) fromClient(raw []byte, at time.Time) error {
	text := bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\r'})
	if len(bytes.TrimLeft(text, " \t\r")) == 0 {
		return g.server.write(raw)
	}
	m, refused := understoodLine(text)
	if _, number := numberIn(m.ID); number && m.Method != "" || jsontext.Value(text).Kind() == '[' {
		g.mu.Lock()
		g.texts = true
		g.mu.Unlock()
	}
	switch {
	case refused != "" && g.w.governs():
		return g.refuse(refusedID(text), refused)
	case refused != "":
	case m.Method == methodCancelled:
		g.cancelled(&m)
	case m.Method == methodCallTool:
		return g.begin(text, &m, at)
	case m.request(): // with an id that a call may have had
		g.mu.Lock()
		delete(g.ended, m.key())
		g.mu.Unlock()
	}
	return g.server.write(raw)
}

// tooLong answers a request that was too long to be governed; what is no call of a tool is
// dropped as well, since its beginning is.
func (g *governor) tooLong(skim *skimmer) error {
	m, _ := skimmedMessage(skim, 0)
	if !m.request() {
		m.ID = jsontext.Value("null")
	}
	return g.refuse(m.ID, "a message of more than 16 MiB: want less, so that policies can govern it")
}

// refuse answers a request that cannot be governed, and ends what the Watcher takes to wait for the
// server's answer.
func (g *governor) refuse(id jsontext.Value, got string) error {
	g.s.record(note{kind: noteRefused, text: got})
	key := requestKey(id)
	g.w.tap.callLater(func() { g.s.refuse([]operationKey{key}, newWireError("-32600", "toolscope: got "+got)) })
	text, err := refusal(id, codeInvalidRequest, got)
	if err != nil {
		return nil
	}
	return g.client.write(append(text, '\n'))
}

// cancelled gives up the call that the client gave up.
func (g *governor) cancelled(m *message) {
	p := m.params()
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.running[string(p.RequestID)]; c != nil {
		g.s.record(note{kind: noteCancelled})
		c.given.Store(true)
		c.cancel()
	}
}

// fromServer takes in a frame that the server sent.
func (g *governor) fromServer(raw []byte, _ time.Time) error {
	if raw = g.pinned(raw); len(raw) == 0 {
		return nil
	}
	text := bytes.TrimRight(raw, "\r\n")
	if jsontext.Value(text).Kind() == '[' {
		return g.client.write(g.fromBatch(text, raw))
	}
	if g.taken(text) {
		return nil
	}
	return g.client.write(raw)
}

// taken reports whether a message is an answer to a call, which the client gets of its policies.
func (g *governor) taken(text []byte) bool {
	var m message
	return unmarshal(text, &m) == nil && m.Method == "" && len(m.ID) > 0 && g.hand(m.ID, &answer{raw: text, m: &m})
}

// fromBatch is what goes on at once of several messages.
func (g *governor) fromBatch(text, raw []byte) []byte {
	var batch, rest []jsontext.Value
	if unmarshal(text, &batch) != nil {
		return raw
	}
	for _, one := range batch {
		if !g.taken(one) {
			rest = append(rest, one)
		}
	}
	switch len(rest) {
	case len(batch):
		return raw
	case 0:
		return nil
	}
	return append(joined(rest), '\n')
}

// pinned is what the client gets of a line while tools are pinned. A carriage return within it may be a
// line's end to a client.
func (g *governor) pinned(raw []byte) []byte {
	if !g.w.pinTools {
		return raw
	}
	text := bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\r'})
	out := text
	if bytes.IndexByte(text, '\r') < 0 {
		out = g.s.pins().pinned(text)
	} else if namesTools(text) {
		out = g.s.pins().unreadable(text)
	}
	switch {
	case bytes.Equal(out, text):
		return raw
	case out == nil:
		return nil
	}
	return append(out, '\n')
}

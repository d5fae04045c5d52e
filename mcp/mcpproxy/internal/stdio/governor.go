// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/internal/skim"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// The bounds of the governed calls of a connection that run at once, and of their bytes; one more is refused.
const (
	maxCalls     = 1024
	MaxCallBytes = 256 << 20
)

// NewGovernor makes one that writes to the client, for a session of its own.
func NewGovernor(w *watch.Watcher, client *os.File) *Governor {
	s := watch.NewSession(w.Engine, "")
	s.Governed = true
	g := &Governor{
		Calls: govern.NewCalls(w, s), client: &FrameWriter{To: client},
		running: map[string]*governedCall{}, waiting: map[string]waiter{}, ended: map[string]bool{},
		turns: make(chan *clientReader), relay: relay{resume: make(chan struct{}, 1)},
	}
	g.caller = g.NewCaller()
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	return g
}

// ReadClient reads what the client sends until it closes, and closes the server's end once
// all calls have been sent on.
func (g *Governor) ReadClient(from *os.File, p *Pipes) {
	r := &clientReader{frameReader{
		from: from, tap: g.Watcher.Tap, stream: g.Session.Stream(watch.FromClient, frames.ByLine), exited: &p.exited,
		long: func([]byte) error { return nil },
	}, p}
	g.relay.client = &r.frameReader
	r.wait = func() bool { return g.waitForClient(&r.frameReader) }
	g.work(r)
}

// clientReader reads what the client sends.
type clientReader struct {
	frameReader
	pipes *Pipes
}

// maxIdle is how many goroutines wait for their turn to read. A new one for each call would have to make room on its
// stack each time.
const maxIdle = 4

// work reads what the client sends, and runs the call that it finds; then it waits for its turn to read again.
func (g *Governor) work(r *clientReader) {
	for {
		c := g.readOn(r)
		if c == nil {
			return
		}
		c.passTurn = func() { g.resumeServer(); g.passTo(r) }
		g.run(c)
		if c.passed.CompareAndSwap(false, true) {
			continue
		}
		if g.idle.Add(1) > maxIdle {
			g.idle.Add(-1)
			return
		}
		select {
		case r = <-g.turns:
			g.idle.Add(-1)
		case <-g.ctx.Done():
			return
		}
	}
}

// passTo has another goroutine read.
func (g *Governor) passTo(r *clientReader) {
	select {
	case g.turns <- r:
	default:
		go g.work(r)
	}
}

// readOn forwards what the client sends in the order in which it arrives, up to a call, which it returns: the goroutine
// that has read a call runs it, and another one reads on as soon as the call has been sent, or will not be for the time
// being. nil is the end.
func (g *Governor) readOn(r *clientReader) *governedCall {
	for {
		f, err := r.next()
		var c *governedCall
		switch {
		case err != nil:
		case f.long != nil:
			err = g.tooLong(f.long)
		default:
			c, err = g.fromClient(f.data, &r.frameReader)
		}
		switch {
		case c != nil:
			c.more = len(r.unread) > 0
			return c
		case err != nil:
			r.end()
			g.resumeServer()
			g.sending.Wait()
			_ = r.pipes.In.Close()
			_ = r.from.Close()
			return nil
		}
	}
}

// ReadServer reads what the server sends until it closes. Then no call gets an answer any
// more.
func (g *Governor) ReadServer(to *os.File, p *Pipes) {
	locked := false
	unlock := func() {
		if locked {
			g.client.mu.Unlock()
			locked = false
		}
	}
	f := &frameReader{
		from: p.Out, tap: g.Watcher.Tap, stream: g.Session.Stream(watch.FromServer, frames.ByLine), exited: &p.exited,
		long: func(piece []byte) error {
			if g.Watcher.PinTools { // its beginning may be one of a list
				return nil
			}
			if !locked {
				g.client.mu.Lock()
				locked = true
			}
			_, err := to.Write(piece)
			return err
		},
	}
	g.Mu.Lock()
	g.server = f
	g.Mu.Unlock()
	for {
		read, err := f.next()
		g.nothingLeft = len(f.unread) == 0 && len(f.held) == 0 && f.err == nil
		unlock()
		switch {
		case err != nil:
		case read.long != nil:
			err = g.longFromServer(read.long)
		case read.torn:
			f.show(read.data)
			err = g.client.write(g.pinned(read.data))
		default:
			err = g.fromServer(f, read.data)
		}
		if err != nil {
			break
		}
		g.rest()
	}
	f.end()
	_ = p.Out.Close()
	g.serverGone()
	_ = to.Close()
}

// longFromServer takes in a frame that was too long to be kept, and has passed unless tools are pinned.
func (g *Governor) longFromServer(long *skim.Skimmer) error {
	m, _ := wire.SkimmedMessage(long, 0)
	if !g.Watcher.PinTools {
		g.Watcher.Listed()
		g.hand(m.ID, &answer{passed: true, failed: long.Found["result.isError"] == "true"})
		return nil
	}
	g.Session.Record(watch.Note{Kind: watch.NoteRefusedOutput})
	if m.Method != "" || m.Key() == "" {
		return nil
	}
	answer := pins.UnreadableAnswer(m.ID)
	if answer == nil || g.answers(answer) {
		return nil
	}
	return g.toClient(append(answer, '\n'))
}

// serverGone ends the calls that wait for an answer, and then, after a while, those that wait for
// something else. Answers that came are still written.
func (g *Governor) serverGone() {
	g.Mu.Lock()
	g.gone = true
	for key, w := range g.waiting {
		delete(g.waiting, key)
		w.answered <- &answer{gone: true}
	}
	g.Mu.Unlock()
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
			g.cancel(watch.ErrUnanswered)
		}
	}
}

// fromClient forwards a frame that the client sent, or returns the call that it is. What policies cannot govern is
// refused; where there are none it passes as it is.
func (g *Governor) fromClient(raw []byte, r *frameReader) (*governedCall, error) {
	text := bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\r'})
	if len(bytes.TrimLeft(text, " \t\r")) == 0 {
		r.show(raw)
		return nil, g.forward(raw)
	}
	m, refused := wire.ReadStrictLine(text)
	call := refused == "" && m.Method == wire.MethodCallTool
	if !call {
		r.show(raw)
	}
	if _, number := wire.NumberIn(m.ID); number && m.Method != "" || jsontext.Value(text).Kind() == '[' {
		g.Mu.Lock()
		g.texts = true
		g.Mu.Unlock()
	}
	switch {
	case refused != "" && g.Watcher.Governs():
		return nil, g.refuse(wire.RefusedID(text), refused)
	case refused != "":
	case m.Method == wire.MethodCancelled:
		if !g.cancelled(&m) {
			return nil, nil
		}
	case call:
		return g.begin(text, &m, r.at)
	case m.IsRequest(): // with an id that a call may have had
		g.Mu.Lock()
		delete(g.ended, m.Key())
		g.Mu.Unlock()
	}
	return nil, g.forward(raw)
}

// forward forwards a frame of the client.
func (g *Governor) forward(raw []byte) error {
	g.resumeServer() // it may have to read so that this can be written
	return g.Server.write(raw)
}

// tooLong answers a request that was too long to be governed; what is no call of a tool is
// dropped as well, since its beginning is.
func (g *Governor) tooLong(long *skim.Skimmer) error {
	m, _ := wire.SkimmedMessage(long, 0)
	if !m.IsRequest() {
		m.ID = jsontext.Value("null")
	}
	return g.refuse(m.ID, "a message of more than 16 MiB: want less, so that policies can govern it")
}

// refuse answers a request that cannot be governed, and ends what the Watcher takes to wait for the
// server's answer.
func (g *Governor) refuse(id jsontext.Value, got string) error {
	g.resumeServer()
	g.Session.Record(watch.Note{Kind: watch.NoteRefused, Text: got})
	key := watch.RequestKey(id)
	g.Watcher.Tap.CallLater(func() {
		g.Session.Refuse([]watch.OperationKey{key}, watch.NewWireError("-32600", "toolscope: got "+got))
	})
	text, err := wire.Refusal(id, wire.CodeInvalidRequest, got)
	if err != nil {
		return nil
	}
	return g.client.write(append(text, '\n'))
}

// cancelled gives up the call that the client gave up, and reports whether the server is to learn of it: a call that
// has not been sent is never sent.
func (g *Governor) cancelled(m *wire.Message) (forward bool) {
	p := m.ReadParams()
	g.Mu.Lock()
	defer g.Mu.Unlock()
	c := g.running[string(p.RequestID)]
	if c == nil {
		return true
	}
	g.Session.Record(watch.Note{Kind: watch.NoteCancelled})
	c.given = true
	c.cancel()
	return c.sent
}

// fromServer takes in a frame that the server sent.
func (g *Governor) fromServer(f *frameReader, came []byte) error {
	raw := g.pinned(came)
	if g.answers(raw) {
		runtime.Gosched() // to the goroutine of the call, which need not be woken in another thread then
		return nil
	}
	f.show(came)
	return g.toClient(raw)
}

// answers reports whether a frame is the answer to a call, which the client gets of its policies.
func (g *Governor) answers(raw []byte) bool {
	text := bytes.TrimRight(raw, "\r\n")
	return jsontext.Value(text).Kind() != '[' && g.taken(text)
}

// toClient forwards what is to go to the client of a frame of the server.
func (g *Governor) toClient(raw []byte) error {
	text := bytes.TrimRight(raw, "\r\n")
	switch {
	case len(raw) == 0:
		return nil
	case jsontext.Value(text).Kind() == '[':
		g.Watcher.Listed()
		// What the policies make of an answer in it comes after what goes on at once.
		return g.client.writeOf(func() []byte { return g.fromBatch(text, raw) })
	case pins.NamesTools(text):
		g.Watcher.Listed()
	}
	return g.client.write(raw)
}

// taken reports whether a message is an answer to a call, which the client gets of its policies.
func (g *Governor) taken(text []byte) bool {
	m, ok := wire.ReadMessage(text)
	return ok && m.Method == "" && len(m.ID) > 0 && g.hand(m.ID, &answer{raw: text, m: &m})
}

// fromBatch is what goes on at once of several messages.
func (g *Governor) fromBatch(text, raw []byte) []byte {
	var batch, rest []jsontext.Value
	if wire.Unmarshal(text, &batch) != nil {
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
	return append(wire.Joined(rest), '\n')
}

// pinned is what the client gets of a line while tools are pinned. A carriage return within it may be a
// line's end to a client.
func (g *Governor) pinned(raw []byte) []byte {
	if !g.Watcher.PinTools {
		return raw
	}
	text := bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\r'})
	out := text
	if bytes.IndexByte(text, '\r') < 0 {
		out = g.Session.Pins().Apply(text)
	} else if pins.NamesTools(text) {
		out = g.Session.Pins().Unreadable(text)
	}
	switch {
	case bytes.Equal(out, text):
		return raw
	case out == nil:
		return nil
	}
	return append(out, '\n')
}

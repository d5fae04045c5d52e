// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/toolkit"
)

// maxCalls is how many governed calls of a connection may run at once; one more is refused.
const maxCalls = 1024

// governor stands between a client and a server over pipes, and lets the scope's policies
// govern the calls. All other frames pass as they are.
type governor struct {
	w      *Watcher
	s      *session
	call   caller
	client *frameWriter
	server *frameWriter

	ctx    context.Context // over when the connection is
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	calls   map[string]*governedCall // by the client's id
	waiting map[string]chan *answer  // by the id that was sent on
	ended   map[string]bool          // ids that policies have answered, and the server has not
	gone    bool                     // the server will answer nothing more
	running sync.WaitGroup
	sending sync.WaitGroup // calls that may still be sent on
}

// governedCall is a call that runs.
type governedCall struct {
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

// runFramed is Run with policies.
func (w *Watcher) runFramed(c Command) (Exit, error) {
	s := newSession(w, "")
	s.governed = true
	g := &governor{w: w, s: s, client: &frameWriter{to: c.Stdout}, calls: map[string]*governedCall{}, waiting: map[string]chan *answer{}, ended: map[string]bool{}}
	g.call = s.newCaller()
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	defer g.cancel(errUnanswered)
	return w.runWith(c, s, func(p *pipes) {
		g.server = &frameWriter{to: p.in}
		go g.readClient(c.Stdin, p)
		p.output(p.out, func() { g.readServer(c.Stdout, p) })
	})
}

// readClient reads what the client sends until it closes, and closes the server's end once
// all calls have been sent on.
func (g *governor) readClient(from *os.File, p *pipes) {
	pass := func(piece []byte) error { return g.server.write(piece) }
	dropping := func([]byte) error { return nil }
	f := &frameReader{
		from: from, tap: g.w.tap, stream: g.s.stream(fromClient, byLine), exited: &p.exited,
		whole: g.fromClient, long: dropping, found: g.tooLong, rest: pass,
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
	f := &frameReader{
		from: p.out, tap: g.w.tap, stream: g.s.stream(fromServer, byLine), exited: &p.exited,
		whole: g.fromServer,
		long: func(piece []byte) error {
			if !locked {
				g.client.mu.Lock()
				locked = true
			}
			_, err := to.Write(piece)
			return err
		},
		found: func(skim *skimmer) error {
			g.client.mu.Unlock()
			locked = false
			m, _ := skim.message()
			g.hand(string(m.ID), &answer{passed: true, failed: skim.found["result.isError"] == "true"})
			return nil
		},
		rest: func(piece []byte) error { return g.client.write(piece) },
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
		g.running.Wait()
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

// fromClient takes in a frame that the client sent.
func (g *governor) fromClient(raw []byte, at time.Time) error {
	text := bytes.TrimRight(raw, "\r\n")
	var m message
	if unmarshal(text, &m) != nil {
		if calls, ok := messages(frame{data: text}); ok && anyCall(calls) {
			return g.refuse(jsontext.Value("null"), "a batch with a tools/call: want each on a line of its own, so that policies can govern it")
		}
		return g.server.write(raw)
	}
	switch {
	case m.Method == methodCancelled:
		g.cancelled(&m)
	case m.Method == methodCallTool && m.key() != "":
		if err := json.Unmarshal(text, new(message), jsontext.AllowInvalidUTF8(true)); errors.Is(err, jsontext.ErrDuplicateName) {
			return g.refuse(m.ID, "a member twice, which two readers may read differently: want it once")
		}
		return g.begin(text, &m, at)
	}
	return g.server.write(raw)
}

func anyCall(list []message) bool {
	for i := range list {
		if list[i].Method == methodCallTool {
			return true
		}
	}
	return false
}

// tooLong answers a request that was too long to be governed; what is no call of a tool is
// dropped as well, since its beginning is.
func (g *governor) tooLong(skim *skimmer) error {
	m, _ := skim.message()
	if len(m.ID) == 0 {
		m.ID = jsontext.Value("null")
	}
	return g.refuse(m.ID, "a message of more than 16 MiB: want less, so that policies can govern it")
}

// refuse answers a request that cannot be governed.
func (g *governor) refuse(id jsontext.Value, got string) error {
	text, err := refusal(id, got)
	if err != nil {
		return nil
	}
	return g.client.write(append(text, '\n'))
}

// refusal is the answer to a request that cannot be governed.
func refusal(id jsontext.Value, got string) ([]byte, error) {
	return json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   rpcError       `json:"error"`
	}{"2.0", id, rpcError{-32600, "toolscope: got " + got}})
}

// cancelled gives up the call that the client gave up.
func (g *governor) cancelled(m *message) {
	p := m.params()
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.calls[string(p.RequestID)]; c != nil {
		g.w.notes.add(note{kind: noteCancelled, session: g.s})
		c.given.Store(true)
		c.cancel()
	}
}

// begin begins a call, which runs in a goroutine of its own: policies may wait.
func (g *governor) begin(text []byte, m *message, at time.Time) error {
	p := m.params()
	key := m.key()
	ctx, cancel := context.WithCancel(g.ctx)
	c := &governedCall{cancel: cancel, sent: sync.OnceFunc(g.sending.Done)}
	g.mu.Lock()
	full := len(g.calls) >= maxCalls || g.calls[key] != nil
	if !full {
		g.calls[key] = c
		g.sending.Add(1)
		g.running.Add(1)
	}
	g.mu.Unlock()
	if full {
		cancel()
		return g.refuse(m.ID, "more than 1024 calls at once, or an id that is in use: want fewer, and each id once")
	}
	go func() {
		defer g.running.Done()
		defer cancel()
		defer c.sent()
		_ = g.w.Settle(ctx) // so that the tools that were just listed are known
		o := &operation{s: g.s, from: fromClient, method: methodCallTool, name: p.Name, id: m.id(), version: g.s.version(), began: at}
		x := &exchange{raw: text, id: m.ID, params: p, args: p.Arguments, op: o}
		x.send = func(ctx context.Context, id jsontext.Value, raw []byte) (reply, error) {
			return g.send(ctx, c, id, raw)
		}
		r := g.s.govern(ctx, g.call, x)
		g.mu.Lock()
		delete(g.calls, key)
		g.mu.Unlock()
		if r.raw != nil && !r.passed && !c.given.Load() {
			if g.client.write(append(r.raw[:len(r.raw):len(r.raw)], '\n')) != nil {
				g.cancel(context.Canceled) // the client is gone
			}
		}
	}()
	return nil
}

// send sends a request on and waits for its answer.
func (g *governor) send(ctx context.Context, c *governedCall, id jsontext.Value, raw []byte) (reply, error) {
	key := string(id)
	answered := make(chan *answer, 1)
	g.mu.Lock()
	if g.gone {
		g.mu.Unlock()
		c.sent()
		return reply{}, errUnanswered
	}
	g.waiting[key] = answered
	g.mu.Unlock()
	err := g.server.write(append(raw[:len(raw):len(raw)], '\n'))
	c.sent()
	if err != nil {
		g.forget(key, false)
		return reply{}, errUnanswered
	}
	hung := time.AfterFunc(g.w.options.HungAfter, func() { g.w.notes.add(note{kind: noteHung, session: g.s}) })
	defer hung.Stop()
	select {
	case a := <-answered:
		switch {
		case a.gone:
			return reply{}, errUnanswered
		case a.passed:
			text := "[an answer that was passed on and not looked at, since it was too long]"
			return reply{id: id, passed: true, result: toolkit.Result{Output: text, Fault: toolkit.SoftError(a.failed, text), Suspended: true}}, nil
		}
		return read(a.raw, a.m), nil
	case <-ctx.Done():
		g.forget(key, true)
		if g.ctx.Err() != nil {
			return reply{}, errUnanswered
		}
		g.tellCancelled(ctx, id)
		return reply{}, context.Cause(ctx)
	}
}

// maxEnded is how many answers that come too late are told from others.
const maxEnded = 1024

func (g *governor) forget(key string, late bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waiting, key)
	if late {
		if len(g.ended) >= maxEnded {
			clear(g.ended)
		}
		g.ended[key] = true
	}
}

// tellCancelled tells the server that a policy gave up a request. What the client gave up it
// has told itself.
func (g *governor) tellCancelled(ctx context.Context, id jsontext.Value) {
	if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return
	}
	text, err := splice([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the call took too long"}}`), id, "params", "requestId")
	if err == nil {
		_ = g.server.write(append(text, '\n')) // it may be gone
	}
}

// fromServer takes in a frame that the server sent.
func (g *governor) fromServer(raw []byte, _ time.Time) error {
	text := bytes.TrimRight(raw, "\r\n")
	var m message
	if unmarshal(text, &m) == nil && m.Method == "" && m.key() != "" {
		if g.hand(m.key(), &answer{raw: text, m: &m}) {
			return nil
		}
	}
	return g.client.write(raw)
}

// hand gives an answer to the call that waits for it; true if it was for one, even for one
// that does not wait any more.
func (g *governor) hand(key string, a *answer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if answered := g.waiting[key]; answered != nil {
		delete(g.waiting, key)
		answered <- a
		return true
	}
	if g.ended[key] {
		delete(g.ended, key)
		g.w.notes.add(note{kind: noteLate, session: g.s})
		return true
	}
	return false
}

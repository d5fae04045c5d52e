// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"context"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// A relay has one goroutine read both sides while a client makes one short call after the other: the goroutine that has
// read a call from the client reads the server's answer as well, and then the next call. To wake one goroutine with the
// answer and another one with the next call would take as long as all the rest. [Governor.ReadServer] rests meanwhile. It
// goes on as soon as anything else happens: another message of either side, an answer that takes long or comes in parts, a
// policy that waits.
//
// While ReadServer rests, the goroutine that reads the client is responsible for the server's side: it has ReadServer go on
// before it lets another goroutine read the client.
type relay struct {
	// These are guarded by the governor's lock.
	short   int           // calls in a row that were alone and short
	wanted  *governedCall // ReadServer rests once it has the answer to it; nil for none
	resting bool
	reading bool         // a call reads in the place of ReadServer
	server  *frameReader // nil until it reads

	client      *frameReader
	resume      chan struct{} // has ReadServer go on
	nothingLeft bool          // behind the frame that is taken in; of ReadServer alone
	rests       bool          // of it alone, too
}

// shortCall is how long a call runs that counts as short, see [relay]. The watch of a call's turn looks as often.
const shortCall = 5 * time.Millisecond

// minShort is how many short calls in a row are relayed from then on.
const minShort = 4

// serverRests reports whether ReadServer rests.
func (g *Governor) serverRests() bool {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	return g.resting
}

// resumeServer has ReadServer go on, unless a call reads in its place, which does so itself in the end.
func (g *Governor) resumeServer() {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if g.resting && !g.reading {
		g.resting = false
		g.notShort()
		g.resume <- struct{}{} // it has room: only who rests is resumed
	}
}

// restWith has ReadServer rest if it is to with the answer to c; the caller is ReadServer and holds the lock.
func (g *Governor) restWith(c *governedCall) {
	if g.wanted != nil && g.wanted == c && g.nothingLeft && !c.passed.Load() && !g.resting {
		g.resting, g.rests = true, true
	}
	g.wanted = nil
}

// rest returns when ReadServer is to go on.
func (g *Governor) rest() {
	if g.rests {
		<-g.resume
		g.rests = false
	}
}

// waitForClient returns when the client has sent something, which it reports, or ReadServer does not rest.
func (g *Governor) waitForClient(client *frameReader) (ready bool) {
	for g.serverRests() {
		switch waitForEither(client, g.server, idleTime/2) {
		case client:
			return true
		case g.server:
			g.resumeServer()
			return false
		}
		if client.exited.Load() {
			g.resumeServer()
		}
	}
	return false
}

// await waits for the answer to a request; nil if ctx is over before.
func (g *Governor) await(ctx context.Context, c *governedCall, key string, answered chan *answer) *answer {
	began := time.Now()
	switch g.relayOf(c) {
	case relayed:
		if a := g.readAnswer(ctx, c, key); a != nil {
			return a
		}
	case wanted:
		late := time.NewTimer(shortCall)
		defer late.Stop()
		select {
		case a := <-answered:
			return a
		case <-ctx.Done():
		case <-late.C:
		}
		g.Mu.Lock()
		g.wanted = nil
		g.Mu.Unlock()
	case passes:
	}
	c.pass()
	select {
	case a := <-answered:
		g.tookShort(time.Since(began) < shortCall/2)
		return a
	case <-ctx.Done():
	}
	g.tookShort(false)
	g.forget(key)
	select {
	case a := <-answered: // it came before that
		return a
	default:
		return nil
	}
}

// Who reads the answer to a call.
type reading uint8

const (
	passes  reading = iota // ReadServer
	wanted                 // ReadServer, which rests then
	relayed                // the call's goroutine
)

// relayOf is who reads the answer to a call that was sent.
func (g *Governor) relayOf(c *governedCall) reading {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	switch {
	case c.wanted:
		c.wanted = false
		return wanted
	case c.passed.Load() || c.more || !g.resting || g.reading || len(g.running) > 1:
		return passes
	}
	g.reading = true
	return relayed
}

// want has ReadServer rest with the answer to a call that is about to be sent, if it is one of several short ones; the
// caller holds the lock.
func (g *Governor) want(c *governedCall) {
	if waitsForEither && g.short >= minShort && g.server != nil && !g.Watcher.PinTools &&
		!c.passed.Load() && !c.more && len(g.running) == 1 && !g.resting {
		g.wanted, c.wanted = c, true
	}
}

// tookShort counts a call that was short and alone.
func (g *Governor) tookShort(short bool) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if g.short++; !short || len(g.running) > 1 {
		g.notShort()
	}
}

// notShort takes note of something else than a short call: the next short one is enough again, since on a busy machine
// one call in ten waits for a processor. The caller holds the lock.
func (g *Governor) notShort() { g.short = max(0, min(g.short, minShort)-1) }

// readAnswer reads the answer to a call in the place of ReadServer. What else comes is left to that.
func (g *Governor) readAnswer(ctx context.Context, c *governedCall, key string) *answer {
	a := g.readShort(ctx, key)
	g.Mu.Lock()
	g.reading = false
	if a != nil {
		delete(g.waiting, key)
	}
	g.Mu.Unlock()
	if a == nil || c.passed.Load() {
		g.resumeServer()
	}
	return a
}

// readShort reads what the server sends next, if that is soon: the whole answer, or nil.
func (g *Governor) readShort(ctx context.Context, key string) *answer {
	wait := shortCall
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end))
	}
	f := g.server
	if waitForEither(g.relay.client, f, wait) != f {
		return nil
	}
	n, err := f.in.readReady(f.buffer)
	f.came(n)
	f.err = err
	if n == 0 || len(f.held) > 0 || bytes.IndexByte(f.unread, '\n') != n-1 {
		return nil
	}
	text := bytes.Clone(bytes.TrimRight(f.unread, "\r\n"))
	m, ok := wire.ReadMessage(text)
	if !ok || m.Method != "" || string(m.ID) != key {
		return nil
	}
	f.unread = nil
	return &answer{raw: text, m: &m}
}

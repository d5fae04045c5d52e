// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/internal/arrival"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// maxTurn is how long the frames behind a call wait until it has been sent, unless a policy says that it waits
// (package arrival).
const maxTurn = time.Second

// begin takes in a call; nil for one that is refused.
func (g *Governor) begin(text []byte, m *wire.Message, at time.Time) (*governedCall, error) {
	key := m.Key()
	c := &governedCall{id: key, message: *m, text: text, at: at, pending: true}
	g.Mu.Lock()
	full := len(g.running) >= maxCalls || g.Bytes+len(text) > MaxCallBytes || g.running[key] != nil
	if !full {
		g.Bytes += len(text)
		delete(g.ended, key)
		g.running[key] = c
		c.ctx, c.cancel = context.WithCancel(arrival.With(g.ctx, c.pass))
		g.sending.Add(1)
		g.ending.Add(1)
	}
	g.Mu.Unlock()
	if full {
		return nil, g.refuse(m.ID, "more than 1024 calls at once or 256 MiB of them, or an id that is in use: "+
			"want fewer, and each id once")
	}
	return c, nil
}

// watchTurn has the frames behind a call read after maxTurn, or soon where the server has answered it already, and has the
// server's frames read soon: one timer serves all calls, since one for each would wake another thread each time.
func (g *Governor) watchTurn(c *governedCall) {
	g.turn.Store(c)
	if g.timing.CompareAndSwap(false, true) {
		time.AfterFunc(shortCall, func() {
			g.timing.Store(false)
			c := g.turn.Load()
			if c == nil || c.passed.Load() {
				return
			}
			took := time.Since(c.at)
			switch {
			case took >= maxTurn || took >= shortCall && c.back.Load():
				c.pass()
				return
			case took >= shortCall:
				g.resumeServer()
			}
			g.watchTurn(c)
		})
	}
}

// run runs a call, and answers it.
func (g *Governor) run(c *governedCall) {
	g.watchTurn(c)
	defer g.ending.Done()
	defer c.cancel()
	p := c.message.ReadParams()
	_ = g.Watcher.SettleLists(c.ctx) // so that the tools that were just listed are known
	x := &govern.Exchange{
		Raw: c.text, ID: c.message.ID, Params: p, Args: p.Arguments, Op: g.Session.NewCall(&c.message, &p, c.at),
	}
	x.Send = func(ctx context.Context, id jsontext.Value, raw, _ []byte) (govern.Reply, error) {
		return g.send(ctx, c, id, raw)
	}
	r := g.governCall(c.ctx, x)
	given := g.over(c)
	if !g.serverRests() {
		c.pass()
	}
	g.observeEnd(r) // a client that has the answer and looks finds the call
	if r.Passed || given {
		return
	}
	// a policy's end of it, without an answer
	if r.Raw == nil && g.ctx.Err() == nil && !errors.Is(errors.Join(r.Ended, r.Failure()), watch.ErrUnanswered) {
		r.Raw, _ = wire.Refusal(x.ID, wire.CodeInternal, "no answer: the call ended without one")
	}
	if r.Raw != nil && g.client.write(append(r.Raw[:len(r.Raw):len(r.Raw)], '\n')) != nil {
		g.cancel(context.Canceled) // the client is gone
	}
}

// maxEnds is how many bytes of answers wait for their calls' observers.
const maxEnds = 16 << 20

// observeEnd has the observers learn how a call ended, soon: the answer does not wait for that.
func (g *Governor) observeEnd(r govern.Reply) {
	size := int64(len(r.Raw))
	if g.ends.Add(size) <= maxEnds && g.Watcher.Tap.CallLater(func() {
		defer g.ends.Add(-size)
		r.Observe()
	}) {
		g.Watcher.Tap.Signal()
		return
	}
	g.ends.Add(-size)
	r.Observe()
}

// over takes note that a call has ended, and reports whether the client gave it up.
func (g *Governor) over(c *governedCall) (given bool) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	delete(g.running, c.id)
	g.Bytes -= len(c.text)
	g.notPending(c)
	if g.Watcher.Governs() {
		g.endedWith(c.id)
	}
	return c.given
}

// notPending takes note that a call has been sent, or will not be; the caller holds the lock.
func (g *Governor) notPending(c *governedCall) {
	if c.pending {
		c.pending = false
		g.sending.Done()
	}
}

// governCall runs a call through the policies. The panic of one is on the call's span, and does not end other calls.
func (g *Governor) governCall(ctx context.Context, x *govern.Exchange) (r govern.Reply) {
	defer func() { _ = recover() }()
	return g.Govern(ctx, g.caller, x)
}

// send sends a request on and waits for its answer.
func (g *Governor) send(ctx context.Context, c *governedCall, id jsontext.Value, raw []byte) (govern.Reply, error) {
	key := string(id)
	answered := make(chan *answer, 1)
	if err := g.write(c, key, answered, append(raw[:len(raw):len(raw)], '\n')); err != nil {
		return govern.Reply{}, err
	}
	defer c.back.Store(true)
	a := g.await(ctx, c, key, answered)
	switch {
	case a == nil && g.ctx.Err() != nil:
		return govern.Reply{}, watch.ErrUnanswered
	case a == nil:
		g.tellCancelled(ctx, c, id)
		return govern.Reply{}, context.Cause(ctx)
	case a.gone:
		return govern.Reply{}, watch.ErrUnanswered
	case a.passed:
		text := "[an answer that was passed on and not looked at, since it was too long]"
		return govern.Reply{ID: id, Passed: true, Result: toolkit.Result{
			Output: text, Fault: toolkit.SoftError(a.failed, text), Suspended: true,
		}}, nil
	}
	return govern.ReadReply(a.raw, a.m), nil
}

// write writes a call's request, whose answer goes to answered.
func (g *Governor) write(c *governedCall, key string, answered chan *answer, line []byte) error {
	// Who cancels the call from here on waits until it has been written.
	g.Server.mu.Lock()
	defer g.Server.mu.Unlock()
	g.Mu.Lock()
	switch {
	case c.given:
		g.Mu.Unlock()
		return context.Canceled
	case g.gone:
		g.Mu.Unlock()
		return watch.ErrUnanswered
	}
	c.sent = true
	g.waiting[key] = waiter{answered, c}
	g.want(c)
	g.Mu.Unlock()
	_, err := g.Server.To.Write(line)
	g.Mu.Lock()
	defer g.Mu.Unlock()
	g.notPending(c)
	if err != nil {
		delete(g.waiting, key)
		return watch.ErrUnanswered
	}
	return nil
}

// gaveUp reports whether the client gave a call up.
func (g *Governor) gaveUp(c *governedCall) bool {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	return c.given
}

// tellCancelled tells the server that a policy gave up a request. What the client gave up it has told itself, unless
// the request is a later attempt, whose id it does not know.
func (g *Governor) tellCancelled(ctx context.Context, c *governedCall, id jsontext.Value) {
	reason := "the call took too long"
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
	case g.gaveUp(c) && string(id) != c.id:
		reason = "the client gave the call up"
	default:
		return
	}
	text, err := wire.Splice([]byte(
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":`+wire.Quoted(reason)+`}}`,
	), id, "params", "requestId")
	if err == nil {
		_ = g.Server.write(append(text, '\n')) // it may be gone
	}
}

// hand gives an answer to the call that waits for it; true if it was for one, even for one that does not wait: any
// more, or yet. Of such a call the client gets what its policies say.
func (g *Governor) hand(id jsontext.Value, a *answer) bool {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	keys := []string{string(id), wire.PlainID(id)}
	if n, ok := wire.NumberIn(id); ok && !g.texts {
		keys = append(keys, n)
	}
	for _, key := range keys {
		if w := g.waiting[key]; w.answered != nil {
			delete(g.waiting, key)
			g.restWith(w.call)
			w.answered <- a
			return true
		}
	}
	for _, key := range keys {
		if g.ended[key] || g.running[key] != nil && g.Watcher.Governs() {
			g.Session.Record(watch.Note{Kind: watch.NoteLate})
			return true
		}
	}
	return false
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// begin begins a call, which runs in a goroutine of its own: policies may wait.
func (g *Governor) begin(text []byte, m *wire.Message, at time.Time) error {
	p := m.ReadParams()
	key := m.Key()
	ctx, cancel := context.WithCancel(g.ctx)
	c := &governedCall{id: key, cancel: cancel, sent: sync.OnceFunc(g.sending.Done)}
	g.Mu.Lock()
	full := len(g.running) >= maxCalls || g.Bytes+len(text) > MaxCallBytes || g.running[key] != nil
	if !full {
		g.Bytes += len(text)
		delete(g.ended, key)
		g.running[key] = c
		g.sending.Add(1)
		g.ending.Add(1)
	}
	g.Mu.Unlock()
	if full {
		cancel()
		return g.refuse(m.ID, "more than 1024 calls at once or 256 MiB of them, or an id that is in use: want fewer, and each id once")
	}
	go func() {
		defer g.ending.Done()
		defer cancel()
		defer c.sent()
		_ = g.Watcher.Settle(ctx) // so that the tools that were just listed are known
		x := &govern.Exchange{Raw: text, ID: m.ID, Params: p, Args: p.Arguments, Op: g.Session.NewCall(m, &p, at)}
		x.Send = func(ctx context.Context, id jsontext.Value, raw, _ []byte) (govern.Reply, error) {
			return g.send(ctx, c, id, raw)
		}
		r := g.governCall(ctx, x)
		g.Mu.Lock()
		delete(g.running, key)
		g.Bytes -= len(text)
		if g.Watcher.Governs() {
			g.endedWith(key)
		}
		g.Mu.Unlock()
		if r.Passed || c.given.Load() {
			return
		}
		// a policy's end of it, without an answer
		if r.Raw == nil && g.ctx.Err() == nil && !errors.Is(errors.Join(r.Ended, r.Failure()), watch.ErrUnanswered) {
			r.Raw, _ = wire.Refusal(x.ID, wire.CodeInternal, "no answer: the call ended without one")
		}
		if r.Raw != nil && g.client.write(append(r.Raw[:len(r.Raw):len(r.Raw)], '\n')) != nil {
			g.cancel(context.Canceled) // the client is gone
		}
	}()
	return nil
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
	g.Mu.Lock()
	if g.gone {
		g.Mu.Unlock()
		c.sent()
		return govern.Reply{}, watch.ErrUnanswered
	}
	g.waiting[key] = answered
	g.Mu.Unlock()
	err := g.Server.write(append(raw[:len(raw):len(raw)], '\n'))
	c.sent()
	if err != nil {
		g.forget(key, false)
		return govern.Reply{}, watch.ErrUnanswered
	}
	var a *answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		g.forget(key, true)
		select {
		case a = <-answered: // it came before that
		default:
			if g.ctx.Err() != nil {
				return govern.Reply{}, watch.ErrUnanswered
			}
			g.tellCancelled(ctx, c, id)
			return govern.Reply{}, context.Cause(ctx)
		}
	}
	switch {
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

// maxEnded is how many ended calls are remembered, to recognize answers that come too late.
const maxEnded = 1024

func (g *Governor) forget(key string, late bool) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	delete(g.waiting, key)
	if late {
		g.endedWith(key)
	}
}

// endedWith remembers that an id needs no answer any more; the caller holds the lock.
func (g *Governor) endedWith(key string) {
	for old := range g.ended {
		if len(g.ended) < maxEnded {
			break
		}
		delete(g.ended, old)
	}
	g.ended[key] = true
}

// tellCancelled tells the server that a policy gave up a request. What the client gave up it has told itself, unless
// the request is a later attempt, whose id it does not know.
func (g *Governor) tellCancelled(ctx context.Context, c *governedCall, id jsontext.Value) {
	reason := "the call took too long"
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
	case c.given.Load() && string(id) != c.id:
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
		if answered := g.waiting[key]; answered != nil {
			delete(g.waiting, key)
			answered <- a
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

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/toolkit"
)

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
		x.send = func(ctx context.Context, id jsontext.Value, raw, _ []byte) (reply, error) {
			return g.send(ctx, c, id, raw)
		}
		r := g.s.govern(ctx, g.call, x)
		g.mu.Lock()
		delete(g.calls, key)
		g.mu.Unlock()
		if r.passed || c.given.Load() {
			return
		}
		if r.raw == nil && g.ctx.Err() == nil && !errors.Is(errors.Join(r.ended, r.failure()), errUnanswered) { // a policy's end of it, without an answer
			r.raw, _ = refusal(x.id, codeInternal, "no answer: the call ended without one")
		}
		if r.raw != nil && g.client.write(append(r.raw[:len(r.raw):len(r.raw)], '\n')) != nil {
			g.cancel(context.Canceled) // the client is gone
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
	var a *answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		g.forget(key, true)
		select {
		case a = <-answered: // it came before that
		default:
			if g.ctx.Err() != nil {
				return reply{}, errUnanswered
			}
			g.tellCancelled(ctx, id)
			return reply{}, context.Cause(ctx)
		}
	}
	switch {
	case a.gone:
		return reply{}, errUnanswered
	case a.passed:
		text := "[an answer that was passed on and not looked at, since it was too long]"
		return reply{id: id, passed: true, result: toolkit.Result{Output: text, Fault: toolkit.SoftError(a.failed, text), Suspended: true}}, nil
	}
	return read(a.raw, a.m), nil
}

// maxEnded is how many answers that come too late are told from others.
const maxEnded = 1024

func (g *governor) forget(key string, late bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, waits := g.waiting[key]
	delete(g.waiting, key)
	if waits && late {
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

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
	c := &governedCall{id: key, cancel: cancel, sent: sync.OnceFunc(g.sending.Done)}
	g.mu.Lock()
	full := len(g.running) >= maxCalls || g.bytes+len(text) > maxCallBytes || g.running[key] != nil
	if !full {
		g.bytes += len(text)
		delete(g.ended, key)
		g.running[key] = c
		g.sending.Add(1)
		g.ending.Add(1)
	}
	g.mu.Unlock()
	if full {
		cancel()
		return g.refuse(m.ID, "more than 1024 calls at once or 256 MiB of them, or an id that is in use: want fewer, and each id once")
	}
	go func() {
		defer g.ending.Done()
		defer cancel()
		defer c.sent()
		_ = g.w.Settle(ctx) // so that the tools that were just listed are known
		x := &exchange{raw: text, id: m.ID, params: p, args: p.Arguments, op: g.s.newCall(m, &p, at)}
		x.send = func(ctx context.Context, id jsontext.Value, raw, _ []byte) (reply, error) {
			return g.send(ctx, c, id, raw)
		}
		r := g.governCall(ctx, x)
		g.mu.Lock()
		delete(g.running, key)
		g.bytes -= len(text)
		if g.w.governs() {
			g.endedWith(key)
		}
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

// governCall runs a call through the policies. The panic of one is on the call's span, and does not end other calls.
func (g *governor) governCall(ctx context.Context, x *exchange) (r reply) {
	defer func() { _ = recover() }()
	return g.govern(ctx, g.caller, x)
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
			g.tellCancelled(ctx, c, id)
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
	delete(g.waiting, key)
	if late {
		g.endedWith(key)
	}
}

// endedWith remembers that an id needs no answer any more; the caller holds the lock.
func (g *governor) endedWith(key string) {
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
func (g *governor) tellCancelled(ctx context.Context, c *governedCall, id jsontext.Value) {
	reason := "the call took too long"
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
	case c.given.Load() && string(id) != c.id:
		reason = "the client gave the call up"
	default:
		return
	}
	text, err := splice([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":`+quoted(reason)+`}}`), id, "params", "requestId")
	if err == nil {
		_ = g.server.write(append(text, '\n')) // it may be gone
	}
}

// hand gives an answer to the call that waits for it; true if it was for one, even for one that does not wait: any
// more, or yet. Of such a call the client gets what its policies say.
func (g *governor) hand(id jsontext.Value, a *answer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	keys := []string{string(id), plainID(id)}
	if n, ok := numberIn(id); ok && !g.texts {
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
		if g.ended[key] || g.running[key] != nil && g.w.governs() {
			g.s.record(note{kind: noteLate})
			return true
		}
	}
	return false
}

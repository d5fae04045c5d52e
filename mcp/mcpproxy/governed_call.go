// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"errors"
	"strconv"
	"strings"
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
	full := len(g.calls) >= maxCalls || g.bytes+len(text) > maxCallBytes || g.calls[key] != nil
	if !full {
		g.bytes += len(text)
		delete(g.ended, key)
		g.calls[key] = c
		g.sending.Add(1)
		g.running.Add(1)
	}
	g.mu.Unlock()
	if full {
		cancel()
		return g.refuse(m.ID, "more than 1024 calls at once or 256 MiB of them, or an id that is in use: want fewer, and each id once")
	}
	go func() {
		defer g.running.Done()
		defer cancel()
		defer c.sent()
		_ = g.w.Settle(ctx) // so that the tools that were just listed are known
		o := &operation{
			s: g.s, from: fromClient, method: methodCallTool, name: p.Name, id: m.id(),
			version: g.s.versionOf(&p), began: at,
		}
		x := &exchange{raw: text, id: m.ID, params: p, args: p.Arguments, op: o}
		x.send = func(ctx context.Context, id jsontext.Value, raw, _ []byte) (reply, error) {
			return g.send(ctx, c, id, raw)
		}
		r := g.run(ctx, x)
		g.mu.Lock()
		delete(g.calls, key)
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

// run runs a call through the policies. The panic of one is told on the call's span, and is not the end of all others.
func (g *governor) run(ctx context.Context, x *exchange) (r reply) {
	defer func() { _ = recover() }()
	return g.s.govern(ctx, g.call, x)
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

// notLookedAt stands in the place of an answer that is too long, or that is in another form than MCP has.
const notLookedAt = "[an answer that was passed on and not looked at]"

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
		if g.ended[key] || g.calls[key] != nil && g.w.governs() {
			g.w.notes.add(note{kind: noteLate, session: g.s})
			return true
		}
	}
	return false
}

// plainID is an id as most write it: readers take 1.0 for 1, and a text for itself whatever is escaped.
func plainID(id jsontext.Value) string {
	switch id.Kind() {
	case '"':
		return quoted(unquoted(string(id)))
	case '0':
		if n, ok := safeInteger(id); ok {
			return strconv.FormatInt(n, 10)
		}
	}
	return string(id)
}

// numberIn is the integer that a string is to the clients of the SDKs for TypeScript and Python: theirs are numbers, and
// they take the answer "7" for the one to 7. False for none.
func numberIn(id jsontext.Value) (string, bool) {
	if id.Kind() != '"' {
		return "", false
	}
	text := strings.ReplaceAll(strings.TrimSpace(unquoted(string(id))), "_", "")
	if text == "" { // to JavaScript
		return "0", true
	}
	if n, ok := safeInteger(jsontext.Value(text)); ok {
		return strconv.FormatInt(n, 10), true
	}
	n, err := strconv.ParseInt(text, 0, 64) // 0x7
	return strconv.FormatInt(n, 10), err == nil
}

// idAnswers reports whether readers take the id of an answer for that of a request.
func idAnswers(answer, request jsontext.Value) bool {
	if n, ok := numberIn(answer); ok && n == plainID(request) {
		return true
	}
	return string(answer) == string(request) || plainID(answer) == plainID(request)
}

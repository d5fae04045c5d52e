// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// govern reads a request, and lets the policies govern it if it is a call of a tool. What they cannot
// govern is refused; where there are none it passes as it is.
func (h *Proxy) govern(out http.ResponseWriter, r *http.Request, x *HTTPExchange) {
	strict := h.w.Governs()
	if strict && r.Header.Get("Upgrade") != "" { // another protocol is not offered to the server: the proxy could not read it
		r.Header.Del("Upgrade")
		x.Session.Record(watch.Note{Kind: watch.NoteRefused, Text: "an Upgrade to another protocol, without which the request went on"})
	}
	if h.w.PinTools { // a list has to be read
		r.Header.Set("Accept-Encoding", "identity")
	}
	o := refusedHead(r)
	switch {
	case o.got != "" && strict && h.otherPost(out, r):
		h.proxy.ServeHTTP(out, r.WithContext(withExchange(r, x)))
		return
	case o.got != "" && strict:
		h.refuse(out, x, o, jsontext.Value("null"))
		return
	case o.got != "" || r.Method != http.MethodPost:
		h.passOn(out, r, x)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, govern.MaxGoverned))
	if err != nil {
		o := objection{http.StatusBadRequest, wire.CodeInvalidRequest, "a body that could not be read to its end: want all of it"}
		if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
			o.status, o.got = http.StatusRequestEntityTooLarge, "a message of more than 16 MiB: want less, so that policies can govern it"
		}
		h.refuse(out, x, o, jsontext.Value("null"))
		return
	}
	if strict {
		r.Trailer = nil // which some servers take for headers
	}
	m, got := wire.ReadStrict(body)
	o = objection{http.StatusBadRequest, wire.CodeInvalidRequest, got}
	p := m.ReadParams()
	var tool *toolkit.Definition
	if got == "" && m.Method == wire.MethodCallTool {
		_ = h.w.Settle(r.Context()) // so that the tools that were just listed are known
		tool = x.Session.Tools.Lookup(p.Name)
	}
	if got == "" && strict {
		o = mismatch(mirror.Contradicted(r.Header, sessionOf(r.URL.RawQuery) != "", &m, &p, tool))
	}
	switch {
	case o.got != "" && strict && h.elsewhere(r) && otherJSON(body):
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		h.proxy.ServeHTTP(out, r.WithContext(withExchange(r, x)))
	case o.got != "" && strict:
		h.refuse(out, x, o, wire.RefusedID(body))
	case o.got != "" || m.Method != wire.MethodCallTool:
		if o.got == "" && m.Method == wire.MethodCancelled {
			h.running.cancel(x.Session, string(p.RequestID))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		h.passOn(out, r, x)
	case sessionOf(r.URL.RawQuery) != "":
		o := objection{
			http.StatusNotImplemented, wire.CodeInvalidRequest,
			"a call over the older transport of server-sent events: want streamable HTTP, so that policies can govern it",
		}
		h.refuse(out, x, o, m.ID)
	default:
		(&httpCall{h: h, x: x, request: r, out: out, tool: tool}).govern(body, &m, &p)
	}
}

// govern runs the call through the policies, and answers it.
func (c *httpCall) govern(body []byte, m *wire.Message, p *wire.Params) {
	s := c.x.Session
	ctx, over := c.h.running.begin(c.request.Context(), s, m.Key())
	defer over()
	governed := govern.NewCalls(c.h.w, s)
	e := &govern.Exchange{
		Raw: bytes.TrimSpace(body), ID: m.ID, Params: *p, Args: p.Arguments, Op: s.NewCall(m, p, time.Now()), Send: c.send,
	}
	r := governed.Govern(ctx, governed.NewCaller(), e)
	if r.Raw == nil && !c.streaming && ctx.Err() != nil { // its answer is one that no client waits for
		r.Raw, _ = wire.Refusal(m.ID, wire.CodeInternal, "a notification that the client gave the call up: want no answer")
	}
	c.answer(r)
	if c.rest != nil {
		c.copyRest()
	}
}

// send sends the call on, and reads the answer. What stands before it in a stream passes at once.
func (c *httpCall) send(ctx context.Context, id jsontext.Value, raw, changed []byte) (govern.Reply, error) {
	c.came, c.sent, c.beside = nil, nil, nil // of an attempt before
	out := c.request.Clone(ctx)
	if changed != nil {
		mirror.SetArguments(out.Header, changed, c.tool)
	}
	out.Header.Set("Accept-Encoding", "identity") // an answer has to be read
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	resp, err := c.h.roundTrip(out)
	if err == nil {
		err = c.h.pin(c.x, resp)
	}
	if err != nil {
		if ctx.Err() != nil {
			return govern.Reply{}, context.Cause(ctx)
		}
		return govern.Reply{}, watch.NewWireError("http_502", NotReached)
	}
	c.h.Sessions.Answered(c.x, resp.StatusCode, resp.Header.Get(mirror.SessionHeader))
	framing, ok := framingOf(resp.Header.Get("Content-Type"), resp.Header.Get("Content-Encoding"))
	switch {
	case resp.StatusCode >= 300:
		return c.pass(resp, statusError(resp.StatusCode))
	case !ok:
		return c.pass(resp, nil)
	case framing == frames.ByEvent:
		return c.stream(ctx, resp, id)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, govern.MaxGoverned+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return govern.Reply{}, context.Cause(ctx)
	case err != nil:
		return govern.Reply{}, watch.ErrUnanswered
	}
	if len(text) > govern.MaxGoverned {
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), resp.Body))
		return c.pass(resp, nil)
	}
	m := c.find(text, id)
	if m == nil {
		resp.Body = io.NopCloser(bytes.NewReader(text))
		return c.pass(resp, errOther)
	}
	c.came, c.header = text, resp.Header
	return govern.ReadReply(c.sent, m), nil
}

// hopHeaders are of one connection, and are not passed on.
var hopHeaders = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// roundTrip sends a request to the server, which is the request's to give away.
func (h *Proxy) roundTrip(r *http.Request) (*http.Response, error) {
	u := *r.URL
	u.Scheme, u.Host = h.origin.Scheme, h.origin.Host
	r.URL, r.Host, r.RequestURI = &u, "", ""
	for _, name := range hopHeaders {
		r.Header.Del(name)
	}
	resp, err := h.upstream.RoundTrip(r)
	if err == nil {
		for _, name := range hopHeaders {
			resp.Header.Del(name)
		}
	}
	return resp, err
}

// stream passes events on until the one that answers the call.
func (c *httpCall) stream(ctx context.Context, resp *http.Response, id jsontext.Value) (govern.Reply, error) {
	if !c.streaming {
		resp.Header.Del("Content-Length") // a policy may change the answer's
		c.begin(resp)
		_ = http.NewResponseController(c.out).Flush()
	}
	c.streaming, c.rest, c.events = true, resp.Body, frames.Events{}
	chunk := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(chunk)
		c.events.Held = append(c.events.Held, chunk[:n]...)
		for event := c.events.Next(); event != nil; event = c.events.Next() {
			if m := c.find(frames.EventData(event), id); m != nil {
				c.came = bytes.Clone(event)
				return govern.ReadReply(c.sent, m), nil
			}
			if !c.write(event) {
				return govern.Reply{}, context.Canceled
			}
		}
		if len(c.events.Held) > govern.MaxGoverned { // too long to be kept: it passes as it comes
			if !c.write(c.events.TakeRest()) {
				return govern.Reply{}, context.Canceled
			}
		}
		if err == nil {
			continue
		}
		c.rest.Close()
		c.rest = nil
		if ctx.Err() != nil { // a policy may still answer, behind what was whole
			return govern.Reply{}, context.Cause(ctx)
		}
		c.write(c.events.TakeRest())
		return govern.Reply{}, watch.ErrUnanswered
	}
}

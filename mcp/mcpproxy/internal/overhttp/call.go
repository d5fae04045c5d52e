// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/internal/sse"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// govern runs the call through the policies, and answers it.
func (c *httpCall) govern(body []byte, m *wire.Message, p *wire.Params) {
	s := c.x.Session
	ctx, running := c.h.running.begin(c.request.Context(), s, m.Key())
	c.running = running
	governed := govern.NewCalls(c.h.w, s)
	e := &govern.Exchange{
		Raw: bytes.TrimSpace(body), ID: m.ID, Params: *p, Args: p.Arguments, Op: s.NewCall(m, p, time.Now()), Send: c.send,
	}
	defer running.over() // also if a policy panics
	defer c.stopReading()
	r := governed.Govern(ctx, governed.NewCaller(), e)
	r.Observe()
	if running.over() {
		c.leave()
	} else {
		c.answer(r)
	}
	if c.rest != nil {
		c.copyRest()
	}
}

// refuse records a call that is not governed and does not reach the server.
func (c *httpCall) refuse(ctx context.Context, m *wire.Message, p *wire.Params, o objection) {
	governed := govern.NewCalls(c.h.w, c.x.Session)
	governed.Refuse(ctx, &govern.Exchange{
		ID: m.ID, Params: *p, Args: p.Arguments, Op: c.x.Session.NewCall(m, p, time.Now()),
	}, "got "+o.got)
}

// leave ends a call that the client gave up. What the server has begun to answer stays open until the server ends it, as
// without a proxy; a client that resumes a stream that ended without an answer would get all of it again.
func (c *httpCall) leave() {
	if c.read != nil {
		<-c.read
	}
	if !c.streaming && !c.passed && c.request.Context().Err() == nil {
		c.out.Header().Set("Content-Type", "text/event-stream")
		c.out.WriteHeader(http.StatusOK) // a stream that ends: no client expects an answer in it
	}
}

// send sends the call on, and returns the answer. A goroutine of its own reads that, so that the call can end before.
func (c *httpCall) send(ctx context.Context, id jsontext.Value, raw, changed []byte) (govern.Reply, error) {
	if given, _ := c.running.gaveUp(); given {
		return govern.Reply{}, context.Canceled
	}
	c.came, c.sent, c.beside = nil, nil, nil // of an attempt before
	c.stopReading()
	var requests context.Context
	requests, c.stop = context.WithCancel(c.request.Context())
	out := c.request.Clone(requests)
	if changed != nil {
		mirror.SetArguments(out.Header, changed, c.tool)
	}
	out.Header.Set("Accept-Encoding", "identity") // an answer has to be read
	out.Body, out.ContentLength = &sentBody{*bytes.NewReader(raw), c.running, string(id)}, int64(len(raw))
	read := make(chan struct{})
	var r govern.Reply
	var err error
	go func() {
		defer close(read)
		r, err = c.readAnswer(out, id)
	}()
	c.read = read
	select {
	case <-read:
		return r, err
	case <-ctx.Done():
	}
	if given, sent := c.running.gaveUp(); given && sent {
		return govern.Reply{}, context.Canceled
	}
	c.stop()
	<-read
	return govern.Reply{}, context.Cause(ctx)
}

// stopReading ends the reading of an answer.
func (c *httpCall) stopReading() {
	if c.stop != nil {
		c.stop()
		<-c.read
	}
}

// sentBody is the body of a call on its way to the server. A call that the client has given up before the first byte is
// not sent.
type sentBody struct {
	bytes.Reader
	call *runningCall
	id   string
}

func (b *sentBody) Read(p []byte) (int, error) {
	if int64(b.Len()) == b.Size() && !b.call.send(b.id) {
		return 0, context.Canceled
	}
	return b.Reader.Read(p)
}

func (*sentBody) Close() error { return nil }

// WriteTo would pass Read.
func (b *sentBody) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{b})
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
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols { // which was not asked for
		_ = resp.Body.Close()
		return nil, statusError(resp.StatusCode)
	}
	if err == nil {
		for _, name := range hopHeaders {
			resp.Header.Del(name)
		}
	}
	return resp, err
}

// readAnswer sends the call on, and reads the server's answer up to the end of the message that is the call's. What stands
// before that in a stream passes at once.
func (c *httpCall) readAnswer(out *http.Request, id jsontext.Value) (govern.Reply, error) {
	resp, err := c.h.roundTrip(out)
	c.running.answers()
	if err == nil {
		err = c.h.pin(c.x, resp)
	}
	if err != nil {
		return govern.Reply{}, endOf(out.Context(), watch.NewWireError("http_502", NotReached))
	}
	c.h.Sessions.Answered(c.x, resp.StatusCode, resp.Header.Get(mirror.SessionHeader))
	framing, ok := framingOf(resp.Header.Get("Content-Type"), resp.Header.Get("Content-Encoding"))
	switch {
	case resp.StatusCode >= 300:
		return c.pass(resp, statusError(resp.StatusCode))
	case !ok:
		return c.pass(resp, nil)
	case framing == frames.ByEvent:
		return c.readStream(out.Context(), resp, id)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, govern.MaxGoverned+1))
	if err != nil {
		return govern.Reply{}, endOf(out.Context(), watch.ErrUnanswered)
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
	if c.late() {
		return govern.Reply{}, context.Canceled
	}
	c.came, c.header = text, resp.Header
	return govern.ReadReply(c.sent, m), nil
}

// endOf is how a request ended that got no answer: as its context, or of a failure of the server's.
func endOf(ctx context.Context, failure error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failure
}

// late notes an answer that came after the client had given the call up, which does not go there.
func (c *httpCall) late() bool {
	given, _ := c.running.gaveUp()
	if given {
		c.x.Session.Record(watch.Note{Kind: watch.NoteLate})
	}
	return given
}

// readStream passes events on until the one that answers the call, or until the end of the stream if the client gave the
// call up.
func (c *httpCall) readStream(ctx context.Context, resp *http.Response, id jsontext.Value) (govern.Reply, error) {
	if !c.streaming {
		resp.Header.Del("Content-Length") // a policy may change the answer's
		c.begin(resp)
		_ = http.NewResponseController(c.out).Flush()
	}
	c.streaming, c.rest, c.events = true, resp.Body, sse.Events{Most: govern.MaxGoverned}
	chunk := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(chunk)
		c.events.Add(chunk[:n])
		for event, ok := c.events.Next(); ok; event, ok = c.events.Next() {
			m, pass := c.inEvent(&event, id)
			if m != nil {
				return govern.ReadReply(c.sent, m), nil
			}
			if !c.write(pass) {
				return govern.Reply{}, context.Canceled
			}
		}
		if err != nil {
			break
		}
	}
	c.rest.Close()
	c.rest = nil
	if ctx.Err() != nil { // a policy may still answer, behind what was whole
		return govern.Reply{}, context.Cause(ctx)
	}
	c.write(c.events.Rest().Raw)
	return govern.Reply{}, watch.ErrUnanswered
}

// inEvent is the answer to the call in an event, or the bytes that go to the client: all of an event that is too long to be
// kept.
func (c *httpCall) inEvent(event *sse.Event, id jsontext.Value) (answer *wire.Message, pass []byte) {
	if event.Long {
		return nil, event.Raw
	}
	m := c.find(event.Data(), id)
	switch {
	case m == nil:
		return nil, event.Raw
	case !c.late():
		c.came, c.sent = bytes.Clone(event.Raw), bytes.Clone(c.sent) // which the next event would replace
		return m, nil
	case len(c.beside) > 0:
		return nil, eventOf(wire.Joined(c.beside))
	}
	return nil, nil
}

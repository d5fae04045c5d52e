// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// newTransport passes bodies as they come: compressed ones stay so.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		DisableCompression:    true,
		ExpectContinueTimeout: time.Second,
	}
}

// bufferPool lends the buffers that bodies are copied with.
type bufferPool struct{ pool *sync.Pool }

func newBufferPool() bufferPool {
	return bufferPool{&sync.Pool{New: func() any { return new([frames.NarrowRead]byte) }}}
}

func (p bufferPool) Get() []byte  { return p.pool.Get().(*[frames.NarrowRead]byte)[:] }
func (p bufferPool) Put(b []byte) { p.pool.Put((*[frames.NarrowRead]byte)(b)) }

// passOn passes a request on as it is.
func (h *Proxy) passOn(out http.ResponseWriter, in *http.Request, x *HTTPExchange) {
	r := in.WithContext(withExchange(in, x)) // net/http looks at the body of its own request
	control := http.NewResponseController(out)
	_ = control.EnableFullDuplex() // a server may answer before it has read the body
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		h.forward(out, r)
		return
	}
	body := &clientBody{ReadCloser: r.Body}
	r.Body = body
	h.passBody(out, r, x)
	if body.ended.Load() {
		return
	}
	_ = control.Flush()
	if _ = body.Close(); body.broken.Load() {
		panic(http.ErrAbortHandler) // with full duplex, net/http would read what is left as another request
	}
}

// passBody passes a request with a body on.
func (h *Proxy) passBody(out http.ResponseWriter, r *http.Request, x *HTTPExchange) {
	if r.Method == http.MethodPost && mayBeMessage(r.Header.Get("Content-Type")) {
		if t := h.watchRequest(r, x); t != nil {
			defer t.end() // the server may have answered without it
		}
	}
	h.forward(out, r)
}

// forward sends a request to the server, and its answer to the client.
func (h *Proxy) forward(out http.ResponseWriter, r *http.Request) {
	out.Header()["Content-Type"] = nil // of an answer without one, which net/http would make up
	h.proxy.ServeHTTP(out, r)
}

// clientBody is the body of a request, of which something may be left when the answer has been forwarded. With full duplex
// it has to be closed before net/http reads the next request of the connection, and the server's connection may be reading
// it still. Closing it waits for that (https://go.dev/issue/68560).
type clientBody struct {
	io.ReadCloser
	closing sync.Mutex
	ended   atomic.Bool
	broken  atomic.Bool // it is torn or no chunks: where the next request begins is unknown
}

func (b *clientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended.Store(true)
	}
	return n, err
}

// Close also finds out of a body whose reading has failed: the error stays.
func (b *clientBody) Close() error {
	b.closing.Lock()
	defer b.closing.Unlock()
	err := b.ReadCloser.Close()
	if err != nil {
		b.broken.Store(true)
	}
	return err
}

// watchRequest has the body of a request copied as it is sent on. It returns what copies the body, nil for one that has
// been read.
func (h *Proxy) watchRequest(r *http.Request, x *HTTPExchange) *tee {
	s := h.stream(x, watch.FromClient, frames.ByEnd)
	if r.ContentLength > 0 && r.ContentLength <= SmallBody {
		body := make([]byte, r.ContentLength)
		n, err := io.ReadFull(r.Body, body)
		h.w.Tap.CopyBytes(s, time.Now(), body[:n])
		h.w.Tap.CloseStream(s, time.Now(), err != nil)
		h.w.Forwarding()
		r.Body = &readBody{Reader: bytes.NewReader(body[:n]), err: err, body: r.Body}
		return nil
	}
	t := &tee{
		body: r.Body, tap: h.w.Tap, stream: s, left: r.ContentLength, before: h.w.Forwarding,
		more: func() { x.Session.Record(watch.Note{Kind: watch.NoteStrayInput}) },
	}
	r.Body = t
	return t
}

// SmallBody is how long a request may be to be read before it is sent on, in bytes: so it is
// seen even if the server is not there.
const SmallBody = 64 << 10

// readBody is a body that has been read, with the error that came of it.
type readBody struct {
	*bytes.Reader
	err  error
	body io.Closer
}

func (b *readBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF && b.err != nil {
		err = b.err
	}
	return n, err
}

func (b *readBody) Close() error { return b.body.Close() }

// watchAnswer has the body of an answer copied as it passes.
func (h *Proxy) watchAnswer(resp *http.Response) error {
	x, _ := resp.Request.Context().Value(httpExchangeKey{}).(*HTTPExchange)
	if x == nil {
		return nil
	}
	s := h.answered(
		x, resp.StatusCode, resp.Header.Get(mirror.SessionHeader), resp.Header.Get("Content-Type"),
		resp.Header.Get("Content-Encoding"),
	)
	if s != nil {
		resp.Body = &tee{body: resp.Body, tap: h.w.Tap, stream: s, left: resp.ContentLength, listed: h.w.Listed}
	}
	return h.pin(x, resp)
}

// NotReached is what a client reads in the place of an answer.
const NotReached = "toolscope: the MCP server could not be reached, or its answer is none that may be passed on"

// failed answers for a server that could not be reached.
func (h *Proxy) failed(out http.ResponseWriter, r *http.Request, err error) {
	ended := statusError(http.StatusBadGateway)
	gone := r.Context().Err() != nil // the client does not wait any more
	if gone {
		ended = watch.ErrUnanswered
	}
	if x, _ := r.Context().Value(httpExchangeKey{}).(*HTTPExchange); x != nil {
		h.ended(x, ended)
	}
	if gone {
		return
	}
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	out.Header().Set("Content-Length", strconv.Itoa(len(NotReached)+1)) // passOn may end the connection behind it
	out.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(out, NotReached+"\n")
}

// mayBeMessage reports whether a server may read a request's body of a content type as a message: some look at it, others
// do not.
func mayBeMessage(contentType string) bool {
	return contentType == "" || isJSON(contentType) || strings.HasPrefix(strings.ToLower(contentType), "text/plain")
}

// tee gives the tap a copy of what is read of a body. It may be closed while it is read.
type tee struct {
	body   io.ReadCloser
	tap    *frames.Tap
	stream *frames.Stream
	before func() // is called before the end of a request's message is passed on; nil for an answer
	more   func() // is called once if a request goes on behind its message
	listed func() // takes note of what may list tools; nil for a body that does not

	mu      sync.Mutex
	left    int64           // bytes to come; below 0 if unknown
	message wire.Completion // of a request
	over    bool
}

func (t *tee) Read(b []byte) (int, error) {
	if t.complete() {
		return 0, io.EOF // a server closes a request's body when it answers, and then another read fails
	}
	n, err := t.body.Read(b)
	if t.copy(b[:n], err) && t.before != nil { // a server may begin with a message before its body ends
		t.before()
	}
	t.tap.Signal()
	return n, err
}

func (t *tee) complete() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left == 0 && t.over
}

// copy gives the tap what was read, and reports whether that was the end: of the body, or of the message in a request. What
// is read behind the end is left out.
func (t *tee) copy(b []byte, err error) (ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left > 0 {
		t.left -= int64(len(b))
	}
	if t.over {
		t.readOn(b)
		return false
	}
	if len(b) > 0 {
		t.tap.CopyBytes(t.stream, time.Now(), b)
		if t.listed != nil {
			t.listed()
		}
	}
	complete := t.before != nil && t.message.Add(b)
	if err == nil && t.left != 0 && !complete {
		return false
	}
	t.over = true
	t.tap.CloseStream(t.stream, time.Now(), err != io.EOF && t.left != 0 && !complete)
	return true
}

// readOn takes in what is read of a body behind its end.
func (t *tee) readOn(b []byte) {
	if t.more != nil && len(bytes.TrimSpace(b)) > 0 {
		t.more()
		t.more = nil
	}
}

// end ends the copy.
func (t *tee) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.over = true
		t.tap.CloseStream(t.stream, time.Now(), t.left != 0)
		t.tap.Signal()
	}
}

// Close ends the copy as well.
func (t *tee) Close() error {
	t.end()
	return t.body.Close()
}

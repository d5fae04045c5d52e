// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// A web is HTTP to one server: it sets headers, keeps to the server's origin, bounds what
// comes, and ends with the connection.
type web struct {
	client  *http.Client
	base    http.RoundTripper
	own     *http.Transport // base, if it was made here
	origin  string
	headers map[string]string
	limit   int
	life    context.Context
	end     context.CancelFunc
	strayed atomic.Bool // the last request was one to another origin
}

var (
	_ link              = (*web)(nil)
	_ http.RoundTripper = (*web)(nil)
)

// listenTime is how long a server may take to begin the stream of its own messages,
// for which the SDK waits before a session is open. After that it has none.
const listenTime = 5 * time.Second

func newWeb(s *server) *web {
	w := &web{headers: s.conf.Headers, limit: s.m.options.MaxMessage, client: new(http.Client)}
	if u, err := url.Parse(s.conf.URL); err == nil { // it was checked
		w.origin = originOf(u)
	}
	w.life, w.end = context.WithCancel(context.Background())
	if given := s.conf.HTTPClient; given != nil {
		*w.client = *given
		w.base = given.Transport
	}
	if w.base == nil {
		w.base = http.DefaultTransport
		if t, ok := http.DefaultTransport.(*http.Transport); ok {
			w.own = t.Clone()
			w.base = w.own
		}
	}
	w.client.Transport = w
	return w
}

func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

func (w *web) pid() int              { return 0 }
func (w *web) gone() <-chan struct{} { return nil }
func (w *web) abort()                { w.close() }

// why is errOrigin if that was why the last request was not sent: the SDK then closes the connection, and may
// report only that.
func (w *web) why() error {
	if w.strayed.Load() {
		return errOrigin
	}
	return nil
}

func (w *web) close() {
	w.end()
	if w.own != nil {
		w.own.CloseIdleConnections()
	}
}

var errOrigin = errors.New("the server sends requests to another origin than that of its URL, which gets neither " +
	"headers nor arguments: want the same scheme, host and port")

// RoundTrip sends a request.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	strays := originOf(req.URL) != w.origin
	w.strayed.Store(strays)
	if strays {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, errOrigin
	}
	given := req.Context()
	ctx, cancel := context.WithCancel(given)
	stop := func() bool { return true }
	if req.Method != http.MethodDelete { // which ends the session, and to which the SDK gives five seconds
		stop = context.AfterFunc(w.life, cancel)
	}
	release := func() {
		stop()
		cancel()
	}
	if _, ours := w.base.(*http.Transport); ours { // it tells when there is a connection to send the request by
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { begun(given) }})
	} else {
		begun(given)
	}
	out := req.Clone(ctx)
	for name, value := range w.headers {
		out.Header.Set(name, value)
	}
	listens := req.Method == http.MethodGet && req.Header.Get("Accept") == "text/event-stream" &&
		req.Header.Get("Mcp-Protocol-Version") != "" && req.Header.Get("Last-Event-Id") == ""
	var late *time.Timer
	if listens {
		late = time.AfterFunc(listenTime, cancel)
	}
	res, err := w.base.RoundTrip(out)
	if !undialled(err) {
		begun(given)
	}
	if late != nil && !late.Stop() && given.Err() == nil || err != nil && listens && w.life.Err() != nil {
		if err == nil {
			res.Body.Close()
		}
		release()
		return noStream(req), nil
	}
	if err != nil {
		release()
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case kind == "text/event-stream" && res.StatusCode < 300:
		res.Body = &body{newStream(res.Body, w.limit), res.Body, release}
	case kind == "application/json":
		res.Body = &body{&document{from: res.Body, limit: w.limit}, res.Body, release}
	default:
		res.Body = &body{io.LimitReader(res.Body, int64(w.limit)), res.Body, release}
	}
	res.ContentLength = -1
	return res, nil
}

// undialled reports whether there never was a connection.
func undialled(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// noStream is the answer of a server that has no stream of its own messages.
func noStream(req *http.Request) *http.Response {
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{}, Body: http.NoBody, Request: req,
	}
}

// A body is a response's, read through what bounds it.
type body struct {
	io.Reader
	closer  io.Closer
	release func()
}

func (b *body) Close() error {
	err := b.closer.Close()
	b.release()
	return err
}

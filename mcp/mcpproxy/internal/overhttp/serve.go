// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// The bounds of a connection.
const (
	MaxHead   = 256 << 10       // bytes of a request's head
	headTime  = 5 * time.Second // for a client to send a request's head
	idleLimit = 2 * time.Minute // without a request
)

// Serve answers requests that arrive at l until ctx is over, and closes l. Those that run then may take as long as
// patience. The error is that of l.
func (h *Proxy) Serve(ctx context.Context, l net.Listener, patience time.Duration) error {
	server := &http.Server{Handler: Guard(h), ReadHeaderTimeout: headTime, IdleTimeout: idleLimit, MaxHeaderBytes: MaxHead}
	shutdown := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		err := server.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		h.Transport.CloseIdleConnections()
		return err
	}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { closed <- shutdown() })
	err := server.Serve(l)
	if stop() { // l ended by itself
		return errors.Join(err, shutdown())
	}
	return <-closed
}

// New forwards requests to a server that speaks streamable HTTP or server-sent events, and flushes
// what the server answers at once. It reads headers for the session's id and the content type, and records
// none of them.
func New(w *watch.Watcher, target *url.URL) *Proxy {
	origin := &url.URL{Scheme: target.Scheme, Host: target.Host}
	sessions := &httpSessions{w: w, tools: watch.ToolTable{Earlier: &w.Earlier}, ByID: map[string]usedSession{}}
	h := &Proxy{w: w, origin: origin, path: target.Path, Sessions: sessions, Transport: newTransport(), running: newRunningCalls()}
	h.upstream = h.Transport
	if w.Upstream != nil {
		h.upstream = w.Upstream(h.Transport)
	}
	h.upstream = finalStatus{h.upstream}
	h.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(origin)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // also what net/url cannot parse
			if _, ok := r.In.Header["User-Agent"]; !ok {
				r.Out.Header["User-Agent"] = nil // none is added
			}
		},
		Transport:      h.upstream,
		FlushInterval:  -1,
		ModifyResponse: h.watchAnswer,
		ErrorHandler:   h.failed,
		BufferPool:     newBufferPool(),
		ErrorLog:       log.New(io.Discard, "", 0), // what fails is answered, and observed
	}
	return h
}

// ServeHTTP passes a request on.
func (h *Proxy) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	x := h.exchange(r.Method, r.Header.Get(mirror.SessionHeader), r.URL.RawQuery)
	defer h.w.Tap.Signal()
	defer h.over(x)
	if h.w.Framed() {
		h.govern(out, r, x)
		return
	}
	h.passOn(out, r, x)
}

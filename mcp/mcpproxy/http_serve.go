// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// The bounds of a connection.
const (
	maxHead   = 256 << 10       // bytes of a request's head
	headTime  = 5 * time.Second // for a client to send a request's head
	idleLimit = 2 * time.Minute // without a request
	endTime   = time.Second     // for requests to complete once the end was asked for
)

// Serve forwards requests that arrive at l to a server that speaks streamable HTTP or server-sent events,
// until ctx is over, and closes l. It answers requests of this machine only ([Guard]). Paths, headers,
// sessions and bodies stay as they are, but for the headers of one connection and Host, as
// [httputil.ReverseProxy] has it; streams are flushed at once. Requests that run when ctx is over may take
// another second. The error is that of l.
func (w *Watcher) Serve(ctx context.Context, l net.Listener, target *url.URL) error {
	return newHTTPProxy(w.core, target).serve(ctx, l, endTime)
}

// serve is Serve; requests that run at the end may take as long as patience.
func (h *httpProxy) serve(ctx context.Context, l net.Listener, patience time.Duration) error {
	server := &http.Server{Handler: Guard(h), ReadHeaderTimeout: headTime, IdleTimeout: idleLimit, MaxHeaderBytes: maxHead}
	shutdown := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		err := server.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		h.transport.CloseIdleConnections()
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

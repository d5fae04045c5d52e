// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
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

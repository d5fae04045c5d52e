// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/toolscope/toolscope/internal/mcpproxy"
)

// serveHTTP is the proxy of a server over HTTP, until the program is asked to end.
func (o *mcpOptions) serveHTTP(stderr io.Writer) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	target, err := url.Parse(o.target)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if at, err := netip.ParseAddrPort(l.Addr().String()); err != nil || !at.Addr().Unmap().IsLoopback() {
		return errors.Join(fmt.Errorf("--listen: got %s, which other machines reach, want a loopback address such as 127.0.0.1:8808", l.Addr()), l.Close())
	}
	p, err := o.open()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer p.close(context.Background())
	if p.stats != "" {
		fmt.Fprintf(stderr, "statistics at %s\n", p.stats)
	}
	fmt.Fprintf(stderr, "passing http://%s%s on to %s (Ctrl-C ends it)\n", l.Addr(), target.Path, mcpproxy.Shown(target))
	return serveUntil(ctx, l, p.watcher.Handler(target))
}

// endTime is how long requests may go on once the program was asked to end.
const endTime = time.Second

// serveUntil serves until ctx is over. Streams that never end are cut.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 256 << 10}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		err := s.Shutdown(ending)
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.Close()
		}
		closed <- err
	})
	err := s.Serve(l)
	if stop() { // it ended by itself
		return err
	}
	return <-closed
}

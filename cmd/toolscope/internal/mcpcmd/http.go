// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

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

	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
	"github.com/toolscope/toolscope/redact"
)

// serveHTTP is the proxy of a server over HTTP, until the program is asked to end.
func (o *options) serveHTTP(stderr io.Writer) (err error) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as below nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
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
		return errors.Join(fmt.Errorf("--listen: got %s, which other machines reach, want a loopback address such "+
			"as 127.0.0.1:8808 "+
			"(docs/proxy-reference.md, \"Access control\")", l.Addr()), l.Close())
	}
	say := sayTo(stderr)
	sayStandardLog(say)
	client, err := o.signinClient(target, say)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	o.upstream = func(base http.RoundTripper) http.RoundTripper { return signin.Notice(base, say) }
	if client != nil {
		defer client.Close()
		o.upstream = client.Transport
	}
	p, err := o.open(sayTo(stderr))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() {
		p.close(context.Background())
		if lost := p.log.lost(); lost != "" {
			err = errors.Join(err, errors.New(lost))
		}
	}()
	if p.stats != "" {
		fmt.Fprintf(stderr, "statistics at %s\n", p.stats)
	}
	fmt.Fprintf(stderr, "passing http://%s%s on to %s (Ctrl-C ends it)\n", l.Addr(), target.Path, shownTarget(target))
	if client != nil {
		go beginSignIn(ctx, client, say)
	}
	return p.watcher.Serve(ctx, l, target)
}

// shownTarget is an address without a user, and without what may be a secret in its path.
func shownTarget(target *url.URL) string {
	text, _ := redact.Default().Text((&url.URL{Scheme: target.Scheme, Host: target.Host, Path: target.Path}).String())
	return text
}

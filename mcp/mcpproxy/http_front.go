// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Serve passes what comes at l on to a server that speaks streamable HTTP or server-sent events, until
// ctx is over, and closes l. Only this machine is answered ([Guard]). Requests that need no more than
// to be passed on go byte for byte, with another Host: those of HTTP/1.1 for a target of plain HTTP
// that no proxy of the environment stands before, while no policy governs calls. All others go by
// net/http, with paths, headers, sessions and bodies as they are, and streams flushed at once.
// Requests that have begun when ctx is over may go on for a second. The error is l's.
func (w *Watcher) Serve(ctx context.Context, l net.Listener, target *url.URL) error {
	return newFront(w, target).run(ctx, l)
}

// endTime is how long requests may go on once the end was asked for.
const endTime = time.Second

// A front takes the connections of clients.
type front struct {
	*httpProxy
	server   *http.Server // for what needs more than to be passed on
	direct   bool         // links can reach the server
	address  string       // of the server
	host     string       // how it is called
	dialer   net.Dialer
	dialing  context.Context // over when nobody is to be reached any more
	hangUp   context.CancelFunc
	others   *given
	patience time.Duration // how long requests may go on at the end

	mu      sync.Mutex
	links   map[*link]struct{}
	closing bool
	running sync.WaitGroup
}

func newFront(w *Watcher, target *url.URL) *front {
	f := &front{httpProxy: newHTTPProxy(w, target), host: target.Host, dialer: net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}, links: map[*link]struct{}{}}
	f.patience = endTime
	f.server = &http.Server{Handler: Guard(f.httpProxy), ReadHeaderTimeout: headTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHead}
	f.dialing, f.hangUp = context.WithCancel(context.Background())
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: f.origin})
	f.direct = target.Scheme == "http" && proxy == nil && err == nil
	f.address = target.Host
	if target.Port() == "" {
		f.address = net.JoinHostPort(target.Hostname(), "80")
	}
	return f
}

// run serves until ctx is over.
func (f *front) run(ctx context.Context, l net.Listener) error {
	if f.direct { // before anything can end it
		f.others = &given{Listener: l, conns: make(chan net.Conn), closed: make(chan struct{})}
		f.running.Go(func() { _ = f.server.Serve(f.others) }) // it ends by close
	}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { closed <- f.close(context.WithoutCancel(ctx), l) })
	err := f.serve(l)
	if stop() { // it ended by itself
		return errors.Join(err, f.close(ctx, l))
	}
	return <-closed
}

// serve takes connections until l is closed.
func (f *front) serve(l net.Listener) error {
	if !f.direct {
		return f.server.Serve(l)
	}
	pause := 5 * time.Millisecond
	for {
		c, err := l.Accept()
		if err == nil {
			pause = 5 * time.Millisecond
			f.take(c)
			continue
		}
		if temporary := (interface{ Temporary() bool })(nil); !errors.As(err, &temporary) || !temporary.Temporary() {
			return err
		}
		time.Sleep(pause) // too many files are open, or the like
		pause = min(2*pause, time.Second)
	}
}

// take begins with a connection.
func (f *front) take(c net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closing {
		_ = c.Close()
		return
	}
	if !isLoopback(c.LocalAddr()) { // net/http says so
		f.running.Go(func() { f.give(c) })
		return
	}
	l := f.newLink(c)
	f.links[l] = struct{}{}
	f.running.Go(l.run)
}

// forget is told that a link has ended.
func (f *front) forget(l *link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.links, l)
}

// straight reports whether a request needs no more than to be passed on.
func (f *front) straight(q *requestHead) bool {
	return loopbackName(q.host) && localOrigin(q.origin, q.site) && !f.w.framed()
}

// give hands a connection to net/http.
func (f *front) give(c net.Conn) {
	select {
	case f.others.conns <- c:
	case <-f.others.closed:
		_ = c.Close()
	}
}

// close ends what goes on, in the time that requests may take at most.
func (f *front) close(ctx context.Context, l net.Listener) error {
	_ = l.Close()
	ctx, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	for !f.closeLinks(ctx.Err() != nil) {
		time.Sleep(10 * time.Millisecond)
	}
	f.hangUp()
	err := f.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = f.server.Close()
	}
	f.running.Wait()
	if errors.Is(err, net.ErrClosed) { // l, which net/http closes as well
		return nil
	}
	return err
}

// closeLinks closes the links that wait for nothing, or all; true if none is left.
func (f *front) closeLinks(all bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closing = true
	if all {
		f.hangUp()
	}
	for l := range f.links {
		if all || !l.answering() {
			l.cut()
		}
	}
	return len(f.links) == 0
}

// given is a listener for connections that were taken elsewhere.
type given struct {
	net.Listener // for its address
	conns        chan net.Conn
	once         sync.Once
	closed       chan struct{}
}

func (g *given) Accept() (net.Conn, error) {
	select {
	case c := <-g.conns:
		return c, nil
	case <-g.closed:
		return nil, net.ErrClosed
	}
}

func (g *given) Close() error {
	g.once.Do(func() { close(g.closed) })
	return nil
}

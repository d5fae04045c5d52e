// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 servers of older revisions ask for what the newest deprecates, and are served.

package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/revision"
)

// The longest that the manager waits for goroutines and servers to end after it asked them to.
const abandonAfter = 6 * time.Second

// connect makes a connection and reads the lists, within the start timeout. A server that
// does not survive, or answer, the question by which the SDK finds out the revision is asked
// in the old way the next time.
func (s *server) connect(life context.Context, old bool) (_ *connection, err error) {
	ctx, cancel := context.WithCancelCause(life)
	limit := s.conf.StartTimeout
	limit = cmp.Or(limit, s.m.options.StartTimeout)
	timer := time.AfterFunc(limit, func() { cancel(errStartTime) })
	c := &connection{server: s.conf.Name, ctx: ctx, cancel: cancel, lost: make(chan struct{})}
	defer func() {
		if err == nil {
			return
		}
		timer.Stop()
		if c.link != nil {
			c.link.abort()
		}
		err = c.explain(err)
		c.close()
		s.setLink(nil, nil)
	}()
	transport, l, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	c.link = l
	s.setLink(l, ctx)

	options := &mcp.ClientSessionOptions{ProtocolVersion: s.conf.ProtocolVersion}
	old = s.conf.ProtocolVersion == "" && (s.legacy || old)
	if old {
		options.ProtocolVersion = revision.LastWithSessions.String()
	}
	if err := c.open(s.client, transport, options); err != nil {
		return nil, err
	}
	if err := s.read(ctx, c.session, &c.lists, readTools|readResources|readPrompts); err != nil && c.lists.tools == nil {
		return nil, err
	}
	if level := s.m.options.LogLevel; level != "" {
		s.setLevel(ctx, c.session, level)
	}
	if !timer.Stop() {
		return nil, errStartTime
	}
	s.legacy = old
	return c, nil
}

// open begins the session. The SDK waits in places for what heeds no context: it is not
// waited for beyond the start timeout.
func (c *connection) open(client *mcp.Client, t mcp.Transport, options *mcp.ClientSessionOptions) error {
	type opened struct {
		session *mcp.ClientSession
		err     error
	}
	result := make(chan opened, 1)
	go func() {
		cs, err := client.Connect(c.ctx, t, options)
		result <- opened{cs, err}
	}()
	var got opened
	select {
	case got = <-result:
	case <-c.ctx.Done():
		if c.link != nil {
			c.link.abort()
		}
		select {
		case got = <-result:
		case <-time.After(abandonAfter):
			return context.Cause(c.ctx)
		}
	}
	if got.err != nil {
		return got.err
	}
	c.session = got.session
	var gone <-chan struct{}
	if c.link != nil {
		gone = c.link.gone()
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_ = c.session.Wait() // the link knows better why
	}()
	go func() {
		defer close(c.lost)
		select {
		case <-waited:
		case <-gone:
		}
	}()
	return nil
}

// goodbye is how long the word that calls are cancelled may take to a server that is being
// left, so that it ends what it does for them.
const goodbye = 50 * time.Millisecond

// leave is for a connection whose context has ended while all is well: it lets that word go.
func (c *connection) leave() {
	if c.active.Load() > 0 || c.cut.Load() {
		time.Sleep(goodbye)
	}
}

// close ends the connection and waits, in good order unless the link was aborted.
func (c *connection) close() {
	c.cancel(errLost)
	stdio := c.link != nil && c.link.gone() != nil
	if stdio { // the session ends when its process has
		c.link.close()
	}
	if c.session != nil {
		within(abandonAfter, func() { _ = c.session.Close() }) // how it ended is known
	}
	if c.link != nil && !stdio {
		c.link.close()
	}
}

// within runs f and waits for it that long.
func within(limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// why is what ended a connection that was lost, and closed.
func (c *connection) why() error {
	if c.link != nil {
		if err := c.link.why(); err != nil {
			return fmt.Errorf("%w: %w", errLost, err)
		}
	}
	return errLost
}

// explain adds to an error what is known better than the SDK knows it.
func (c *connection) explain(err error) error {
	if cause := context.Cause(c.ctx); cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w (%v)", cause, err)
	}
	if c.link != nil {
		if why := c.link.why(); why != nil && !errors.Is(err, why) {
			err = fmt.Errorf("%w: %w", err, why)
		}
	}
	return err
}

// bind makes a request's context: it ends after limit, and with the connection.
func (c *connection) bind(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	bound, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })
	timer := time.AfterFunc(limit, func() { cancel(errTimeout) })
	c.active.Add(1)
	return bound, func() {
		if !stop() {
			c.cut.Store(true)
		}
		c.active.Add(-1)
		timer.Stop()
		cancel(nil)
	}
}

// dial makes the server's transport.
func (s *server) dial(ctx context.Context) (mcp.Transport, link, error) {
	switch {
	case s.conf.Transport != nil:
		t, err := s.custom(ctx)
		return t, nil, err
	case s.conf.Command != "":
		c, err := s.startChild()
		if err != nil {
			return nil, nil, err
		}
		return c, c, nil
	}
	w := newWeb(s)
	if s.conf.SSE {
		return &mcp.SSEClientTransport{Endpoint: s.conf.URL, HTTPClient: w.client,
			MaxEventSize: s.m.options.MaxMessage + eventSlack}, w, nil
	}
	return &mcp.StreamableClientTransport{
		Endpoint: s.conf.URL, HTTPClient: w.client, OAuthHandler: s.conf.OAuth, MaxEventSize: s.m.options.MaxMessage + eventSlack,
	}, w, nil
}

// custom makes a transport that the application supplies.
func (s *server) custom(ctx context.Context) (t mcp.Transport, err error) {
	defer func() {
		if recover() != nil { // a panic's value may hold anything
			err = errors.New("Server.Transport: it panicked")
		}
	}()
	t, err = s.conf.Transport(ctx)
	if err == nil && t == nil {
		err = errors.New("Server.Transport: got nil, want a transport")
	}
	return t, err
}

// setLevel asks for log messages; a server that does not know how sends what it likes.
func (s *server) setLevel(ctx context.Context, cs *mcp.ClientSession, level mcp.LoggingLevel) {
	r := cs.InitializeResult()
	if r == nil || r.Capabilities == nil || r.Capabilities.Logging == nil || !revision.ParseLater(r.ProtocolVersion).HasSessions() {
		return
	}
	if err := cs.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: level}); err != nil {
		s.note(err)
	}
}

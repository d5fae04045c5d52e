// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/internal/revision"
)

// session is what a middleware remembers of a session until it ends.
type session struct {
	id          string                            // of the protocol's, or made up where that has none
	version     revision.Revision                 // as negotiated
	said        atomic.Pointer[revision.Revision] // of the first request that declared one; nil until then
	http        bool                              // as the request's headers said that opened it
	initialized time.Time
	tools       *toolTable // of the peer, on the client
	call        caller     // on the client
}

// waiting is a session that tells its end.
type waiting interface {
	mcp.Session
	Wait() error
}

var (
	_ waiting = (*mcp.ClientSession)(nil)
	_ waiting = (*mcp.ServerSession)(nil)
)

// known is the session's memory, nil if there is none.
func (w *watcher) known(s mcp.Session) *session {
	if v, ok := w.sessions.Load(s); ok {
		return v.(*session)
	}
	return nil
}

// remember puts a session in the memory until it ends. Of two at once the first
// one stays.
func (w *watcher) remember(s waiting, made *session) *session {
	if was, loaded := w.sessions.LoadOrStore(s, made); loaded {
		return was.(*session)
	}
	go func() {
		err := wait(s)
		w.endRounds(s)
		if now, ok := w.sessions.LoadAndDelete(s); ok {
			w.ended(now.(*session), err)
		}
	}()
	return made
}

// ended records a session that was initialized. By revision 2026-07-28 there is none.
func (w *watcher) ended(s *session, err error) {
	if s.initialized.IsZero() {
		return
	}
	l := labels{version: s.version, errorType: w.statusOf(err, "_OTHER").errorType}
	attrs := l.attributes(w.networkOf(s.http), w.clean)[1:] // without a method
	attrs = append(attrs, w.metrics.side...)
	took := time.Since(s.initialized).Seconds()
	w.metrics.session.Record(context.Background(), took, metric.WithAttributes(attrs...))
}

// wait waits for a session's end. One that was never connected, as tests make them, has none.
// A caller that closes a session may find its reader at work, to which the SDK's Wait then holds what
// it read from: that is no error.
func wait(s waiting) (err error) {
	defer func() { _ = recover() }()
	err = s.Wait()
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// initialized tells that the peers have agreed on a version. A server that assigns no id
// over HTTP is stateless: what the SDK calls a session is one request there.
func (w *watcher) initialized(s mcp.Session, start time.Time, http bool, res *mcp.InitializeResult) {
	peer, ok := s.(waiting)
	if !ok || res == nil || http && s.ID() == "" {
		return
	}
	made := &session{id: s.ID(), version: revision.Parse(res.ProtocolVersion), http: http, initialized: start}
	if made.id == "" {
		made.id = rand.Text()
	}
	if was := w.known(s); was != nil { // a client's, made when it sent its first request
		made.tools, made.call = was.tools, was.call
		w.sessions.CompareAndSwap(s, was, made) // unless it has ended meanwhile
		return
	}
	w.remember(peer, made)
}

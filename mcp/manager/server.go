// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// A server is one of a manager's, with its connection. One goroutine connects it, looks
// after it, and connects it anew.
type server struct {
	m      *Manager
	conf   Server
	meter  meter
	client *mcp.Client
	legacy bool // the handshake of revisions up to 2025-11-25 worked, and the SDK's own did not

	first chan struct{}           // closed when the first attempt has come to its end
	done  chan struct{}           // closed when the goroutine has ended
	end   context.CancelCauseFunc // nil before start; under the manager's lock
	due   chan struct{}           // some list is to be read anew, or the server looks ill
	asked signals

	tokens  atomic.Uint64 // of progress
	awaited sync.Map      // from tokens to calls, of which it has name and ID

	mu          sync.Mutex
	state       State
	since, next time.Time
	lastError   string
	lastErrorAt time.Time
	connects    uint64
	conn        *connection // while connected
	link        link        // while there is one
	serving     context.Context
	initialized *mcp.InitializeResult
	lists       lists
	lost        []string // tools whose names are others'
}

// set tells of a new state. err is what went wrong, nil if nothing did.
func (s *server) set(state State, err error, next time.Time) {
	s.mu.Lock()
	s.state, s.since, s.next = state, time.Now(), next
	s.mu.Unlock()
	if err != nil {
		s.note(err)
	}
	s.m.wake()
	if tell := s.m.options.OnState; tell != nil {
		now := s.status()
		s.m.events.put(0, func() { tell(now) })
	}
}

// maxErrorText is how much of an error is kept, in bytes.
const maxErrorText = 1 << 10

// note remembers what went wrong.
func (s *server) note(err error) { s.noteOf(nil, err) }

// noteOf remembers what went wrong with a connection, unless it is in use no more: how it
// ended has been reported, or will be, and says more than the requests that ended with it. A nil
// connection is always in use.
func (s *server) noteOf(c *connection, err error) {
	text, _ := s.m.options.Redactor.TextMax(hideURL(s.conf.URL, err).Error(), maxErrorText)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c == nil || s.conn == c {
		s.lastError, s.lastErrorAt = text, time.Now()
	}
}

// problem is what keeps the server from being connected, nil if it is or is not to be.
func (s *server) problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conf.Disabled || s.state == Connected {
		return nil
	}
	if s.lastError == "" {
		return &ServerError{Server: s.conf.Name, Err: errUnreachable}
	}
	return &ServerError{Server: s.conf.Name, Err: errors.New(s.lastError)}
}

// current is the connection, nil if there is none.
func (s *server) current() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// coming reports whether the server may be connected within wait.
func (s *server) coming(wait time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case Connecting, Connected:
		return true
	case Failed:
		return time.Until(s.next) < wait
	}
	return false
}

func (s *server) tools() []*tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists.tools
}

func (s *server) setLost(lost []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = lost
}

// setLink tells what the server is connected by, and as long as what requests of it are
// answered.
func (s *server) setLink(l link, serving context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link, s.serving = l, serving
}

func (s *server) tellLists() {
	if tell := s.m.options.OnLists; tell != nil {
		s.m.events.put(0, func() { tell(s.conf.Name) })
	}
}

// failure is a failed request as callers see it.
func (s *server) failure(ctx context.Context, tool string, sent bool, err error) error {
	own := &ServerError{Server: s.conf.Name, Sent: sent, Err: hideURL(s.conf.URL, err)}
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		own.Err = errTimeout
		return &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: tool, Message: own.Error(), Cause: own}
	case ctx.Err() != nil:
		own.Err = context.Cause(ctx)
	}
	return own
}

func (s *server) status() Status {
	now := time.Now()
	st := Status{Name: s.conf.Name, Transport: s.conf.kind()}
	st.SuccessRate, st.Latency = s.meter.standing(now)
	s.meter.mu.Lock()
	st.Calls, st.Errors, st.InFlight = s.meter.calls, s.meter.errors, s.meter.inFlight
	s.meter.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	st.State, st.Since, st.NextAttempt = s.state, s.since, s.next
	st.LastError, st.LastErrorAt = s.lastError, s.lastErrorAt
	st.Connects, st.Initialized = s.connects, s.initialized
	st.Tools, st.Resources, st.Templates, st.Prompts = len(s.lists.tools), len(s.lists.resources),
		len(s.lists.templates), len(s.lists.prompts)
	for _, problems := range [][]string{s.lists.allProblems(), s.lost} {
		st.Problems = append(st.Problems, problems[:min(len(problems), maxProblems-len(st.Problems))]...)
	}
	if s.link != nil {
		st.PID = s.link.pid()
	}
	return st
}

// limit is how long a request may take.
func (s *server) limit() time.Duration {
	if s.conf.RequestTimeout > 0 {
		return s.conf.RequestTimeout
	}
	return s.m.options.RequestTimeout
}

// signals are what a server's goroutine is to do: bits, so that a flood is one.
type signals struct{ bits atomic.Uint32 }

const (
	readTools uint32 = 1 << iota
	readResources
	readPrompts
	lookIll // a request failed: ask whether the server is well
)

// ask tells the server's goroutine what to do.
func (s *server) ask(bit uint32) {
	s.asked.bits.Or(bit)
	select {
	case s.due <- struct{}{}:
	default: // it was asked to end and has not ended yet
	}
}

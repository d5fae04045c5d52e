// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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

func newServer(m *Manager, conf Server) *server {
	conf.Args, conf.Env, conf.Headers = slices.Clone(conf.Args), maps.Clone(conf.Env), maps.Clone(conf.Headers)
	if conf.Sandbox != nil {
		own := *conf.Sandbox
		own.Paths = slices.Clone(own.Paths)
		conf.Sandbox = &own
	}
	s := &server{m: m, conf: conf, state: Disconnected, since: time.Now(), first: make(chan struct{}),
		done: make(chan struct{}), due: make(chan struct{}, 1)}
	s.client = s.newClient()
	return s
}

// start begins to connect the server. The caller holds the manager's lock.
func (s *server) start(life context.Context) {
	if s.conf.Disabled {
		close(s.first)
		return
	}
	life, s.end = context.WithCancelCause(life)
	go func() {
		defer close(s.done)
		s.keepConnected(life)
	}()
}

// stop ends the server and waits.
func (s *server) stop() {
	s.m.mu.Lock()
	end := s.end
	s.m.mu.Unlock()
	if end != nil {
		end(errStopped)
		<-s.done
	}
}

// settled is how long a connection must have lasted for its end not to count as one more
// failure of connecting.
const settled = 10 * time.Second

// keepConnected keeps the server connected until its life ends.
func (s *server) keepConnected(life context.Context) {
	defer s.set(Disconnected, nil, time.Time{})
	first := sync.OnceFunc(func() { close(s.first) })
	defer first()
	failures, refused := 0, 0 // in a row: of connections, short ones too, and of handshakes
	for life.Err() == nil {
		s.set(Connecting, nil, time.Time{})
		c, err := s.connect(life, refused%2 == 1)
		if s.conf.Command != "" || errors.Is(err, errStartTime) { // it was there, and did not get on with the handshake
			refused++
		}
		if err == nil {
			began := time.Now()
			refused = 0
			s.connected(c)
			first()
			err = s.look(life, c)
			s.disconnected()
			if life.Err() != nil {
				c.leave()
			}
			c.close()
			s.setLink(nil, nil)
			if errors.Is(err, errLost) { // only now it is known how a process ended
				err = c.why()
			}
			if time.Since(began) >= settled {
				failures = 0
			}
		}
		if life.Err() != nil {
			return
		}
		pause := backoff(s.m.options.Backoff, s.m.options.MaxBackoff, failures)
		failures++
		s.set(Failed, err, time.Now().Add(pause))
		first()
		select {
		case <-time.After(pause):
		case <-life.Done():
		}
	}
}

// backoff is the pause after so many failures: it doubles, and up to half of it is taken
// off, so that servers that failed together do not come back together.
func backoff(base, most time.Duration, failures int) time.Duration {
	d := most
	if failures < 32 && base < most>>failures {
		d = base << failures
	}
	return d - rand.N(d/2+1)
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
	text, _ := s.m.options.Redactor.TextMax(s.hide(err).Error(), maxErrorText)
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

func (s *server) connected(c *connection) {
	s.mu.Lock()
	s.conn, s.initialized, s.lists = c, c.session.InitializeResult(), c.lists
	s.connects++
	s.mu.Unlock()
	s.m.rebuild()
	s.set(Connected, nil, time.Time{})
	s.tellLists()
}

func (s *server) disconnected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = nil
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

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
	"time"
)

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

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"time"
)

// refreshPause is how long a server's word that its lists changed waits, at least, and
// refreshShare how many times as long as reading them took the last time, at least, so that
// one that says so all the time does not keep the manager busy.
const (
	refreshPause = 100 * time.Millisecond
	refreshShare = 4
)

// look looks after a connection until it ends; the error says why.
func (s *server) look(life context.Context, c *connection) error {
	interval := s.m.options.PingInterval
	var tick <-chan time.Time
	if interval > 0 {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		tick = ticker.C
	}
	missed := 0
	pause := refreshPause
	for {
		select {
		case <-life.Done():
			return context.Cause(life)
		case <-c.lost:
			return errLost
		case <-tick:
			if s.meter.busy() { // its calls have their own timeouts, and it may do one thing at a time
				continue
			}
			if s.ping(life, c) {
				missed = 0
			} else if missed++; missed >= 2 {
				return errPing
			}
		case <-s.due:
			select {
			case <-time.After(pause):
			case <-c.lost:
				return errLost
			case <-life.Done():
				return context.Cause(life)
			}
			bits := s.asked.bits.Swap(0)
			if bits&lookIll != 0 && !s.meter.busy() && !s.ping(life, c) {
				return errPing
			}
			began := time.Now()
			s.refresh(life, c, bits)
			pause = max(refreshPause, refreshShare*time.Since(began))
		}
	}
}

// ping reports whether the server answers, be it with an error.
func (s *server) ping(life context.Context, c *connection) bool {
	ctx, cancel := context.WithTimeoutCause(life, s.m.options.PingTimeout, errPing)
	defer cancel()
	err := c.session.Ping(ctx, nil)
	return err == nil || answered(err) != nil
}

// refresh reads lists anew. What cannot be read stays as it was.
func (s *server) refresh(life context.Context, c *connection, bits uint32) {
	if bits&(readTools|readResources|readPrompts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeoutCause(life, s.limit(), errTimeout)
	defer cancel()
	s.mu.Lock()
	fresh := s.lists
	s.mu.Unlock()
	if err := s.read(ctx, c.session, &fresh, bits); err != nil {
		s.note(err)
	}
	s.mu.Lock()
	s.lists = fresh
	s.mu.Unlock()
	s.m.rebuild()
	s.tellLists()
}

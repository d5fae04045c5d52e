// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"sync"
)

// givable are the governed calls of a session over HTTP that run, which its client may give up by a notification
// in a request of its own. Safe for concurrent use.
type givable struct {
	mu    sync.Mutex
	calls map[*givableCall]struct{}
}

type givableCall struct {
	id     string // as the message has it
	cancel context.CancelFunc
}

// canGiveUp is a context for a call, which ends when the client gives it up. over is called when the call is over.
func (s *session) canGiveUp(ctx context.Context, id string) (_ context.Context, over func()) {
	ctx, cancel := context.WithCancel(ctx)
	c := &givableCall{id, cancel}
	g := &s.givable
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls == nil {
		g.calls = map[*givableCall]struct{}{}
	}
	g.calls[c] = struct{}{}
	return ctx, func() {
		cancel()
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.calls, c)
	}
}

// givenUp ends the calls of an id that the client gave up.
func (s *session) givenUp(id string) {
	g := &s.givable
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.calls {
		if c.id == id {
			s.w.notes.add(note{kind: noteCancelled, session: s})
			c.cancel()
		}
	}
}

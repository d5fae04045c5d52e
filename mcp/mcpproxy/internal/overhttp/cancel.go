// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"context"
	"sync"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// runningCalls are the governed calls over HTTP that run, which a client may cancel by a notification in a request
// of its own. The zero value works. Safe for concurrent use.
type runningCalls struct {
	mu    sync.Mutex
	calls map[*runningCall]struct{}
}

type runningCall struct {
	session *watch.Session
	id      string // as the message has it
	cancel  context.CancelFunc
}

// begin is a context for a call, which ends when the client cancels it. over is called when the call is over.
func (r *runningCalls) begin(ctx context.Context, s *watch.Session, id string) (_ context.Context, over func()) {
	ctx, cancel := context.WithCancel(ctx)
	c := &runningCall{s, id, cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[*runningCall]struct{}{}
	}
	r.calls[c] = struct{}{}
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, c)
	}
}

// cancel ends the calls of an id that the client has cancelled.
func (r *runningCalls) cancel(s *watch.Session, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.calls {
		if c.session == s && c.id == id {
			s.Record(watch.Note{Kind: watch.NoteCancelled})
			c.cancel()
		}
	}
}

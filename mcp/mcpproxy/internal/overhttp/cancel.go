// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"context"
	"sync"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// The bounds of what is remembered of calls, so that a cancellation and its call meet in whichever order they arrive:
// clients send them over two connections.
const (
	maxRemembered = 1024
	earlyTime     = 10 * time.Second // for a call to arrive behind its cancellation
)

// reachTime is how long a cancellation waits for a server that has got the call and has not begun to answer it: the two
// are on their way in two connections. A server that answers with a stream begins at once.
const reachTime = 500 * time.Millisecond

// runningCalls are the governed calls over HTTP that run, which a client may cancel by a notification in a request
// of its own. Safe for concurrent use.
type runningCalls struct {
	mu    sync.Mutex
	calls map[*runningCall]struct{}
	early map[callKey]time.Time // cancellations that came before their call
	ended map[callKey]bool      // calls of late
}

func newRunningCalls() *runningCalls {
	return &runningCalls{calls: map[*runningCall]struct{}{}, early: map[callKey]time.Time{}, ended: map[callKey]bool{}}
}

// callKey tells calls apart. The id is as the message has it.
type callKey struct {
	session *watch.Session
	id      string
}

// runningCall is a call that runs. All but its key is guarded by the lock of the calls.
type runningCall struct {
	callKey
	all      *runningCalls
	cancel   context.CancelFunc
	given    bool          // the client gave it up. It is not sent any more.
	sentAs   string        // the id that it was sent with the last time, "" if it was not sent
	answered chan struct{} // closed when the server has begun to answer what was sent, or will not; then nil
}

// begin is a context for a call, which ends when the client cancels it.
func (r *runningCalls) begin(ctx context.Context, s *watch.Session, id string) (context.Context, *runningCall) {
	ctx, cancel := context.WithCancel(ctx)
	c := &runningCall{callKey: callKey{s, id}, all: r, cancel: cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[c] = struct{}{}
	if at, early := r.early[c.callKey]; early {
		delete(r.early, c.callKey)
		if time.Since(at) < earlyTime {
			c.giveUp()
		}
	}
	return ctx, c
}

// giveUp ends the call; the caller holds the lock.
func (c *runningCall) giveUp() {
	if !c.given {
		c.session.Record(watch.Note{Kind: watch.NoteCancelled})
	}
	c.given = true
	c.cancel()
}

// over takes note that the call is over, and reports whether the client gave it up.
func (c *runningCall) over() (given bool) {
	c.cancel()
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	delete(c.all.calls, c)
	forgetSome(c.all.ended)
	c.all.ended[c.callKey] = true
	return c.given
}

// forgetSome makes room for one more.
func forgetSome[V any](remembered map[callKey]V) {
	for key := range remembered {
		if len(remembered) < maxRemembered {
			return
		}
		delete(remembered, key)
	}
}

// gaveUp reports whether the client gave the call up, and whether it was sent.
func (c *runningCall) gaveUp() (given, sent bool) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	return c.given, c.sentAs != ""
}

// send takes note that the call is sent with an id; false if the client gave it up.
func (c *runningCall) send(id string) bool {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if !c.given {
		c.sentAs, c.answered = id, make(chan struct{})
	}
	return !c.given
}

// answers takes note that the server has begun to answer, or will not.
func (c *runningCall) answers() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if c.answered != nil {
		close(c.answered)
		c.answered = nil
	}
}

// cancel ends the calls of an id that the client has cancelled. It waits until the server has got the one that was sent,
// and returns the id that the server knows it by. forward is false if the server knows no such call.
func (r *runningCalls) cancel(ctx context.Context, s *watch.Session, id string) (sentAs string, forward bool) {
	key := callKey{s, id}
	var answered chan struct{}
	forward = true
	r.mu.Lock()
	for c := range r.calls {
		if c.callKey == key {
			c.giveUp()
			sentAs, answered, forward = c.sentAs, c.answered, sentAs+c.sentAs != ""
		}
	}
	if sentAs == "" && forward {
		sentAs = id
		if !r.ended[key] && !s.Fleeting.Load() {
			forgetSome(r.early)
			r.early[key] = time.Now()
		}
	}
	r.mu.Unlock()
	if answered == nil {
		return sentAs, forward
	}
	wait := time.NewTimer(reachTime)
	defer wait.Stop()
	select {
	case <-answered:
	case <-wait.C:
	case <-ctx.Done():
	}
	return sentAs, true
}

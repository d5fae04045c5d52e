// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"crypto/sha256"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// rounds are governed calls whose server has asked for input: policies have let them through, and the
// client will make them again with it. They are a session's, or those of all clients over HTTP that have
// none. Safe for concurrent use.
type rounds struct {
	mu     sync.Mutex
	calls  []*round // oldest first
	closed bool
}

// round is a call that waits for its next round, and what that one must have in common with it.
type round struct {
	op    *operation
	key   roundKey
	rules toolscope.Settings // by which the call was judged
	args  []byte             // in the place of the client's, if policies have changed them
	at    time.Time
	held  int64 // bytes of arguments
}

// roundKey is what tells a next round from another call: tool, arguments and the state that the server
// gave.
type roundKey struct {
	tool             string
	arguments, state [sha256.Size]byte
}

func (p *params) roundKey(state string) roundKey {
	return roundKey{p.Name, sha256.Sum256(p.Arguments), sha256.Sum256([]byte(state))}
}

// maxRounds is how many rounds a call may have until it is judged anew: a server may ask for ever.
const maxRounds = 32

// put keeps a call whose server has asked for input; of too many the oldest ends. It is false for
// one that no next round can be told to belong to, as shared says that clients cannot be told apart, but
// by the state; and where the calls that wait have [maxArguments] already, of all sessions.
func (r *rounds) put(x *exchange, state string, shared bool) bool {
	if shared && state == "" || x.op.rounds+1 >= maxRounds {
		return false
	}
	n := &round{op: x.op, key: x.params.roundKey(state), rules: x.rules, at: time.Now(), held: int64(len(x.params.Arguments))}
	if string(x.args) != string(x.params.Arguments) {
		n.args = x.args
		n.held += int64(len(x.args))
	}
	if x.op.s.w.waiting.Add(n.held) > maxArguments {
		n.release()
		return false
	}
	r.mu.Lock()
	var over []*round
	closed := r.closed
	if !closed {
		over = r.cut(len(r.calls) + 1 - maxSuspended)
		r.calls = append(r.calls, n)
	}
	r.mu.Unlock()
	if closed {
		n.release()
	}
	endAll(over)
	return !closed
}

// release takes note that a call's arguments are not kept any more.
func (n *round) release() { n.op.s.w.waiting.Add(-n.held) }

// take is the call that a request carries on, once; nil if it begins one.
func (r *rounds) take(p *params) *round {
	if !p.carriesInput() {
		return nil
	}
	key := p.roundKey(p.RequestState)
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.calls, func(n *round) bool { return n.key == key })
	if i < 0 {
		return nil
	}
	n := r.calls[i]
	r.calls = slices.Delete(r.calls, i, i+1)
	n.release()
	return n
}

// expire ends the calls that have waited since before a time, and returns how many still wait.
func (r *rounds) expire(before time.Time) int {
	r.mu.Lock()
	n := 0
	for n < len(r.calls) && r.calls[n].at.Before(before) {
		n++
	}
	over := r.cut(n)
	left := len(r.calls)
	r.mu.Unlock()
	endAll(over)
	return left
}

// close ends all calls, and keeps no more.
func (r *rounds) close() {
	r.mu.Lock()
	r.closed = true
	over := r.cut(len(r.calls))
	r.mu.Unlock()
	endAll(over)
}

// cut takes the oldest n calls out, which are to be ended; the caller holds the lock.
func (r *rounds) cut(n int) []*round {
	if n <= 0 {
		return nil
	}
	over := slices.Clone(r.calls[:n])
	r.calls = slices.Delete(r.calls, 0, n)
	for _, c := range over {
		c.release()
	}
	return over
}

// endAll ends calls that nobody carries on, without a lock: observers may ask how many wait.
func endAll(over []*round) {
	for _, n := range over {
		n.op.running.End(toolkit.Result{Suspended: true}, nil)
	}
}

// holds reports whether a call that was judged by some settings need not be judged again: what refuses
// calls is the same. Of policies that cannot be compared those of one type count as the same.
func holds(then, now toolscope.Settings) bool {
	return then.Off == now.Off && slices.Equal(then.ToolsOff, now.ToolsOff) && slices.EqualFunc(then.Policies, now.Policies, func(a, b middleware.Policy) bool {
		if !reflect.ValueOf(a).Comparable() || !reflect.ValueOf(b).Comparable() {
			return reflect.TypeOf(a) == reflect.TypeOf(b)
		}
		return a == b
	})
}

// roundsOf is where the calls of a session wait; shared says that clients cannot be told apart there.
func (s *session) roundsOf() (r *rounds, shared bool) {
	if s.sessions != nil && s.sessions.fleeting(s) {
		return &s.w.rounds, true
	}
	return &s.rounds, false
}

// carryOn makes the exchange the next round of a call that policies have let through. What it runs in has the
// call's values, and ends with who waits for this round.
func (x *exchange) carryOn(ctx context.Context, n *round) (context.Context, context.CancelFunc) {
	began := x.op
	x.op = n.op
	x.op.rounds++
	x.op.attempts.Store(0) // this round's id is its own
	x.op.id = began.id
	if n.args != nil {
		x.args = n.args
	}
	return carried(x.op.ctx, ctx)
}

// carried is a context with the values of one, that ends with another.
func carried(values, ends context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(values))
	stop := context.AfterFunc(ends, func() { cancel(context.Cause(ends)) })
	return ctx, func() { stop(); cancel(nil) }
}

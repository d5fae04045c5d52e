// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

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
	op   *operation
	key  roundKey
	args []byte // in the place of the client's, if policies have changed them
	at   time.Time
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

// maxRoundArguments is how long arguments that policies have changed may be to be kept, in bytes: the
// next round of a call with longer ones is a call of its own.
const maxRoundArguments = 1 << 20

// put keeps a call whose server has asked for input; of too many the oldest ends. It is false for
// one that no next round can be told to belong to: shared says that clients cannot be told apart, but
// by the state.
func (r *rounds) put(x *exchange, state string, shared bool) bool {
	changed := string(x.args) != string(x.params.Arguments)
	if shared && state == "" || changed && len(x.args) > maxRoundArguments || x.op.rounds+1 >= maxRounds {
		return false
	}
	n := &round{op: x.op, key: x.params.roundKey(state), at: time.Now()}
	if changed {
		n.args = x.args
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	if len(r.calls) >= maxSuspended {
		r.end(1)
	}
	r.calls = append(r.calls, n)
	return true
}

// take is the call that a request carries on, once; nil if it begins one.
func (r *rounds) take(p *params) *round {
	if p.RequestState == "" && len(p.InputResponses) == 0 {
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
	return n
}

// expire ends the calls that have waited since before a time, and returns how many still wait.
func (r *rounds) expire(before time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for n < len(r.calls) && r.calls[n].at.Before(before) {
		n++
	}
	r.end(n)
	return len(r.calls)
}

// close ends all calls, and keeps no more.
func (r *rounds) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.end(len(r.calls))
}

// end ends the oldest n calls, which nobody carries on; the caller holds the lock.
func (r *rounds) end(n int) {
	for _, c := range r.calls[:n] {
		c.op.running.End(toolkit.Result{Suspended: true}, nil)
	}
	r.calls = slices.Delete(r.calls, 0, n)
}

// roundsOf is where the calls of a session wait; shared says that clients cannot be told apart there.
func (s *session) roundsOf() (r *rounds, shared bool) {
	if s.sessions != nil && s.sessions.fleeting(s) {
		return &s.w.rounds, true
	}
	return &s.rounds, false
}

// carryOn runs the next round of a call, which policies have let through: they are not asked again.
func (x *exchange) carryOn(ctx context.Context, n *round) reply {
	began := x.op
	x.op = n.op
	x.op.rounds++
	x.op.attempts.Store(0) // this round's id is its own
	x.op.id = began.id
	if n.args != nil {
		x.args = n.args
	}
	// The call's values, and the end of who waits for this round.
	ctx, cancel := carried(x.op.ctx, ctx)
	defer cancel()
	return x.run(ctx)
}

// carried is a context with the values of one, that ends with another.
func carried(values, ends context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(values))
	stop := context.AfterFunc(ends, func() { cancel(context.Cause(ends)) })
	return ctx, func() { stop(); cancel(nil) }
}

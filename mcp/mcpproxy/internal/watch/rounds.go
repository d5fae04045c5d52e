// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// Waiting are calls whose server has asked for input: the client will make them again with it. They are a
// session's, or those of all clients over HTTP that have none. Watched calls belong to the goroutine of the
// tap; for governed ones it is safe for concurrent use.
type Waiting struct {
	mu     sync.Mutex
	calls  []*Round // oldest first
	closed bool
}

// Round is a call that waits for its next round, and what that one must have in common with it.
type Round struct {
	Op  *Operation
	Key roundKey
	At  time.Time

	// Of a governed call, which policies have let through:
	Governed bool
	Rules    toolscope.Settings // that held when it was judged
	Args     []byte             // replace the client's, if policies have changed them
	Held     int64              // bytes of arguments
}

// roundKey tells the next round of a call from other calls: tool, arguments and the state that the server gave.
type roundKey struct {
	tool             string
	arguments, state digest
}

type digest [sha256.Size]byte

// The bounds of what waits.
const (
	maxSuspended  = 64
	MaxSuspension = time.Hour // in which a client without a session comes back
	MaxRounds     = 32        // of one call until it is judged again: a server may ask for ever
)

// argumentSeed is of the hashes by which arguments of watched calls are compared.
var argumentSeed = maphash.MakeSeed()

// quickDigest is for calls that are only watched.
func quickDigest(text []byte) (d digest) {
	binary.LittleEndian.PutUint64(d[:], maphash.Bytes(argumentSeed, text))
	return d
}

// GovernedKey is the key of a governed call. Its digests withstand a client that looks for collisions.
func GovernedKey(p *wire.Params, state string) roundKey {
	return roundKey{p.Name, sha256.Sum256(p.Arguments), sha256.Sum256([]byte(state))}
}

// Keep keeps a call until its next round, and ends the oldest of too many. False if it is not kept: none are any
// more.
func (r *Waiting) Keep(n *Round) bool {
	r.mu.Lock()
	var over []*Round
	kept := !r.closed
	if kept {
		over = r.cut(len(r.calls) + 1 - maxSuspended)
		r.calls = append(r.calls, n)
	}
	r.mu.Unlock()
	EndRounds(over)
	return kept
}

// Claim removes the call that a request with the key carries on; nil if the request begins one.
func (r *Waiting) Claim(key roundKey) *Round {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.calls, func(n *Round) bool { return n.Key == key })
	if i < 0 {
		return nil
	}
	n := r.calls[i]
	r.calls = slices.Delete(r.calls, i, i+1)
	n.Release()
	return n
}

// expire ends the calls that have waited since before a time, and returns how many still wait.
func (r *Waiting) expire(before time.Time) int {
	r.mu.Lock()
	n := 0
	for n < len(r.calls) && r.calls[n].At.Before(before) {
		n++
	}
	over := r.cut(n)
	left := len(r.calls)
	r.mu.Unlock()
	EndRounds(over)
	return left
}

// Close ends all calls, and keeps no more.
func (r *Waiting) Close() {
	r.mu.Lock()
	r.closed = true
	over := r.cut(len(r.calls))
	r.mu.Unlock()
	EndRounds(over)
}

// cut removes the oldest n calls, which are to be ended; the caller holds the lock.
func (r *Waiting) cut(n int) []*Round {
	if n <= 0 {
		return nil
	}
	over := slices.Clone(r.calls[:n])
	r.calls = slices.Delete(r.calls, 0, n)
	for _, c := range over {
		c.Release()
	}
	return over
}

// Reserve counts the arguments of a call that is to wait; false if those that wait have [maxArguments] already,
// of all sessions.
func (n *Round) Reserve() bool {
	if n.Op.Engine.Waiting.Add(n.Held) > MaxArguments {
		n.Release()
		return false
	}
	return true
}

// Release counts the arguments of a call no more.
func (n *Round) Release() { n.Op.Engine.Waiting.Add(-n.Held) }

// EndRounds ends calls that no client carries on. The caller holds no lock: observers may ask how many wait.
func EndRounds(over []*Round) {
	for _, n := range over {
		if n.Governed {
			n.Op.Running.End(toolkit.Result{Suspended: true}, nil)
		} else {
			n.Op.finish(time.Now(), &outcome{suspended: true})
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"crypto/subtle"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope/middleware"
)

// What [Policy.Decide] says of an answer that comes to nothing.
var (
	ErrUnknown = errors.New("approve: there is no such request: it was never made here, or before a restart")
	ErrClosed  = errors.New("approve: the request has been answered, has expired or was withdrawn")
	ErrDigest  = errors.New("approve: the digest is another call's: look at the request again")
)

// A State is what became of a request.
type State string

// The states.
const (
	Pending   State = "pending"
	Approved  State = "approved"
	Rejected  State = "rejected"
	Expired   State = "expired"
	Withdrawn State = "withdrawn" // the caller went away
)

// A Decision is a request that is closed, and how.
type Decision struct {
	Request
	State   State     `json:"state"`          // approved, rejected, expired or withdrawn; pending while it is open
	By      string    `json:"by,omitempty"`   // name of the person who answered
	Note    string    `json:"note,omitempty"` // text that came with the answer
	Decided time.Time `json:"decided"`        // when the request was closed
}

// maxDecided is how many closed requests are remembered to be shown.
const maxDecided = 200

// desk holds the open requests, and the approvals that were given for calls still
// to come.
type desk struct {
	tell func(Decision) // nil is no function

	mu      sync.Mutex
	open    map[string]*pending
	decided []Decision // the latest last
	grants  map[grantKey]grant
}

// pending is one open request. Its state changes once, under the desk's lock.
type pending struct {
	Request
	owner    grantKey
	deferred bool // the call was not kept: an approval lets its next attempt through
	done     chan struct{}
	state    State
	answer   Answer
}

// grantKey is the call that an approval is for, and whose it must be.
type grantKey struct {
	owner  middleware.Owner
	digest string
}

// grant is an approval given and not used.
type grant struct {
	by      string
	id      string
	expires time.Time
}

// addRequest opens a request; false if there are as many as may be. A deferred request for
// the same call is not opened twice: the one there is is returned.
func (d *desk) addRequest(p *pending, limit int) (*pending, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expire(p.Created)
	if p.deferred {
		for _, other := range d.open {
			if other.deferred && other.owner == p.owner {
				return other, true
			}
		}
	}
	if len(d.open) >= limit {
		return nil, false
	}
	d.open[p.ID] = p
	d.reportDecision(Decision{Request: p.Request, State: Pending})
	return p, true
}

// decide closes a request by a person's answer: the first one wins.
func (d *desk) decide(id, digest string, a Answer, now time.Time, grantFor time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expire(now)
	p := d.open[id]
	if p == nil {
		if slices.ContainsFunc(d.decided, func(c Decision) bool { return c.ID == id }) {
			return ErrClosed
		}
		return ErrUnknown
	}
	if subtle.ConstantTimeCompare([]byte(digest), []byte(p.Digest)) != 1 {
		return ErrDigest
	}
	state := Rejected
	if a.Approved {
		state = Approved
		if p.deferred {
			d.grants[p.owner] = grant{a.By, p.ID, now.Add(grantFor)}
		}
	}
	d.close(p, state, a, now)
	return nil
}

// settle closes a request without an answer, if it is still open, and returns what
// became of it.
func (d *desk) settle(p *pending, state State, now time.Time) (State, Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.state == Pending {
		d.close(p, state, Answer{}, now)
	}
	return p.state, p.answer
}

// close ends a request; the lock is held.
func (d *desk) close(p *pending, state State, a Answer, now time.Time) {
	p.state, p.answer = state, a
	delete(d.open, p.ID)
	c := Decision{p.Request, state, a.By, a.Note, now}
	if len(d.decided) >= maxDecided {
		d.decided = slices.Delete(d.decided, 0, 1)
	}
	d.decided = append(d.decided, c)
	close(p.done)
	d.reportDecision(c)
}

// reportDecision tells the host; a panic of it is not the call's.
func (d *desk) reportDecision(c Decision) {
	if d.tell == nil {
		return
	}
	defer func() { _ = recover() }()
	d.tell(c)
}

// expire closes what no caller answered in time and forgets approvals that no caller
// used; the lock is held.
func (d *desk) expire(now time.Time) {
	for _, p := range d.open {
		if !now.Before(p.Expires) {
			d.close(p, Expired, Answer{}, now)
		}
	}
	for key, g := range d.grants {
		if !now.Before(g.expires) {
			delete(d.grants, key)
		}
	}
}

// takeGrant uses up an approval given for this call.
func (d *desk) takeGrant(key grantKey, now time.Time) (grant, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, ok := d.grants[key]
	delete(d.grants, key)
	return g, ok && now.Before(g.expires)
}

// list returns the open requests, the oldest first, and the latest closed ones, the
// latest first.
func (d *desk) list(now time.Time) (open []Request, closed []Decision) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expire(now)
	for _, p := range d.open {
		open = append(open, p.Request)
	}
	slices.SortFunc(open, func(a, b Request) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return slices.Compare([]byte(a.ID), []byte(b.ID))
	})
	closed = slices.Clone(d.decided)
	slices.Reverse(closed)
	return open, closed
}

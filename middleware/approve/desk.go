// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"crypto/subtle"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
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
	Stopped   State = "stopped"   // a person stopped a session, an agent, a tool or everything
	Resumed   State = "resumed"   // a person ended that
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

	mu       sync.Mutex
	by       *Policy // asks for answers of other processes; nil: requests are not shared
	watching bool    // whether it does so now
	open     map[string]*pending
	bytes    int        // of the arguments of open requests
	decided  []Decision // the latest last
	grants   map[grantKey]grant
	earlier  map[earlierKey]*earlier

	stops stops
}

// earlierKey is whose earlier call of which tool is compared with.
type earlierKey struct{ tenant, tool string }

func newDesk(tell func(Decision)) *desk {
	return &desk{tell: tell, open: map[string]*pending{}, grants: map[grantKey]grant{},
		earlier: map[earlierKey]*earlier{}, stops: stops{running: map[*running]struct{}{}}}
}

// maxOpenBytes bounds the arguments that open requests keep.
const maxOpenBytes = 16 << 20

// pending is one open request. Its state changes once, under the desk's lock.
type pending struct {
	Request
	owner    grantKey
	tool     string // as it is, not redacted
	session  *toolkit.Session
	people   int                // how many have to approve
	deferred bool               // the call was not kept: an approval lets its next attempt through
	exchange *approval.Exchange // not nil: the answer goes there, and lets nothing through here
	done     chan struct{}
	state    State
	answer   Answer
	revision uint64 // of the request as processes share it; 0: it is not shared
}

// grantKey is the call that an approval is for, and whose it must be.
type grantKey struct {
	owner  middleware.Owner
	digest string
	callID string // of a call with an exchange, whose approval is for no other; else ""
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
	if len(d.open) >= limit || d.bytes+len(p.content.arguments) > maxOpenBytes {
		return nil, false
	}
	if s := d.stops.find(p.tool, p.session); s != nil {
		return nil, false // stopped since the call began
	}
	p.content.earlier = d.earlier[p.earlierKey()]
	d.open[p.ID] = p
	d.bytes += len(p.content.arguments)
	d.reportDecision(Decision{Request: p.closed(), State: Pending})
	return p, true
}

// closed is the request without what only an approver may see.
func (p *pending) closed() Request {
	r := p.Request
	r.content = nil
	return r
}

func (p *pending) earlierKey() earlierKey {
	key := earlierKey{tool: p.tool}
	if p.session != nil {
		key.tenant = p.session.Tenant
	}
	return key
}

// decide closes a request by a person's answer: the first one wins. Of two people who have to approve, the first one's
// yes is noted. mayApprove is asked whether the person may approve.
func (d *desk) decide(
	id, digest string, a Answer, now time.Time, grantFor time.Duration, mayApprove func(tool, risk string) error,
) (State, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expire(now)
	p := d.open[id]
	if p == nil {
		if slices.ContainsFunc(d.decided, func(c Decision) bool { return c.ID == id }) {
			return "", ErrClosed
		}
		return "", ErrUnknown
	}
	if subtle.ConstantTimeCompare([]byte(digest), []byte(p.Digest)) != 1 {
		return "", ErrDigest
	}
	state, by, err := p.judge(&a, mayApprove)
	if err != nil {
		return "", err
	}
	if state == Pending {
		p.ApprovedBy = a.By
		d.reportDecision(Decision{Request: p.closed(), State: Pending, By: a.By, Note: a.Note, Decided: now})
		return Pending, nil
	}
	if state == Approved {
		d.keepEarlier(p, a.By, now)
		if p.deferred && p.exchange == nil {
			d.grants[p.owner] = grant{a.By, p.ID, now.Add(grantFor)}
		}
	}
	d.close(p, state, a, now)
	p.answered(by)
	return state, nil
}

// judge is what a person's answer makes of a request, and who approved it: Pending if a second person has to. Then
// a.By are both.
func (p *pending) judge(a *Answer, mayApprove func(tool, risk string) error) (state State, by []string, err error) {
	if !a.Approved {
		return Rejected, []string{a.By}, nil
	}
	if err := mayApprove(p.tool, p.Risk); err != nil {
		return "", nil, err
	}
	if p.people <= 1 {
		return Approved, []string{a.By}, nil
	}
	if err := p.second(a.By); err != nil {
		return "", nil, err
	}
	if p.ApprovedBy == "" {
		return Pending, nil, nil
	}
	by = []string{p.ApprovedBy, a.By}
	a.By = p.ApprovedBy + ", " + a.By
	return Approved, by, nil
}

// second is an error if the person cannot be one of two who approve.
func (p *pending) second(by string) error {
	switch {
	case by == "":
		return &forbidden{"two people have to approve this call, each by name"}
	case by == p.ApprovedBy:
		return &forbidden{by + " has approved this call: a second person has to as well"}
	}
	return nil
}

// earlierOf is the call that the request is compared with.
func (d *desk) earlierOf(p *pending) *earlier {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.earlier[p.earlierKey()]
}

// keepEarlier keeps an approved call, to compare the next ones of the tool with; the lock is held.
func (d *desk) keepEarlier(p *pending, by string, now time.Time) {
	key := p.earlierKey()
	if len(p.content.arguments) > maxEarlier {
		delete(d.earlier, key)
		return
	}
	for other := range d.earlier {
		if len(d.earlier) < maxTools {
			break
		}
		delete(d.earlier, other)
	}
	d.earlier[key] = &earlier{p.content.arguments, by, now}
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

// close ends a request and reports it; the lock is held.
func (d *desk) close(p *pending, state State, a Answer, now time.Time) {
	d.reportDecision(d.end(p, state, a, now))
}

// end ends a request; the lock is held.
func (d *desk) end(p *pending, state State, a Answer, now time.Time) Decision {
	p.state, p.answer = state, a
	delete(d.open, p.ID)
	d.bytes -= len(p.content.arguments)
	c := Decision{p.closed(), state, a.By, a.Note, now}
	d.remember(c)
	close(p.done)
	return c
}

// remember keeps a closed request, to be shown; the lock is held.
func (d *desk) remember(c Decision) {
	if len(d.decided) >= maxDecided {
		d.decided = slices.Delete(d.decided, 0, 1)
	}
	d.decided = append(d.decided, c)
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
		end := p.Expires
		if p.revision > 0 {
			end = end.Add(expiryRoom)
		}
		if !now.Before(end) {
			d.close(p, Expired, Answer{}, now)
		}
	}
	for key, g := range d.grants {
		if !now.Before(g.expires) {
			delete(d.grants, key)
		}
	}
}

// withdraw closes the open request for a call that was approved elsewhere, and returns it.
func (d *desk) withdraw(key grantKey, now time.Time) (closed *pending) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.open {
		if p.deferred && p.owner == key {
			d.close(p, Withdrawn, Answer{}, now)
			closed = p
		}
	}
	return closed
}

// takeGrant uses up an approval given for this call.
func (d *desk) takeGrant(key grantKey, now time.Time) (grant, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, ok := d.grants[key]
	delete(d.grants, key)
	return g, ok && now.Before(g.expires)
}

// request returns the request as it is now.
func (d *desk) request(p *pending) Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	return p.Request
}

// find returns an open request.
func (d *desk) find(id string, now time.Time) (Request, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expire(now)
	p := d.open[id]
	if p == nil {
		return Request{}, false
	}
	return p.Request, true
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
	sortRequests(open)
	closed = slices.Clone(d.decided)
	slices.Reverse(closed)
	return open, closed
}

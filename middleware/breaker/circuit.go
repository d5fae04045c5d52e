// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"sync"
	"time"
)

// A circuit is the state of one key. Times are measured from the policy's beginning by the
// monotonic clock; one that is before another seen already counts as that.
type circuit struct {
	key string

	mu          sync.Mutex
	state       State
	epoch       uint64        // counts the changes: what began in another epoch has no say
	since       time.Duration // of the state
	last        time.Duration // the latest time seen
	calls       window
	consecutive int
	failedAt    time.Duration // the last failure
	failure     string        // its type
	opened      uint64
	probing     int           // who try now
	probedAt    time.Duration // the last one's beginning
	passed      int           // who tried and succeeded
}

// A ticket is a call's leave to run.
type ticket struct {
	epoch uint64
	probe bool
}

// verdict is what a call's ending says of a circuit.
type verdict uint8

const (
	nothing verdict = iota
	success
	failure
)

// advance returns the time, which never runs backwards.
func (c *circuit) advance(now time.Duration) time.Duration {
	c.last = max(c.last, now)
	return c.last
}

// ask lets a call run, or says why not; the circuit may have changed with it. The clock is
// read only if it matters.
func (c *circuit) ask(o *Options, clock func() time.Duration) (t ticket, refused *Error, change step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == Closed {
		return ticket{epoch: c.epoch}, nil, step{}
	}
	now := c.advance(clock())
	if c.state == Open {
		if left := c.since + o.OpenFor - now; left > 0 {
			return t, c.refusal(left), step{}
		}
		change = c.become(HalfOpen, now)
	}
	if c.probing+c.passed >= o.Probes {
		if left := c.probedAt + o.OpenFor - now; left > 0 {
			return t, c.refusal(left), change
		}
		c.epoch++ // those who try have hung for so long that they have no say any more
		c.probing = 0
	}
	c.probing++
	c.probedAt = now
	return ticket{epoch: c.epoch, probe: true}, nil, change
}

func (c *circuit) refusal(after time.Duration) *Error {
	return &Error{Key: c.key, State: c.state, After: after, Failure: c.failure}
}

// settle takes in how a call ended.
func (c *circuit) settle(o *Options, now time.Duration, t ticket, v verdict, kind string) (change step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.epoch != c.epoch {
		return step{}
	}
	now = c.advance(now)
	if t.probe {
		return c.settleProbe(o, now, v, kind)
	}
	switch v {
	case nothing:
		return step{}
	case success:
		c.calls.addResult(now, o.Window, false)
		c.consecutive = 0
		return step{}
	}
	c.fail(o, now, kind)
	if c.tooMany(o, now) {
		return c.become(Open, now)
	}
	return step{}
}

func (c *circuit) settleProbe(o *Options, now time.Duration, v verdict, kind string) step {
	c.probing--
	switch v {
	case success:
		c.consecutive = 0
		if c.passed++; c.passed >= o.Probes {
			return c.become(Closed, now)
		}
	case failure:
		c.fail(o, now, kind)
		return c.become(Open, now)
	}
	return step{}
}

func (c *circuit) fail(o *Options, now time.Duration, kind string) {
	c.calls.addResult(now, o.Window, true)
	if now-c.failedAt > o.Window {
		c.consecutive = 0
	}
	c.consecutive++
	c.failedAt, c.failure = now, kind
}

// tooMany reports whether the failures open the circuit.
func (c *circuit) tooMany(o *Options, now time.Duration) bool {
	if o.Consecutive > 0 && c.consecutive >= o.Consecutive {
		return true
	}
	if o.Rate < 0 {
		return false
	}
	calls, failures := c.calls.sum(now, o.Window)
	return calls >= o.MinCalls && float64(failures) >= o.Rate*float64(calls)
}

// A step is a change of state; none if From is To.
type step struct{ from, to State }

func (c *circuit) become(s State, now time.Duration) step {
	change := step{c.state, s}
	c.state, c.since = s, now
	c.epoch++
	c.probing, c.passed = 0, 0
	switch s {
	case Open:
		c.opened++
	case Closed:
		c.calls, c.consecutive = window{}, 0
	}
	return change
}

// idle reports whether forgetting the circuit would lose nothing.
func (c *circuit) idle(o *Options, now time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls, _ := c.calls.sum(max(now, c.last), o.Window)
	return c.state == Closed && calls == 0
}

// snapshot is the circuit as told.
func (c *circuit) snapshot(o *Options, began time.Time, now time.Duration) Circuit {
	c.mu.Lock()
	defer c.mu.Unlock()
	now = max(now, c.last)
	s := Circuit{
		Key: c.key, State: c.state, Since: began.Add(c.since), Consecutive: c.consecutive,
		Probing: c.probing, LastFailure: c.failure, Opened: c.opened,
	}
	switch c.state {
	case Closed:
		s.Calls, s.Failures = c.calls.sum(now, o.Window)
	case Open:
		s.RetryIn = max(0, c.since+o.OpenFor-now)
	case HalfOpen:
		if c.probing+c.passed >= o.Probes {
			s.RetryIn = max(0, c.probedAt+o.OpenFor-now)
		}
	}
	return s
}

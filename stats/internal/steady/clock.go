// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package steady

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Clock gives the recorder a time line that never goes back, so that what it has counted, and how
// long ago, does not depend on how the system clock is set.
//
// The time line follows the wall clock forwards: the wall clock goes on while a machine is
// suspended, and the monotonic clock does not. If the wall clock is set back, the time line goes on
// with the monotonic clock, and offset grows by the difference. Times are nanoseconds since 1970 on
// the time line; those that readers see, and those in files, are of the wall clock as it is set now
// ([Clock.Wall]). So a step back moves the times of earlier calls with it.
//
// A clock without a monotonic reading, as stats.Options.Clock may give, has no time between its last
// reading and a step back.
//
// At and wall are safe for concurrent use without a lock.
type Clock struct {
	now  func() time.Time
	base time.Time // the first reading
	zero int64     // base in nanoseconds since 1970
	dual bool      // whether base has a monotonic reading

	offset atomic.Int64 // time line minus wall clock, 0 or more; changes at steps back
	shift  atomic.Int64 // time line minus monotonic clock; changes at steps forward

	mu     sync.Mutex
	last   int64 // the last reading
	latest int64 // no reading is earlier; above last only after Raise
}

// Step is the least difference between wall clock and monotonic clock that is taken for a
// step. What is less is adjusted gradually by the system, or passes between the two readings.
const Step = int64(time.Second)

// Start takes the first reading.
func (c *Clock) Start(now func() time.Time) {
	c.now, c.base = now, now()
	c.zero, c.dual = c.base.UnixNano(), c.base != c.base.Round(0)
	c.last, c.latest = c.zero, c.zero
}

// Read is the time now. It is never before an earlier reading.
func (c *Clock) Read() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.now()
	at := t.UnixNano() + c.offset.Load()
	least := c.last
	monotonic, ok := c.monotonic(t)
	if ok {
		least = max(least, monotonic+c.shift.Load())
	}
	if at < least-Step {
		c.offset.Add(least - at)
		at = least
	}
	at = max(at, c.last)
	if ok {
		c.shift.Store(at - monotonic)
	}
	c.last = at
	c.latest = max(c.latest, at)
	return c.latest
}

// Raise makes a time that a call ended at the least that Read returns. It is for clocks that only
// calls move on.
func (c *Clock) Raise(at int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest = max(c.latest, at)
	return c.latest
}

// At is a time that was read from the same system clock as now, on the time line.
func (c *Clock) At(t time.Time) int64 {
	// Sub is by the monotonic readings if both times have one, else by the wall clock.
	byWall, byMonotonic := t.UnixNano()+c.offset.Load(), c.zero+int64(t.Sub(c.base))+c.shift.Load()
	if d := byWall - byMonotonic; -2*Step <= d && d <= 2*Step {
		return byWall
	}
	return c.stepped(t)
}

// stepped is At for a time whose readings differ by more than the last reading of now says.
func (c *Clock) stepped(t time.Time) int64 {
	monotonic, ok := c.monotonic(t)
	if !ok {
		return t.UnixNano() + c.offset.Load()
	}
	c.Read() // either clock may have been stepped since the last reading
	byWall, byMonotonic := t.UnixNano()+c.offset.Load(), monotonic+c.shift.Load()
	if d := byWall - byMonotonic; -2*Step <= d && d <= 2*Step {
		return byWall
	}
	return byMonotonic // t is older than the step
}

// monotonic is t by its monotonic reading; false if t or the first reading has none.
func (c *Clock) monotonic(t time.Time) (int64, bool) {
	if !c.dual || t == t.Round(0) { // Round(0) removes the monotonic reading
		return 0, false
	}
	return c.zero + int64(t.Sub(c.base)), true
}

// Wall is a time on the time line as the wall clock shows it now. For a nil clock the two are the
// same.
func (c *Clock) Wall(at int64) time.Time { return time.Unix(0, at-c.Ahead()).UTC() }

// Ahead is how far the time line is ahead of the wall clock.
func (c *Clock) Ahead() int64 {
	if c == nil {
		return 0
	}
	return c.offset.Load()
}

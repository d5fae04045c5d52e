// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// How the circuit opens and closes.
const (
	maxFailures = 5           // failures in a row after which no call asks
	checkEvery  = time.Second // how often the server is asked whether it is back
	maxLater    = 4096        // what is done when it is
	maxTries    = 5           // of each: what the server refuses is not tried for ever
)

// ErrAway is in the errors of a store while no call asks the server.
var ErrAway = errors.New("redis: away")

// circuit keeps calls from a server that does not answer: each would wait.
type circuit struct {
	store    *Store
	failures atomic.Int32
	open     atomic.Pointer[awayError] // nil: calls ask

	mu       sync.Mutex
	last     error // of the latest failure, nil once a check has found the server usable
	closed   bool
	warned   bool // whether the log says that the server is not used
	evicting bool // whether the log says that it is used and may evict keys
	watching bool // whether the server is asked each second, as it has failed
	later    []task
}

// task is what could not be done.
type task struct {
	do    func(context.Context) error
	tries int // that failed, since it was put off
}

// awayError says why no call asks.
type awayError struct {
	since time.Time
	cause error
}

func (e *awayError) Error() string {
	return fmt.Sprintf("%v (not asked since %s)", e.cause, e.since.UTC().Format(time.RFC3339))
}

func (e *awayError) Is(target error) bool { return target == ErrAway }

// away is an error while calls must not ask.
func (c *circuit) away() error {
	if e := c.open.Load(); e != nil {
		return e
	}
	return nil
}

// answered records that the server did what it was asked. The last failure remains known until the next check: a
// server whose memory is full still reads.
func (c *circuit) answered() {
	if c.failures.Load() != 0 {
		c.failures.Store(0)
	}
}

// failed records a failure and describes it. A server that answers with an error has answered in time: calls go on
// asking.
func (c *circuit) failed(err error) error {
	var server goredis.Error
	answered := errors.As(err, &server) && !authentication(err)
	err = describe(err)
	n := c.failures.Add(1)
	c.mu.Lock()
	c.last = err
	c.watch()
	c.mu.Unlock()
	if !answered && n >= maxFailures {
		c.openFor(err)
	}
	return err
}

func authentication(err error) bool {
	return describe(err).Error() == "redis: the server refuses the user or password"
}

// openFor keeps calls from asking until the server answers again.
func (c *circuit) openFor(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.open.CompareAndSwap(nil, &awayError{time.Now(), cause}) {
		c.warn(cause)
		c.watch()
	}
}

// warn logs once that the server is not used, or refuses what it is asked, and once that it may evict keys while it is
// used. The lock is held.
func (c *circuit) warn(cause error) {
	message, warned := "the Redis server is not used now", &c.warned
	if c.open.Load() == nil && errors.As(cause, new(evictionError)) {
		message, warned = "the Redis server may lose counts", &c.evicting
	}
	if !*warned {
		*warned = true
		c.store.warn(message, cause)
	}
}

// looked records what a look at a server in use has found: nothing, or that it may evict keys. Calls go on asking it: a
// count that is shared and may start at zero is better than none that is shared. It is asked each second from then on.
func (c *circuit) looked(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.As(err, new(evictionError)) && c.open.Load() == nil && !c.closed {
		c.last = err
		c.warn(err)
		c.watch()
	}
}

// watch begins to ask the server until it answers, also without calls. The lock is held.
func (c *circuit) watch() {
	if !c.closed && !c.watching {
		c.watching = true
		c.store.done.Go(c.wait)
	}
}

// once runs f in the background, unless the store is closed.
func (c *circuit) once(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.store.done.Go(f)
	}
}

// wait asks the server each second until it answers.
func (c *circuit) wait() {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.store.ctx.Done():
			return
		case <-tick.C:
		}
		later, back := c.check()
		if !back {
			continue
		}
		for i, t := range later {
			if c.store.ctx.Err() != nil {
				return
			}
			if t.do(c.store.ctx) != nil {
				c.putBack(t, later[i+1:])
				return
			}
		}
		return
	}
}

// putBack keeps what could not be done now either, for the next check that finds the server usable. It is given up after
// maxTries.
func (c *circuit) putBack(failed task, rest []task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := append(slices.Clip(rest), c.later...)
	if failed.tries++; failed.tries < maxTries {
		all = append(all, failed)
	}
	c.later = all[:min(len(all), maxLater)]
	c.watch()
}

// check asks the server once. If it is back, it returns what was put off.
func (c *circuit) check() (later []task, back bool) {
	err := c.store.check(c.store.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.open.Load()
	switch {
	case c.closed:
		return nil, true
	case err != nil && was != nil:
		c.open.Store(&awayError{was.since, err})
		return nil, false
	case err != nil:
		c.last = err
		c.warn(err)
		return nil, false
	}
	if c.warned {
		c.warned = false
		c.store.warn("the Redis server is used again", nil)
	}
	if c.evicting {
		c.evicting = false
		c.store.warn("the Redis server does not evict keys any more", nil)
	}
	later = c.later
	c.failures.Store(0)
	c.later, c.last, c.watching = nil, nil, false
	c.open.Store(nil)
	return later, true
}

// doLater does what could not be done, or may not have been, once a check finds the server usable: within a second if
// it is. Not if too much is to be done.
func (c *circuit) doLater(do func(context.Context) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && len(c.later) < maxLater {
		c.later = append(c.later, task{do: do})
		c.watch()
	}
}

// close ends it: calls do not ask any more.
func (c *circuit) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.open.CompareAndSwap(nil, &awayError{time.Now(), errors.New("redis: the store is closed")})
}

// problem is why the store is not used now, nil if all is well.
func (c *circuit) problem() error {
	if e := c.open.Load(); e != nil {
		return e
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// renewal runs tools in the background for answers that are given though they are too
// old: at most a number at once, one for each key.
type renewal struct {
	timeout time.Duration
	max     int

	mu      sync.Mutex
	running map[uint64]struct{} // hashes of keys
	closed  bool
	ctx     context.Context
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

func newRenewal(o Options) *renewal {
	r := &renewal{timeout: o.RefreshTimeout, max: o.Refreshes, running: map[uint64]struct{}{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

func (r *renewal) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.done.Wait()
}

// start runs what prepare returns unless the key is being renewed, as many run as may, or
// the cache is closed.
func (r *renewal) start(key uint64, prepare func() (run func())) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, twice := r.running[key]; twice || r.closed || len(r.running) >= r.max {
		return
	}
	r.running[key] = struct{}{}
	run := prepare()
	r.done.Go(func() {
		defer func() {
			_ = recover() // of the application's code, such as an error's method
			r.mu.Lock()
			delete(r.running, key)
			r.mu.Unlock()
		}()
		run()
	})
}

// renew runs the tool in the background and stores its answer. The run has the call's
// context values, its own time, and a record that belongs to no call: it is in no statistics, and observers
// receive it apart (toolkit.BackgroundObserver).
func (c *Policy) renew(ctx context.Context, call toolkit.Call, l look, p plan, next toolkit.Handler) {
	c.renewal.start(l.key.Hash(), func() func() {
		l.key.Arguments = l.key.Arguments.Keep()
		call = call.Fork()
		return func() {
			c.counts.refreshes.Add(1)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.RefreshTimeout)
			defer cancel()
			defer context.AfterFunc(c.renewal.ctx, cancel)()
			res, err := c.renewed(ctx, call, next)
			if err != nil || res.Fault != nil {
				c.counts.refreshFailures.Add(1)
			}
			c.fill(ctx, call, &l, p, res, err)
		}
	})
}

// errGoexit is how a run is reported that ended its goroutine.
var errGoexit = errors.New("cache: the tool ended its goroutine")

// renewed runs the tool and tells observers. A panic is an error: the next caller meets it in the
// foreground.
func (c *Policy) renewed(ctx context.Context, call toolkit.Call, next toolkit.Handler) (res toolkit.Result, err error) {
	ctx, told := call.Record.BeginBackground(ctx, call, "renewal")
	err = errGoexit
	defer func() {
		if v := recover(); v != nil {
			err = call.Record.PanicError(v)
		}
		told(res, err)
		if err == errGoexit { // no caller goes on after this
			c.counts.refreshFailures.Add(1)
		}
	}()
	return next(ctx, call)
}

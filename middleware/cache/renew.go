// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
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
			_ = recover() // a tool's: the next caller meets it in the foreground
			r.mu.Lock()
			delete(r.running, key)
			r.mu.Unlock()
		}()
		run()
	})
}

// renew runs the tool in the background and stores its answer. The run has the call's
// context values, its own time, and a record that is nobody's: it is in no statistics.
func (c *Cache) renew(ctx context.Context, call toolkit.Call, l look, p plan, next toolkit.Handler) {
	c.renewal.start(l.key.Hash(), func() func() {
		l.key.Arguments = l.key.Arguments.Keep()
		call.Record = call.Record.Fork()
		return func() {
			c.counts.refreshes.Add(1)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.RefreshTimeout)
			defer cancel()
			defer context.AfterFunc(c.renewal.ctx, cancel)()
			res, err := next(ctx, call)
			c.fill(ctx, call, &l, p, res, err)
		}
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"sync"
	"time"
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

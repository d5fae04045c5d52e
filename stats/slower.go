// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"sync/atomic"
	"time"
)

// slower knows the running time beyond which a tool's calls are slower than usual.
type slower struct {
	limits atomic.Pointer[map[string]time.Duration]
	due    atomic.Int64 // when they are computed again
}

const (
	// slowerThan is the quantile that is usual.
	slowerThan = 0.99
	// slowerWindow is what it is computed from.
	slowerWindow = 15 * time.Minute
	// slowerPause is how long nothing is computed again where no tool has enough calls.
	slowerPause = int64(time.Second)
	// slowerCalls is how many calls it takes: of fewer the slowest would be beyond it.
	slowerCalls = 200
)

// SlowerThan is the 99th percentile of the tool's running times in the last quarter of an
// hour, so that the traces of calls that take longer can be kept; 0 if it ran fewer than 200
// times, and for a nil recorder. It is computed every ten seconds at most (every second, until
// a tool has as many calls), in a goroutine that ends when it is done; the caller takes no
// lock and waits for nothing.
func (r *Recorder) SlowerThan(tool string) time.Duration {
	if r == nil {
		return 0
	}
	now := r.clock.At(r.config.now())
	if due := r.slower.due.Load(); now >= due && r.slower.due.CompareAndSwap(due, now+fineWidth) {
		go r.findSlower(now)
	}
	limits := r.slower.limits.Load()
	if limits == nil {
		return 0
	}
	return (*limits)[tool]
}

func (r *Recorder) findSlower(now int64) {
	limits := make(map[string]time.Duration)
	for _, t := range r.Snapshot(Window{Last: slowerWindow}).Tools {
		if t.Executed.Count() >= slowerCalls {
			limits[t.Tool] = t.Executed.Quantile(slowerThan)
		}
	}
	r.slower.limits.Store(&limits)
	if len(limits) == 0 {
		r.slower.due.Store(now + slowerPause)
	}
}

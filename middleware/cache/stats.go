// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"sync/atomic"

	"github.com/toolscope/toolscope/middleware/internal/reuse"
)

// counts are counts since the cache was made.
type counts struct {
	hits            atomic.Uint64 // calls answered from the store, stale ones included
	misses          atomic.Uint64 // calls that could have been, and were not
	fills           atomic.Uint64 // answers stored
	stale           atomic.Uint64 // entries found that a write had made stale; they are misses, too
	writes          atomic.Uint64 // calls that made stale what was stored
	refreshes       atomic.Uint64 // runs in the background
	refreshFailures atomic.Uint64 // runs in the background that failed
	storeErrors     atomic.Uint64 // times that the store failed or did not answer
	unkeyed         reuse.Unkeyed
}

// Figures reports the counts since the cache was made, and how many bytes a store in memory takes.
func (c *Policy) Figures(report func(name string, value float64)) {
	n := &c.counts
	report("hits", float64(n.hits.Load()))
	report("misses", float64(n.misses.Load()))
	report("fills", float64(n.fills.Load()))
	report("stale", float64(n.stale.Load()))
	report("writes", float64(n.writes.Load()))
	report("refreshes", float64(n.refreshes.Load()))
	report("refresh_failures", float64(n.refreshFailures.Load()))
	report("store_errors", float64(n.storeErrors.Load()))
	n.unkeyed.Figures(report)
	if c.memory != nil {
		report("bytes", float64(c.memory.entries.WeightedSize()))
	}
}

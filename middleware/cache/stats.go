// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"sync/atomic"

	"github.com/toolscope/toolscope/middleware/internal/reuse"
)

// Stats are counts since the cache was made.
type Stats struct {
	Hits        uint64 // calls answered from the store, stale ones included
	Misses      uint64 // calls that could have been, and were not
	Fills       uint64 // answers stored
	Stale       uint64 // entries found that a write had made stale; they are misses, too
	Writes      uint64 // calls that made stale what was stored
	Refreshes   uint64 // runs in the background
	Unscoped    uint64 // calls without an owner
	NoIdentity  uint64 // calls whose arguments have no identity
	StoreErrors uint64 // times that the store failed or did not answer

	RefreshFailures uint64 // runs in the background that failed
}

type counts struct {
	hits, misses, fills, stale, writes, refreshes, storeErrors, refreshFailures atomic.Uint64
	unkeyed                                                                     reuse.Unkeyed
}

// Stats returns the counts so far.
func (c *Policy) Stats() Stats {
	n := &c.counts
	return Stats{
		n.hits.Load(), n.misses.Load(), n.fills.Load(), n.stale.Load(), n.writes.Load(), n.refreshes.Load(),
		n.unkeyed.Unscoped.Load(), n.unkeyed.NoIdentity.Load(), n.storeErrors.Load(), n.refreshFailures.Load(),
	}
}

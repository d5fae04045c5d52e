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
	unkeyed         reuse.Unkeyed
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package stripes spreads goroutines that write at the same time over a fixed number of
// places, so that they do not compete for one cache line. A reader adds all places up.
//
// The contract: [Own] is a number below [Count] that usually differs between goroutines
// which run at the same time and usually stays the same for one goroutine. Neither is
// certain, so what is kept in a place must be safe for concurrent use (atomic counters).
// It takes about a nanosecond and allocates nothing.
package stripes

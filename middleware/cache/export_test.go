// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import "github.com/toolscope/toolscope/middleware"

// Stats are the figures of a policy.
type Stats struct {
	Hits, Misses, Fills, Stale, Writes, Refreshes, Unscoped, NoIdentity, StoreErrors, RefreshFailures uint64
}

// Stats returns the figures of now.
func (c *Policy) Stats() Stats {
	v := reported(c)
	return Stats{uint64(v["hits"]), uint64(v["misses"]), uint64(v["fills"]), uint64(v["stale"]), uint64(v["writes"]),
		uint64(v["refreshes"]), uint64(v["unscoped"]), uint64(v["no_identity"]), uint64(v["store_errors"]),
		uint64(v["refresh_failures"])}
}

// reported is what a policy reports.
func reported(p middleware.Reporter) map[string]float64 {
	values := map[string]float64{}
	p.Figures(func(name string, value float64) { values[name] = value })
	return values
}

// Collide makes every key of a store in memory have one hash.
func Collide(m Store) { m.(*memory).collide = true }

// Bytes is how much the store in memory of p takes.
func Bytes(p *Policy) uint64 { return uint64(reported(p)["bytes"]) }

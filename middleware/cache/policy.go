// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/middleware/internal/shared"
	"github.com/toolscope/toolscope/toolkit"
)

// A Policy answers calls from a store. Make one with [New]. Its answers are shared by all
// handlers it wraps: a tool's name must mean the same tool in each. Safe for concurrent
// use.
type Policy struct {
	options Options
	scope   reuse.Scope
	memory  *memory // nil if the store is outside
	outside *guard
	lost    *lostWrites
	renewal *renewal
	counts  counts
	health  shared.Health // of the store outside
}

var (
	_ middleware.Policy = (*Policy)(nil)
	_ handoff.Answerer  = (*Policy)(nil)
)

// New makes a cache. An error names the option that is wrong.
func New(options Options) (*Policy, error) {
	o, err := options.check()
	if err != nil {
		return nil, err
	}
	c := &Policy{options: o, renewal: newRenewal(o), lost: &lostWrites{start: time.Now()}}
	c.scope = reuse.NewScope(o.Tools, o.Share, o.Reach)
	switch m := o.Store.(type) {
	case nil:
		if c.memory, err = newMemory(o.MaxBytes); err != nil {
			return nil, err
		}
	case *memory:
		c.memory = m
	default:
		c.outside = newGuard(m, o.StoreTimeout)
	}
	c.options.Tools = nil
	return c, nil
}

// Inherit lets c see the end of writes that run under the cache that it takes the place of: what is
// read while they do is not kept. Answers are not taken over. It must be called before c is in use, and
// is for stores in memory that New made; one that is shared has seen them.
func (c *Policy) Inherit(old *Policy) {
	if c.options.Store == nil && old.options.Store == nil {
		c.memory.counters = old.memory.counters
	}
}

// Stage is middleware.StageCache.
func (c *Policy) Stage() middleware.Stage { return middleware.StageCache }

// Made reports whether [New] made the policy: see [middleware.Check].
func (c *Policy) Made() bool { return c != nil && c.lost != nil }

// Close ends the runs in the background and waits for them; calls go on, without
// renewals. It is needed only with StaleFor, and may be called more than once.
func (c *Policy) Close() { c.renewal.close() }

// plan is what the cache does with a tool's calls.
type plan struct {
	ttl    time.Duration // 0 or less: its answers are not stored
	writes bool
}

func (c *Policy) plan(name string, tool *toolkit.Definition) plan {
	shares, writes := c.scope.Classify(name, tool)
	p := plan{writes: writes}
	if !shares {
		return p
	}
	p.ttl = c.options.TTL
	if tool != nil && tool.CacheTTL != 0 {
		p.ttl = tool.CacheTTL
	}
	return p
}

// look is a call's look into the store.
type look struct {
	key   Key
	why   string // the call must not be stored; then the rest is empty
	hash  uint64 // of the key, for a store in memory
	entry *Entry // what is stored; nil for nothing
	stamp uint64 // the key's now
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
	c.health.Figures(report)
	n.unkeyed.Figures(report)
	if c.memory != nil {
		report("bytes", float64(c.memory.entries.WeightedSize()))
	}
}

// Problems are what the health report says while a store outside the process does not answer.
func (c *Policy) Problems() []string {
	if c.outside == nil {
		return nil
	}
	return c.health.Problems(c.outside.store)
}

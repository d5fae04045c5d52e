// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// Options say what is limited. The zero value limits the tools whose definitions
// have a RateLimit, and nothing else.
type Options struct {
	Concurrency Concurrency
	Rate        Rate
	// Key is whose share a call counts against, and takes its turn in. Calls with the key
	// "" have no limit per key, and wait in one line. It must be safe for concurrent use.
	// The default, and nil, is the session with its tenant; so it is where the function panics,
	// which the call tells as "limit.key".
	Key func(ctx context.Context, call toolkit.Call) string
	// Lookup finds the definitions of calls that nobody observes, which have no record to
	// tell them. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup
	// Exempt are names of tools that no limit applies to: those that call other tools
	// through the same policy. The default is none.
	Exempt []string
}

// Order is who comes first among those that wait.
type Order uint8

// The orders. Within a key both are first come, first served.
const (
	ByTurns Order = iota // one call of each key after the other, so that nobody waits for all of another's calls
	FIFO                 // first come, first served, whoever it is
)

// Concurrency is how many calls run at once. The zero value sets no limit.
type Concurrency struct {
	// Global, PerTool and PerKey are how many calls run at once: all together, of each
	// tool, of each key. The default, 0, is no limit.
	Global, PerTool, PerKey int
	// Tools are limits of single tools by name, in place of PerTool; 0 is no limit.
	Tools map[string]int
	// Queue is how many calls may wait, all together; what comes on top is refused
	// as overloaded. 0 is [DefaultQueue]; below 0 nobody waits.
	Queue int
	// QueuePerKey is how many calls of one key may wait, so that one key cannot fill the
	// queue. 0 is an eighth of Queue, at least 1; below 0 is as many as Queue.
	QueuePerKey int
	// MaxWait is how long a call waits before it is refused as overloaded. 0 is
	// [DefaultMaxWait]; below 0 it waits as long as its context allows.
	MaxWait time.Duration
	// Order is who comes first. The default is ByTurns.
	Order Order
}

// Rate is how many calls begin in a window of time. The zero value enforces what the
// tools' definitions say.
type Rate struct {
	// Global and PerKey limit all calls together and those of each key. MaxCalls 0, the
	// default, is no limit.
	Global, PerKey toolkit.RateLimit
	// Tools are limits of single tools by name, in place of their definitions'; MaxCalls
	// 0 lifts a definition's limit.
	Tools map[string]toolkit.RateLimit
	// IgnoreDefinitions leaves the RateLimit of definitions to others. The default is
	// false.
	IgnoreDefinitions bool
	// MaxWait is how long a call may wait until the limit allows it, first come first
	// served at each limit; one that would wait longer, or beyond its context's
	// deadline, is refused at once. The default, 0, refuses all that come too soon.
	MaxWait time.Duration
	// Queue is how many calls may wait, all together. 0 is [DefaultQueue].
	Queue int
	// MaxKeys is how many keys are remembered, the longest unused being forgotten
	// first: a key forgotten within its window begins anew. 0 is [DefaultMaxKeys].
	MaxKeys int
}

// The defaults of [Options].
const (
	DefaultQueue   = 1024
	DefaultMaxWait = time.Minute
	DefaultMaxKeys = 10_000
)

// validate returns an error that names the first field that is wrong.
func (o *Options) validate() error {
	c, r := &o.Concurrency, &o.Rate
	for _, f := range []struct {
		name string
		n    int
	}{{"Concurrency.Global", c.Global}, {"Concurrency.PerTool", c.PerTool}, {"Concurrency.PerKey", c.PerKey}, {"Rate.Queue", r.Queue}, {"Rate.MaxKeys", r.MaxKeys}} {
		if f.n < 0 {
			return wrong(f.name, f.n, "0 or more")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		if n := c.Tools[name]; n < 0 {
			return wrong(fmt.Sprintf("Concurrency.Tools[%.80q]", name), n, "0 or more")
		}
	}
	if c.Order > FIFO {
		return wrong("Concurrency.Order", uint8(c.Order), "ByTurns or FIFO")
	}
	if r.MaxWait < 0 {
		return wrong("Rate.MaxWait", r.MaxWait, "0 or more")
	}
	if err := checkRate("Rate.Global", r.Global); err != nil {
		return err
	}
	if err := checkRate("Rate.PerKey", r.PerKey); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tools)) {
		if err := checkRate(fmt.Sprintf("Rate.Tools[%.80q]", name), r.Tools[name]); err != nil {
			return err
		}
	}
	return nil
}

func checkRate(field string, l toolkit.RateLimit) error {
	if l.MaxCalls < 0 || l.MaxCalls > 0 && l.Window <= 0 {
		return wrong(field, fmt.Sprintf("%d calls in %v", l.MaxCalls, l.Window), "no calls, or a number of calls in a window above 0")
	}
	return nil
}

func wrong(field string, got any, want string) error {
	return fmt.Errorf("limit: Options.%s: got %v, want %s", field, got, want)
}

// withDefaults is c with what 0 stands for.
func (c Concurrency) withDefaults() Concurrency {
	c.Tools = maps.Clone(c.Tools)
	switch {
	case c.Queue == 0:
		c.Queue = DefaultQueue
	case c.Queue < 0:
		c.Queue = 0
	}
	switch {
	case c.QueuePerKey == 0:
		c.QueuePerKey = max(1, c.Queue/8)
	case c.QueuePerKey < 0:
		c.QueuePerKey = c.Queue
	}
	if c.MaxWait == 0 {
		c.MaxWait = DefaultMaxWait
	}
	return c
}

// limits reports whether any limit is set.
func (c Concurrency) limits() bool {
	for _, n := range c.Tools {
		if n > 0 {
			return true
		}
	}
	return c.Global > 0 || c.PerTool > 0 || c.PerKey > 0
}

func (r Rate) withDefaults() Rate {
	r.Tools = maps.Clone(r.Tools)
	if r.Queue == 0 {
		r.Queue = DefaultQueue
	}
	if r.MaxKeys == 0 {
		r.MaxKeys = DefaultMaxKeys
	}
	return r
}

// limits reports whether any limit is, or may be, set.
func (r Rate) limits() bool {
	for _, l := range r.Tools {
		if l.MaxCalls > 0 {
			return true
		}
	}
	return r.Global.MaxCalls > 0 || r.PerKey.MaxCalls > 0 || !r.IgnoreDefinitions
}

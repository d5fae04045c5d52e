// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolscope/toolscope/middleware/internal/check"
	"github.com/toolscope/toolscope/toolkit"
)

// Options say what is limited. The zero value limits the tools whose definitions
// have a RateLimit, and nothing else.
type Options struct {
	// Concurrency limits calls that run at once.
	Concurrency Concurrency `yaml:"concurrency" doc:"Calls that run concurrently."`
	// Rate limits calls that begin in a window.
	Rate Rate `yaml:"rate" doc:"Calls that begin in a window."`
	// Key is whose share a call counts against, and takes its turn in. Calls with the key
	// "" have no limit per key, and wait in one line. It must be safe for concurrent use.
	// The default, and nil, is the session with its tenant; so it is where the function panics,
	// which the call records as "limit.key".
	Key func(ctx context.Context, call toolkit.Call) string `yaml:"-"`
	// Lookup finds the definitions of calls that are not observed and so have no record with their
	// definition. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup `yaml:"-"`
	// Exempt are names of tools that no limit applies to: those that call other tools
	// through the same policy. The default is none.
	Exempt []string `yaml:"exempt" doc:"Tools that no limit applies to."`
}

// Order is the order in which waiting calls run.
type Order uint8

// The orders. Within a key both are first come, first served.
const (
	RoundRobin Order = iota // one call of each key after the other, so that no key waits for all of another's calls
	FIFO                    // first come, first served, across keys
)

// Concurrency is how many calls run at once. The zero value sets no limit.
type Concurrency struct {
	// Global is how many calls run at once, all together. The default, 0, is no limit.
	Global int `yaml:"global" doc:"All together; default no limit."`
	// PerTool is how many calls of each tool run at once. The default, 0, is no limit.
	PerTool int `yaml:"per_tool" doc:"Of each tool; default no limit."`
	// PerKey is how many calls of each key run at once. The default, 0, is no limit.
	PerKey int `yaml:"per_session" doc:"Of each session; default no limit."`
	// Tools are limits of single tools by name, in place of PerTool; 0 is no limit.
	Tools map[string]int `yaml:"tools" doc:"Of single tools."`
	// Queue is how many calls may wait, all together; further calls are refused
	// as overloaded. 0 is 1024; below 0 none may wait.
	Queue int `yaml:"queue" doc:"Calls that may wait; default 1024, below 0 none."`
	// QueuePerKey is how many calls of one key may wait, so that one key cannot fill the
	// queue. 0 is an eighth of Queue, at least 1; below 0 is as many as Queue.
	QueuePerKey int `yaml:"queue_per_session" doc:"Of one session; default an eighth of queue, below 0 as many as queue."`
	// MaxWait is how long a call waits before it is refused as overloaded. 0 is
	// 1 minute; below 0 it waits as long as its context allows.
	MaxWait time.Duration `yaml:"max_wait" doc:"How long a call waits; default 1m, below 0 no limit."`
	// Order is the order in which waiting calls run. The default is RoundRobin.
	Order Order `yaml:"order" allowed:"round_robin,fifo" doc:"Which waiting call runs next; default round_robin among sessions."`
}

// Rate is how many calls begin in a window of time. The zero value enforces what the
// tools' definitions say.
type Rate struct {
	// Global limits all calls together. MaxCalls 0, the default, is no limit.
	Global toolkit.RateLimit `yaml:"global" doc:"All together; default no limit."`
	// PerKey limits the calls of each key. MaxCalls 0, the default, is no limit.
	PerKey toolkit.RateLimit `yaml:"per_session" doc:"Of each session; default no limit."`
	// Tools are limits of single tools by name, in place of their definitions'; MaxCalls
	// 0 lifts a definition's limit.
	Tools map[string]toolkit.RateLimit `yaml:"tools" doc:"Of single tools, in place of their definitions'."`
	// IgnoreDefinitions leaves the RateLimit of definitions to others. The default is
	// false.
	IgnoreDefinitions bool `yaml:"ignore_definitions" doc:"Do not enforce the definitions' rate limits; default false."`
	// MaxWait is how long a call may wait until the limit allows it, first come first
	// served at each limit; one that would wait longer, or beyond its context's
	// deadline, is refused at once. The default, 0, refuses all that come too soon.
	MaxWait time.Duration `yaml:"max_wait" doc:"How long a call may wait for its turn; default: it is refused immediately."`
	// Queue is how many calls may wait, all together. 0 is 1024.
	Queue int `yaml:"queue" doc:"Calls that may wait; default 1024."`
	// MaxKeys is how many keys are remembered, the longest unused being forgotten
	// first: a key forgotten within its window starts at zero. 0 is 10,000.
	MaxKeys int `yaml:"max_sessions" doc:"Sessions remembered; default 10000."`
	// Store counts the calls of all processes that share it; nil counts those of this process. Of calls that wait,
	// the first one to ask again is served. The caller closes it.
	Store Rates `yaml:"-"`
	// WhenAway is what happens to calls while Store does not answer. The default, GoLocal, enforces the limits in
	// each process, whose own calls are known.
	WhenAway WhenAway `yaml:"when_away" allowed:"local,refuse" doc:"Calls while a shared store is away; default local."`
}

const defaultQueue = 1024

// resolve checks o and fills in what 0 stands for. The maps are copies.
func (o Options) resolve() (Options, error) {
	checks := &check.Options{Package: "limit"}
	c, r := &o.Concurrency, &o.Rate
	check.Default(checks, "Concurrency.Global", &c.Global, 0)
	check.Default(checks, "Concurrency.PerTool", &c.PerTool, 0)
	check.Default(checks, "Concurrency.PerKey", &c.PerKey, 0)
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		n := c.Tools[name]
		checks.If(n < 0, fmt.Sprintf("Concurrency.Tools[%.80q]", name), n, "0 or more")
	}
	checks.If(c.Order > FIFO, "Concurrency.Order", uint8(c.Order), "RoundRobin or FIFO")
	checks.NotNegative("Rate.MaxWait", r.MaxWait)
	checks.If(r.WhenAway > Refuse, "Rate.WhenAway", uint8(r.WhenAway), "GoLocal or Refuse")
	checkRate(checks, "Rate.Global", r.Global)
	checkRate(checks, "Rate.PerKey", r.PerKey)
	for _, name := range slices.Sorted(maps.Keys(r.Tools)) {
		checkRate(checks, fmt.Sprintf("Rate.Tools[%.80q]", name), r.Tools[name])
	}
	check.Default(checks, "Rate.Queue", &r.Queue, defaultQueue)
	check.Default(checks, "Rate.MaxKeys", &r.MaxKeys, 10_000)
	c.Queue = max(0, cmp.Or(c.Queue, defaultQueue))
	c.QueuePerKey = cmp.Or(c.QueuePerKey, max(1, c.Queue/8))
	if c.QueuePerKey < 0 {
		c.QueuePerKey = c.Queue
	}
	c.MaxWait = cmp.Or(c.MaxWait, time.Minute)
	c.Tools, r.Tools = maps.Clone(c.Tools), maps.Clone(r.Tools)
	return o, checks.Err()
}

func checkRate(c *check.Options, field string, l toolkit.RateLimit) {
	wrong := l.MaxCalls < 0 || l.MaxCalls > 0 && l.Window <= 0
	c.If(wrong, field, fmt.Sprintf("%d calls in %v", l.MaxCalls, l.Window), "no calls, or a number of calls in a window above 0")
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

// limits reports whether any limit is, or may be, set.
func (r Rate) limits() bool {
	for _, l := range r.Tools {
		if l.MaxCalls > 0 {
			return true
		}
	}
	return r.Global.MaxCalls > 0 || r.PerKey.MaxCalls > 0 || !r.IgnoreDefinitions
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/check"
	"github.com/toolscope/toolscope/toolkit"
)

// Thresholds say from which count on a loop has consequences. A count is how often a call, a cycle, an error or an
// answer has come, the first time included. 2 is the lowest; below 0 is never.
type Thresholds struct {
	// Signal tags the call and calls OnLoop; 0 is 3.
	Signal int `yaml:"signal" doc:"Record on the span and in the statistics; default 3, -1 never."`
	// Advice adds a line for the model to the result; 0 is 5.
	Advice int `yaml:"advice" doc:"Add a line for the model; default 5, -1 never."`
	// Stop refuses the call that makes a repeat or a cycle reach the count, and the call after the error or the
	// answer that reached it; 0 is never. A call may be tried again once another one ran in between, a failing
	// tool after each refusal.
	Stop int `yaml:"stop" doc:"Refuse the call; default never."`
}

// Options configure the policy. The zero value signals and advises.
type Options struct {
	// Default applies to all tools that are not in Tools.
	Default Thresholds `yaml:",inline"`
	// Tools are thresholds by the tool's name: a tool that is meant to be asked again (a poll, a next page) gets
	// higher ones, or -1.
	Tools map[string]Thresholds `yaml:"tools" doc:"Thresholds of single tools."`
	// OnLoop is called, in the call's goroutine, for each call that is part of a loop; nil is no function. Its
	// panics are swallowed.
	OnLoop func(ctx context.Context, l Loop) `yaml:"-"`
	// Window is how many calls of a session are remembered, 16 to 1024, rounded up to a power of two; 0 is 64.
	Window int `yaml:"window" doc:"Calls remembered of a session, 16 to 1024; default 64."`
	// Sessions is how many sessions are remembered, the longest unused being removed first; 0 is 10,000.
	Sessions int `yaml:"sessions" doc:"Sessions remembered; default 10000."`
	// Idle is after how long without a call a session is forgotten; 0 is 1 hour.
	Idle time.Duration `yaml:"idle" doc:"A session unused for longer is forgotten; default 1h."`
	// Histories keeps the histories for all processes that share it: then the calls of a session may be made in
	// several, with the same Window in each. Two calls of it are made for each call. nil keeps them in this process, which
	// a process also does while it does not answer. The caller closes it.
	Histories Histories `yaml:"-"`
	// Lookup finds the definitions of calls that are not observed and so have no record with their
	// definition. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup `yaml:"-"`
}

// New makes the policy. The error names the option that is wrong.
func New(o Options) (middleware.Policy, error) {
	c := &check.Options{Package: "loop"}
	c.If(o.Window != 0 && (o.Window < 16 || o.Window > 1024), "Window", o.Window, "16 to 1024, or 0 for 64")
	check.Default(c, "Window", &o.Window, 64)
	check.Default(c, "Sessions", &o.Sessions, 10_000)
	check.Default(c, "Idle", &o.Idle, time.Hour)
	p := &policy{onLoop: o.OnLoop, lookup: o.Lookup, seed: maphash.MakeSeed(), tools: make(map[string]*rules, len(o.Tools))}
	otherwise := o.Default.resolve(c, "Default")
	p.reads, p.writes, p.unsaid = rules{otherwise, Stop}, rules{otherwise, ""}, rules{otherwise, Signal}
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		c.If(name == "", "Tools", "thresholds for a tool without a name", "a name")
		p.tools[name] = &rules{o.Tools[name].resolve(c, fmt.Sprintf("Tools[%q]", name)), Stop}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	window := uint64(1) << bits.Len(uint(o.Window-1))
	p.fleet = fleet{store: o.Histories, key: HistoryKey{Events: 3 * int(window), Idle: o.Idle}}
	p.histories = sessions.New[agent](o.Sessions, o.Idle, func() *history {
		h := &history{window: window}
		if o.Histories != nil {
			h.replica = &replica{visits: map[visitID]visit{}}
		}
		return h
	})
	return p, nil
}

// resolve checks the thresholds and fills in the defaults. A default gives way to what is asked for: with Advice 2
// the second time is a signal, too.
func (t Thresholds) resolve(c *check.Options, field string) Thresholds {
	const always, want = "1, which every call reaches", "2 or more, or below 0 for never"
	c.If(t.Signal == 1, field+".Signal", always, want)
	c.If(t.Advice == 1, field+".Advice", always, want)
	c.If(t.Stop == 1, field+".Stop", always, want)
	// A threshold that is lower than a milder one would hide it.
	order := func(name string, n int, mildName string, mild int) {
		c.If(mild > 0 && n > 0 && n < mild, field+"."+name, fmt.Sprintf("%d, below %s", n, mildName), fmt.Sprintf("%d or more", mild))
	}
	order("Advice", t.Advice, "Signal", t.Signal)
	order("Stop", t.Stop, "Signal", t.Signal)
	order("Stop", t.Stop, "Advice", t.Advice)
	if t.Signal == 0 {
		t.Signal = 3
		for _, n := range []int{t.Advice, t.Stop} {
			if n > 0 {
				t.Signal = min(t.Signal, n)
			}
		}
	}
	if t.Advice == 0 {
		t.Advice = max(5, t.Signal)
		if t.Stop > 0 {
			t.Advice = min(t.Advice, t.Stop)
		}
	}
	return t
}

// action is the consequence of a count; "" is none.
func (t Thresholds) action(count int) Action {
	switch {
	case t.Advice > 0 && count >= t.Advice:
		return Advice
	case t.Signal > 0 && count >= t.Signal:
		return Signal
	}
	return ""
}

// stops reports whether a count calls for a stop.
func (t Thresholds) stops(count int) bool { return t.Stop > 0 && count >= t.Stop }

// An agent is the unit whose calls form one history: one agent of one session.
type agent struct{ tenant, session, name string }

func agentOf(s *toolkit.Session) (agent, bool) {
	if s == nil || s.ID == "" {
		return agent{}, false
	}
	return agent{s.Tenant, s.ID, s.Agent}, true
}

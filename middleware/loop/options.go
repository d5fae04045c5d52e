// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/bits"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
	"github.com/toolscope/toolscope/toolkit"
)

// The defaults that the options' comments tell.
const (
	defaultSignal   = 3
	defaultAdvice   = 5
	defaultWindow   = 64
	defaultSessions = 10_000
	defaultIdle     = time.Hour
)

// Thresholds say from which count on something is done about a loop. A count is how
// often a call, a cycle, an error or an answer has come, the first time included. 2
// is the lowest; below 0 is never.
type Thresholds struct {
	// Signal tags the call and calls OnLoop; 0 is 3.
	Signal int
	// Advice adds a line for the model to the result; 0 is 5.
	Advice int
	// Stop refuses the call that makes a repeat or a cycle reach the count, and
	// the call after the error or the answer that reached it; 0 is never. A call may be
	// tried again once another one ran in between, a failing tool after each
	// refusal.
	Stop int
}

// Options configure the policy. The zero value signals and advises.
type Options struct {
	// Default holds for all tools that are not in Tools.
	Default Thresholds
	// Tools are thresholds by the tool's name: a tool that is meant to be asked
	// again (a poll, a next page) gets higher ones, or -1.
	Tools map[string]Thresholds
	// OnLoop is called, in the call's goroutine, for each call that is part of a loop; nil:
	// nobody is told. Its panics are swallowed.
	OnLoop func(ctx context.Context, l Loop)
	// Window is how many calls of a session are remembered, 16 to 1024, rounded up to
	// a power of two; 0 is 64.
	Window int
	// Sessions is how many sessions are remembered, the longest unused leaving
	// first; 0 is 10,000.
	Sessions int
	// Idle is after how long without a call a session is forgotten; 0 is
	// 1 hour.
	Idle time.Duration
	// Lookup finds the definitions of calls that nobody observes, which have no record to
	// tell them. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup
}

// New makes the policy. The error names the option that is wrong.
func New(o Options) (*Policy, error) {
	if o.Window != 0 && (o.Window < 16 || o.Window > 1024) {
		return nil, fmt.Errorf("loop: Window: got %d, want 16 to 1024, or 0 for %d", o.Window, defaultWindow)
	}
	if o.Sessions < 0 {
		return nil, fmt.Errorf("loop: Sessions: got %d, want 1 or more, or 0 for %d", o.Sessions, defaultSessions)
	}
	if o.Idle < 0 {
		return nil, fmt.Errorf("loop: Idle: got %v, want a time above 0, or 0 for %v", o.Idle, defaultIdle)
	}
	p := &Policy{onLoop: o.OnLoop, lookup: o.Lookup, seed: maphash.MakeSeed(), tools: make(map[string]*rules, len(o.Tools))}
	otherwise, err := o.Default.settled("Default")
	if err != nil {
		return nil, err
	}
	p.reads, p.writes, p.unsaid = rules{otherwise, Stop}, rules{otherwise, ""}, rules{otherwise, Signal}
	for name, t := range o.Tools {
		if name == "" {
			return nil, fmt.Errorf("loop: Tools: got thresholds for a tool without a name, want a name")
		}
		if t, err = t.settled(fmt.Sprintf("Tools[%q]", name)); err != nil {
			return nil, err
		}
		p.tools[name] = &rules{t, Stop}
	}
	if o.Window == 0 {
		o.Window = defaultWindow
	}
	if o.Sessions == 0 {
		o.Sessions = defaultSessions
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	window := uint64(1) << bits.Len(uint(o.Window-1))
	p.histories = sessions.New[agent](o.Sessions, o.Idle, func() *history { return &history{window: window} })
	return p, nil
}

// settled puts the defaults in. A default gives way to what is asked for: with
// Advice 2 the second time is a signal, too.
func (t Thresholds) settled(field string) (Thresholds, error) {
	for _, x := range []struct {
		name string
		n    int
	}{{"Signal", t.Signal}, {"Advice", t.Advice}, {"Stop", t.Stop}} {
		if x.n == 1 {
			return t, fmt.Errorf("loop: %s.%s: got 1, which every call reaches, want 2 or more, or below 0 for never", field, x.name)
		}
	}
	if t.Signal > 0 && t.Advice > 0 && t.Advice < t.Signal {
		return t, fmt.Errorf("loop: %s.Advice: got %d, below Signal, want %d or more", field, t.Advice, t.Signal)
	}
	for _, x := range []struct {
		name string
		n    int
	}{{"Signal", t.Signal}, {"Advice", t.Advice}} {
		if x.n > 0 && t.Stop > 0 && t.Stop < x.n {
			return t, fmt.Errorf("loop: %s.Stop: got %d, below %s, want %d or more", field, t.Stop, x.name, x.n)
		}
	}
	if t.Signal == 0 {
		t.Signal = defaultSignal
		for _, n := range []int{t.Advice, t.Stop} {
			if n > 0 {
				t.Signal = min(t.Signal, n)
			}
		}
	}
	if t.Advice == 0 {
		t.Advice = max(defaultAdvice, t.Signal)
		if t.Stop > 0 {
			t.Advice = min(t.Advice, t.Stop)
		}
	}
	return t, nil
}

// of is what is done at a count; "" is nothing.
func (t Thresholds) of(count int) Action {
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

// An agent is whose calls are looked at together: one agent of one session.
type agent struct{ tenant, session, name string }

func agentOf(s *toolkit.Session) (agent, bool) {
	if s == nil || s.ID == "" {
		return agent{}, false
	}
	return agent{s.Tenant, s.ID, s.Agent}, true
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"fmt"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// defaultMaxAbandoned is what MaxAbandoned 0 is.
const defaultMaxAbandoned = 64

// Options say how long tools may run. The zero value gives each the time of its
// definition, else 60 seconds.
type Options struct {
	// Default is for tools of which neither Tools nor the definition says anything;
	// 0 is [toolkit.DefaultTimeout], below 0 is no limit.
	Default time.Duration
	// Tools are limits by the tool's name, which win over the definition's
	// Timeout, whether shorter or longer; below 0 is no limit.
	Tools map[string]time.Duration
	// Abandon names the tools whose code ignores its context. Each call of theirs
	// runs in a goroutine of its own, which is left behind when the limit is
	// reached or the caller gives up; nil: no tool.
	Abandon []string
	// MaxAbandoned is how many such goroutines there may be, running or left behind,
	// since each that runs may have to be left; a call beyond them is refused as
	// overloaded. 0 is 64.
	MaxAbandoned int
	// Lookup finds the definitions of calls that nobody observes, which have no record to
	// tell them. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup
}

func (o Options) validate() error {
	for name, d := range o.Tools {
		if name == "" {
			return fmt.Errorf("timeout: Tools: got a limit of %v for a tool without a name, want a name", d)
		}
		if d == 0 {
			return fmt.Errorf("timeout: Tools[%q]: got 0s, want a time above 0, or below 0 for no limit", name)
		}
	}
	for i, name := range o.Abandon {
		if name == "" {
			return fmt.Errorf("timeout: Abandon[%d]: got an empty name, want a tool's", i)
		}
		if o.Tools[name] < 0 {
			return fmt.Errorf("timeout: Abandon[%d]: got %q, which has no limit in Tools, want one that has", i, name)
		}
	}
	if o.MaxAbandoned < 0 {
		return fmt.Errorf("timeout: MaxAbandoned: got %d, want 1 or more, or 0 for %d", o.MaxAbandoned, defaultMaxAbandoned)
	}
	if o.MaxAbandoned > 0 && len(o.Abandon) == 0 {
		return fmt.Errorf("timeout: MaxAbandoned: got %d and no tool in Abandon, want one, or 0", o.MaxAbandoned)
	}
	return nil
}

// New makes the policy. The error names the option that is wrong.
func New(o Options) (*Policy, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Default == 0 {
		o.Default = toolkit.DefaultTimeout
	}
	p := &Policy{otherwise: newLimit(o.Default), lookup: o.Lookup, max: int64(o.MaxAbandoned)}
	if len(o.Tools)+len(o.Abandon) > 0 {
		p.tools = make(map[string]rule)
	}
	for name, d := range o.Tools {
		p.tools[name] = rule{limit: newLimit(d), limited: true}
	}
	for _, name := range o.Abandon {
		r := p.tools[name]
		r.abandon = true
		p.tools[name] = r
	}
	if p.max == 0 {
		p.max = defaultMaxAbandoned
	}
	return p, nil
}

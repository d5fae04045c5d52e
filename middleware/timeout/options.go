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

// Options say how long one attempt of a tool may run. The zero value gives each tool the time of its
// definition, else 60 seconds.
//
// The time of a tool is the first of these that is set: its entry in Tools, its definition's Timeout,
// Default. The ceiling of a tool is its entry in MaxTools, else Max. An attempt may run for the shorter of
// the two; the ceiling also applies to a definition that asks for no limit.
type Options struct {
	// Default is for tools that have neither an entry in Tools nor a Timeout in their definition. 0 is
	// [toolkit.DefaultTimeout], or Max if that is shorter; below 0 is no limit. A Default that is longer
	// than Max is an error.
	Default time.Duration
	// Tools are limits by the tool's name. They win over the definition's Timeout, whether shorter or
	// longer; below 0 is no limit. One that is longer than the tool's ceiling is an error.
	Tools map[string]time.Duration
	// Max is the ceiling: no attempt runs longer, whatever the tool's definition says. 0 is none.
	Max time.Duration
	// MaxTools are ceilings by the tool's name, in place of Max, for tools that may run longer or must end
	// earlier than others; below 0 is none.
	MaxTools map[string]time.Duration
	// Abandon names the tools whose code ignores its context. Each call of theirs
	// runs in a goroutine of its own, which is abandoned when the limit is
	// reached or the caller gives up; nil: no tool.
	Abandon []string
	// MaxAbandoned is how many such goroutines there may be, running or abandoned,
	// since each that runs may have to be abandoned; a call beyond them is refused as
	// overloaded. 0 is 64.
	MaxAbandoned int
	// Lookup finds the definitions of calls that are not observed and so have no record with their
	// definition. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup
}

func (o Options) validate() error {
	if o.Max < 0 {
		return fmt.Errorf("timeout: Max: got %v, want a time above 0, or 0 for no ceiling", o.Max)
	}
	for name, d := range o.MaxTools {
		if name == "" {
			return fmt.Errorf("timeout: MaxTools: got a ceiling of %v for a tool without a name, want a name", d)
		}
		if d == 0 {
			return fmt.Errorf("timeout: MaxTools[%q]: got 0s, want a time above 0, or below 0 for no ceiling", name)
		}
	}
	if o.Default != 0 && exceeds(o.Default, o.Max) {
		return fmt.Errorf("timeout: Default: got %s, want at most Max, %v", limitText(o.Default), o.Max)
	}
	for name, d := range o.Tools {
		if name == "" {
			return fmt.Errorf("timeout: Tools: got a limit of %v for a tool without a name, want a name", d)
		}
		if d == 0 {
			return fmt.Errorf("timeout: Tools[%q]: got 0s, want a time above 0, or below 0 for no limit", name)
		}
		if own := o.MaxTools[name]; own != 0 && exceeds(d, own) {
			return fmt.Errorf("timeout: Tools[%q]: got %s, want at most MaxTools[%q], %v", name, limitText(d), name, own)
		} else if own == 0 && exceeds(d, o.Max) {
			return fmt.Errorf("timeout: Tools[%q]: got %s, want at most Max, %v, or a longer ceiling in MaxTools[%q]",
				name, limitText(d), o.Max, name)
		}
	}
	for i, name := range o.Abandon {
		if name == "" {
			return fmt.Errorf("timeout: Abandon[%d]: got an empty name, want a tool's", i)
		}
		if o.Tools[name] < 0 && o.ceiling(name) <= 0 {
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

// exceeds reports whether a limit, below 0 for none, is longer than a ceiling, 0 or below for none.
func exceeds(limit, ceiling time.Duration) bool {
	return ceiling > 0 && (limit < 0 || limit > ceiling)
}

// capped is the limit, or the ceiling if that is shorter.
func capped(limit, ceiling time.Duration) time.Duration {
	if exceeds(limit, ceiling) {
		return ceiling
	}
	return limit
}

// limitText is a limit in an error's text.
func limitText(limit time.Duration) string {
	if limit < 0 {
		return fmt.Sprintf("no limit (%v)", limit)
	}
	return limit.String()
}

// ceiling is that of a tool, 0 or below for none.
func (o Options) ceiling(name string) time.Duration {
	if own := o.MaxTools[name]; own != 0 {
		return own
	}
	return o.Max
}

// New makes the policy. The error names the options that are wrong or contradict each other.
func New(o Options) (*Policy, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Default == 0 {
		o.Default = toolkit.DefaultTimeout
	}
	p := &Policy{
		otherwise: newLimit(capped(o.Default, o.Max)), ceiling: o.Max, lookup: o.Lookup, maxApart: int64(o.MaxAbandoned),
	}
	if len(o.Tools)+len(o.MaxTools)+len(o.Abandon) > 0 {
		p.tools = make(map[string]rule)
	}
	for name, ceiling := range o.MaxTools {
		p.tools[name] = rule{limit: newLimit(capped(o.Default, ceiling)), ceiling: ceiling}
	}
	for name, d := range o.Tools {
		p.tools[name] = rule{limit: newLimit(d), fixed: true}
	}
	for _, name := range o.Abandon {
		r, ok := p.tools[name]
		if !ok {
			r = rule{limit: p.otherwise, ceiling: o.Max}
		}
		r.abandon = true
		p.tools[name] = r
	}
	if p.maxApart == 0 {
		p.maxApart = defaultMaxAbandoned
	}
	return p, nil
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/check"
	"github.com/toolscope/toolscope/toolkit"
)

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
	Default time.Duration `yaml:"default" doc:"Limit of tools without their own; default 60s, or max if shorter; below 0 none."`
	// Tools are limits by the tool's name. They win over the definition's Timeout, whether shorter or
	// longer; below 0 is no limit. One that is longer than the tool's ceiling is an error.
	Tools map[string]time.Duration `yaml:"tools" doc:"Single tools; wins over their definitions, but not over the ceilings."`
	// Max is the ceiling: no attempt runs longer, whatever the tool's definition says. 0 is none.
	Max time.Duration `yaml:"max" doc:"The ceiling: no attempt runs longer, whatever a tool's definition says; default none."`
	// MaxTools are ceilings by the tool's name, in place of Max, for tools that may run longer or must end
	// earlier than others; below 0 is none.
	MaxTools map[string]time.Duration `yaml:"max_tools" doc:"Ceilings of single tools, in place of max; below 0 none."`
	// Abandon names the tools whose code ignores its context. Each call of theirs
	// runs in a goroutine of its own, which is abandoned when the limit is
	// reached or the caller gives up; nil: no tool.
	Abandon []string `yaml:"abandon" doc:"Tools that ignore their context: they are abandoned at their limit."`
	// MaxAbandoned is how many such goroutines there may be, running or abandoned,
	// since each that runs may have to be abandoned; a call beyond them is refused as
	// overloaded. 0 is 64.
	MaxAbandoned int `yaml:"max_abandoned" doc:"How many may be abandoned at any time; default 64."`
	// Lookup finds the definitions of calls that are not observed and so have no record with their
	// definition. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup `yaml:"-"`
}

// resolve checks o and fills in what 0 stands for.
func (o Options) resolve() (Options, error) {
	c := &check.Options{Package: "timeout"}
	c.If(o.Max < 0, "Max", o.Max, "a time above 0, or 0 for no ceiling")
	checkTimes(c, "MaxTools", "ceiling", o.MaxTools)
	if o.Default != 0 && exceeds(o.Default, o.Max) {
		c.Fail("Default", limitText(o.Default), fmt.Sprintf("at most Max, %v", o.Max))
	}
	checkTimes(c, "Tools", "limit", o.Tools)
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		if limit := o.Tools[name]; exceeds(limit, o.ceiling(name)) {
			want := fmt.Sprintf("at most Max, %v, or a longer ceiling in MaxTools[%q]", o.Max, name)
			if own := o.MaxTools[name]; own != 0 {
				want = fmt.Sprintf("at most MaxTools[%q], %v", name, own)
			}
			c.Fail(fmt.Sprintf("Tools[%q]", name), limitText(limit), want)
		}
	}
	c.Tools("Abandon", o.Abandon)
	for i, name := range o.Abandon {
		unlimited := o.Tools[name] < 0 && o.ceiling(name) <= 0
		c.If(unlimited, fmt.Sprintf("Abandon[%d]", i), fmt.Sprintf("%q, which has no limit in Tools", name), "one that has")
	}
	alone := o.MaxAbandoned > 0 && len(o.Abandon) == 0
	c.If(alone, "MaxAbandoned", fmt.Sprintf("%d and no tool in Abandon", o.MaxAbandoned), "one, or 0")
	check.Default(c, "MaxAbandoned", &o.MaxAbandoned, 64)
	if o.Default == 0 {
		o.Default = toolkit.DefaultTimeout
	}
	return o, c.Err()
}

// checkTimes checks times by the names of tools; what says what they are.
func checkTimes(c *check.Options, field, what string, times map[string]time.Duration) {
	for _, name := range slices.Sorted(maps.Keys(times)) {
		c.If(name == "", field, fmt.Sprintf("a %s of %v for a tool without a name", what, times[name]), "a name")
		c.If(times[name] == 0, fmt.Sprintf("%s[%q]", field, name), "0s", "a time above 0, or below 0 for no "+what)
	}
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
func New(o Options) (middleware.Policy, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	p := &policy{
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
	return p, nil
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/middleware/internal/check"
	"github.com/toolscope/toolscope/toolkit"
)

// Limits are how much may be used up. 0 is no limit.
type Limits struct {
	// Calls is how many calls may run.
	Calls int `yaml:"calls" doc:"Calls that run; 0 is no limit."`
	// Time is how long calls may run, all together: two at once use it up twice as fast.
	Time time.Duration `yaml:"time" doc:"Running time, all calls together; 0 is no limit."`
	// Cost is in the currency of the definitions' Cost, at most a billion; it is counted in billionths.
	Cost float64 `yaml:"cost" doc:"By the definitions' cost of a call, each attempt; 0 is no limit."`
}

// Options are the budgets. At least one limit must be set.
type Options struct {
	// Turn is for one turn of an agent.
	Turn Limits `yaml:"turn" doc:"Of each turn of a session."`
	// Session is for one session.
	Session Limits `yaml:"session" doc:"Of each session."`
	// Tenant is for all sessions of a tenant as long as they are remembered.
	Tenant Limits `yaml:"tenant" doc:"Of all sessions of a tenant."`
	// Keep is how many turns, sessions and tenants are remembered, each; the longest unused are removed first,
	// and start at zero if they come back. 0 is 10,000.
	Keep int `yaml:"keep" doc:"Sessions, and tenants, remembered; default 10000."`
	// Idle is after how long without a call one is forgotten. 0 is 24 hours.
	Idle time.Duration `yaml:"idle" doc:"What is unused for longer starts at zero again; default 24h."`
	// Ledger keeps the accounts of all processes that share it; nil keeps them in this process. While it does not
	// answer, calls are refused (overloaded). Running time counts when a call has ended. A call of a process that
	// dies remains charged. The caller closes it.
	Ledger Ledger `yaml:"-"`
	// Lookup finds the definitions of calls that are not observed and so have no record with their
	// definition. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup `yaml:"-"`
}

// maxCost is the highest limit of cost.
const maxCost = 1e9

// resolve checks o and fills in what 0 stands for.
func (o Options) resolve() (Options, error) {
	c := check.Options{Package: "budget"}
	scopes := []struct {
		name   string
		limits Limits
	}{{"Turn", o.Turn}, {"Session", o.Session}, {"Tenant", o.Tenant}}
	for i, s := range scopes {
		l := s.limits
		c.If(l.Calls < 0, s.name+".Calls", l.Calls, "1 or more, or 0 for no limit")
		c.If(l.Time < 0, s.name+".Time", l.Time, "a time above 0, or 0 for no limit")
		cost := fmt.Sprintf("a number above 0, at most %v, or 0 for no limit", maxCost)
		c.If(!(l.Cost >= 0) || l.Cost > maxCost, s.name+".Cost", l.Cost, cost)
		for _, wide := range scopes[i+1:] {
			field, got, want := l.beyond(wide.limits)
			c.If(field != "", s.name+"."+field, got+", more than "+wide.name+"."+field, "at most "+want)
		}
	}
	none := Limits{}
	c.If(o.Turn == none && o.Session == none && o.Tenant == none, "Turn, Session, Tenant", "no limit", "at least one")
	check.Default(&c, "Keep", &o.Keep, 10_000)
	check.Default(&c, "Idle", &o.Idle, 24*time.Hour)
	return o, c.Err()
}

// beyond is the first field in which l is above the limits of a wider scope, so that
// it would never be reached; "" if there is none.
func (l Limits) beyond(wide Limits) (field, got, want string) {
	switch {
	case wide.Calls > 0 && l.Calls > wide.Calls:
		return "Calls", strconv.Itoa(l.Calls), strconv.Itoa(wide.Calls)
	case wide.Time > 0 && l.Time > wide.Time:
		return "Time", l.Time.String(), wide.Time.String()
	case wide.Cost > 0 && l.Cost > wide.Cost:
		return "Cost", amount(l.Cost), amount(wide.Cost)
	}
	return "", "", ""
}

func amount(cost float64) string { return strconv.FormatFloat(cost, 'f', -1, 64) }

// units is a cost in billionths, so that a tenth ten times is one. What costs
// anything costs at least one; costs beyond every budget are all the same.
func units(cost float64) int64 {
	if !(cost > 0) {
		return 0
	}
	return int64(max(1, math.Round(min(cost, 2*maxCost)*1e9)))
}

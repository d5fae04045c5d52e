// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// Limits are how much may be used up. 0 is no limit.
type Limits struct {
	// Calls is how many calls may run.
	Calls int
	// Time is how long calls may run, all together: two at once use it up twice as
	// fast.
	Time time.Duration
	// Cost is in the currency of the definitions' Cost, at most a billion; it is
	// counted in billionths.
	Cost float64
}

// Options are the budgets. At least one limit must be set.
type Options struct {
	// Turn, Session and Tenant are for one turn of an agent, one session, and all
	// sessions of a tenant as long as they are remembered.
	Turn, Session, Tenant Limits
	// Keep is how many turns, sessions and tenants are remembered, each; the longest
	// unused leave first, and begin anew if they come back. 0 is 10,000.
	Keep int
	// Idle is after how long without a call one is forgotten. 0 is 24 hours.
	Idle time.Duration
	// Lookup finds the definitions of calls that nobody observes, which have no record to
	// tell them. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup
}

// What Keep 0 and Idle 0 are.
const (
	defaultKeep = 10_000
	defaultIdle = 24 * time.Hour
)

// maxCost is the highest limit of cost.
const maxCost = 1e9

func (o Options) validate() error {
	scopes := []struct {
		name   string
		limits Limits
	}{{"Turn", o.Turn}, {"Session", o.Session}, {"Tenant", o.Tenant}}
	for i, s := range scopes {
		l := s.limits
		switch {
		case l.Calls < 0:
			return fmt.Errorf("budget: %s.Calls: got %d, want 1 or more, or 0 for no limit", s.name, l.Calls)
		case l.Time < 0:
			return fmt.Errorf("budget: %s.Time: got %v, want a time above 0, or 0 for no limit", s.name, l.Time)
		case !(l.Cost >= 0) || l.Cost > maxCost:
			return fmt.Errorf("budget: %s.Cost: got %v, want a number above 0, at most %v, or 0 for no limit", s.name, l.Cost, maxCost)
		}
		for _, wide := range scopes[i+1:] {
			if field, got, want := l.beyond(wide.limits); field != "" {
				return fmt.Errorf("budget: %s.%s: got %s, more than %s.%s, want at most %s", s.name, field, got, wide.name, field, want)
			}
		}
	}
	if o.Turn == (Limits{}) && o.Session == (Limits{}) && o.Tenant == (Limits{}) {
		return fmt.Errorf("budget: Turn, Session, Tenant: got no limit, want at least one")
	}
	if o.Keep < 0 {
		return fmt.Errorf("budget: Keep: got %d, want 1 or more, or 0 for %d", o.Keep, defaultKeep)
	}
	if o.Idle < 0 {
		return fmt.Errorf("budget: Idle: got %v, want a time above 0, or 0 for %v", o.Idle, defaultIdle)
	}
	return nil
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
// anything costs at least one; what no budget can pay is not told apart.
func units(cost float64) int64 {
	if !(cost > 0) {
		return 0
	}
	return int64(max(1, math.Round(min(cost, 2*maxCost)*1e9)))
}

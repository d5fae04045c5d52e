// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import "github.com/toolscope/toolscope/toolkit"

// rules are those of a call's tool; the definition may be nil.
func (p *policy) rules(name string, tool *toolkit.Definition) *rules {
	if len(p.tools) > 0 {
		if r := p.tools[name]; r != nil {
			return r
		}
	}
	switch {
	case tool == nil || tool.ReadOnly == toolkit.Unsaid && tool.Destructive != toolkit.Yes:
		return &p.unsaid
	case tool.ReadOnly == toolkit.Yes:
		return &p.reads
	}
	return &p.writes
}

// before is the loop for which a call is stopped before it runs, if there is one.
func (r *rules) before(v *visit) Loop {
	switch {
	case r.Stop <= 0:
		return Loop{}
	case r.stops(v.repeats()) && !v.triedAfterStop:
		return Loop{Kind: Repeat, Action: Stop, Count: v.repeats()}
	case r.stops(v.cycle):
		return Loop{Kind: Cycle, Action: Stop, Count: v.cycle, Length: v.length}
	case v.toolStopped:
		return Loop{}
	case r.stops(int(v.errors)):
		return Loop{Kind: Failure, Action: Stop, Count: int(v.errors)}
	case r.progress == Stop && r.stops(int(v.same)):
		return Loop{Kind: NoProgress, Action: Stop, Count: int(v.same)}
	}
	return Loop{}
}

// after is the loop that a call which ran turned out to be part of, if it is.
func (r *rules) after(v *visit) (found Loop) {
	if v.repeat < 2 && v.cycle < 2 && v.errors < 2 && v.same < 2 {
		return Loop{}
	}
	for _, l := range [...]Loop{
		{Kind: Repeat, Count: v.repeats()},
		{Kind: Cycle, Count: v.cycle, Length: v.length},
		{Kind: Failure, Count: int(v.errors)},
		{Kind: NoProgress, Count: int(v.same)},
	} {
		l.Action = r.action(l.Count)
		if l.Kind == NoProgress && l.Action != "" && r.progress == Signal {
			l.Action = Signal
		}
		if l.Action != "" && (found.Action == "" || found.Action == Signal && l.Action == Advice) {
			found = l
		}
	}
	return found
}

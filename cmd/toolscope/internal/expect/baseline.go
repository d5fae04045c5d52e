// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"fmt"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recorded"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// callKey tells calls apart by tool and arguments: by the arguments themselves, else where something was removed of them by
// their fingerprint, or with prints false by what is left of them.
func callKey(c *recorded.Call, prints bool) string {
	if !c.ArgumentsRedacted && !c.ArgumentsCut {
		if a, ok := identity.Of(c.Arguments, nil, nil); ok {
			return c.Name() + "\x00" + string(a.AppendCanonical(nil))
		}
	}
	if prints && c.Fingerprint != "" {
		return c.Name() + "\x00fp:" + c.Fingerprint
	}
	return c.Name() + "\x00" + string(c.Arguments)
}

// sharePrint reports whether two sessions have a fingerprint in common. Those of directories with other keys have none:
// there equal arguments have other fingerprints.
func sharePrint(a, b *recorded.Session) bool {
	prints := map[string]bool{}
	for _, c := range a.Calls {
		prints[c.Fingerprint] = true
	}
	for _, c := range b.Calls {
		if c.Fingerprint != "" && prints[c.Fingerprint] {
			return true
		}
	}
	return false
}

// compare checks how the session differs from the baseline.
func (c *checker) compare() {
	var rules Baseline
	if c.Baseline != nil {
		rules = *c.Baseline
	}
	matched, calls := c.match()
	if rules.Calls != "any" {
		c.addCheck("baseline.calls", calls)
	}
	var outcomes, results, order []Failure
	last := 0
	for _, m := range matched {
		now, then := m.now, m.then
		if a, b := ending(now), ending(then); a != b {
			outcomes = append(outcomes, failed(now, "got %s, want %s as in the baseline", a, b))
		}
		if !now.ResultCut && !then.ResultCut && (now.Result != then.Result || string(now.Structured) != string(then.Structured)) {
			results = append(results, failed(now, "got the result %s, want %s as in the baseline",
				display.Quoted(display.Clip(now.Result, 120)), display.Quoted(display.Clip(then.Result, 120))))
		} else if now.Error != then.Error {
			results = append(results, failed(now, "got the error %s, want %s as in the baseline",
				display.Quoted(display.Clip(now.Error, 120)), display.Quoted(display.Clip(then.Error, 120))))
		}
		if then.Number < last {
			order = append(order, failed(now, "got it later than in the baseline"))
		}
		last = max(last, then.Number)
	}
	if rules.Outcomes != "any" {
		c.addCheck("baseline.outcomes", outcomes)
	}
	if rules.Results == "same" {
		c.addCheck("baseline.results", results)
	}
	if rules.Order == "same" {
		c.addCheck("baseline.order", order)
	}
}

// ending is how a call ended.
func ending(c *recorded.Call) string {
	switch {
	case !c.Finished:
		return "no end"
	case c.ErrorType != "":
		return c.Outcome + " " + c.ErrorType
	case c.Error != "":
		return c.Outcome + " with an error"
	}
	return c.Outcome
}

type pair struct{ now, then *recorded.Call }

// match finds for each call the same one of the baseline, in the order of calls, and tells what has none.
func (c *checker) match() (matched []pair, failures []Failure) {
	left := map[string][]*recorded.Call{}
	baseline, prints := c.counted(c.baseline), sharePrint(c.session, c.baseline)
	for _, call := range baseline {
		key := callKey(call, prints)
		left[key] = append(left[key], call)
	}
	var added []*recorded.Call
	for _, call := range c.calls {
		key := callKey(call, prints)
		if same := left[key]; len(same) > 0 {
			matched = append(matched, pair{call, same[0]})
			left[key] = same[1:]
			continue
		}
		added = append(added, call)
	}
	gone := map[string][]*recorded.Call{} // by tool
	for _, call := range baseline {
		if same := left[callKey(call, prints)]; len(same) > 0 && same[0] == call {
			left[callKey(call, prints)] = same[1:]
			gone[call.Name()] = append(gone[call.Name()], call)
		}
	}
	for _, call := range added {
		then := gone[call.Name()]
		if len(then) == 0 {
			failures = append(failures, failed(call, "got a call that the baseline does not have"))
			continue
		}
		failures = append(failures, failed(call, "got the arguments %s, want %s as in the baseline",
			display.Clip(string(call.Arguments), 200), display.Clip(string(then[0].Arguments), 200)))
		gone[call.Name()] = then[1:]
	}
	for _, call := range baseline {
		if then := gone[call.Name()]; len(then) > 0 && then[0] == call {
			gone[call.Name()] = then[1:]
			failures = append(failures, Failure{Message: display.Plain(fmt.Sprintf(
				"%s of the baseline: got no such call", call.Describe()))})
		}
	}
	return matched, failures
}

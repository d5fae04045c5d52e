// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recorded"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/redact"
)

// A Check is one expectation, and how the session fails it.
type Check struct {
	Rule     string    `json:"rule"` // the field of the expectations
	Failures []Failure `json:"failures,omitempty"`
}

// A Failure is one way to fail.
type Failure struct {
	Message string `json:"message"`
	Call    int    `json:"call,omitempty"` // the number of the call, 0 for none
	Line    int    `json:"line,omitempty"` // of the file; 0 for none
}

// The bounds of a check: how many failures it has, and the bytes of a message.
const (
	maxFailures = 50
	maxMessage  = 1 << 10
)

type checker struct {
	*Expectations
	session, baseline *recorded.Session
	calls             []*recorded.Call // that are counted
	checks            []Check
}

// counted are the calls that count: without steps, unless they are wanted.
func (e *Expectations) counted(s *recorded.Session) []*recorded.Call {
	if e.Steps {
		return s.Calls
	}
	return s.Outer()
}

// Check checks a session. baseline may be nil.
func (e *Expectations) Check(session, baseline *recorded.Session) []Check {
	c := &checker{Expectations: e, session: session, baseline: baseline, calls: e.counted(session)}
	c.file()
	if e.Calls != nil {
		c.addCheck("calls", c.bounds("calls", c.calls, *e.Calls))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Tools)) {
		c.tool(name, e.Tools[name])
	}
	c.names()
	if e.Order != nil {
		c.addCheck("order", c.order())
	}
	if e.ErrorRate != nil {
		c.addCheck("error_rate", errorRate("calls", c.calls, *e.ErrorRate))
	}
	if e.P95 > 0 {
		c.addCheck("p95", p95("calls", c.calls, e.P95))
	}
	if e.Finished {
		c.addCheck("finished", c.unfinished())
	}
	if e.Secrets != "" {
		c.addCheck("secrets", c.secrets())
	}
	if e.Definitions != "" {
		c.addCheck("definitions", c.definitions())
	}
	if baseline != nil {
		c.compare()
	}
	return c.checks
}

func (c *checker) addCheck(rule string, failures []Failure) {
	failures = failures[:min(len(failures), maxFailures)]
	for i := range failures {
		failures[i].Message, _ = redact.Default().TextMax(failures[i].Message, maxMessage)
	}
	c.checks = append(c.checks, Check{rule, failures})
}

// failed is a failure of a call.
func failed(call *recorded.Call, format string, args ...any) Failure {
	return Failure{display.Plain(call.Describe() + ": " + fmt.Sprintf(format, args...)), call.Number, call.Line}
}

func general(format string, args ...any) []Failure {
	return []Failure{{Message: display.Plain(fmt.Sprintf(format, args...))}}
}

// file fails where the file does not have everything: what is missing cannot be checked.
func (c *checker) file() {
	var failures []Failure
	for _, bad := range c.session.Bad {
		failures = append(failures, general("%s", bad)...)
	}
	if c.session.Dropped > 0 {
		failures = append(failures, general("%s dropped when the file was written: calls are missing",
			display.Number(c.session.Dropped, "line"))...)
	}
	if len(c.session.Calls) == 0 && !c.mayBeEmpty() {
		failures = append(failures, general("got no calls, so nothing to check: want a file with calls, or calls: {min: 0}")...)
	}
	c.addCheck("file", failures)
}

// mayBeEmpty reports whether the expectations say that a session may have no calls.
func (e *Expectations) mayBeEmpty() bool {
	return e.Calls != nil && (e.Calls.Min != nil && *e.Calls.Min == 0 || e.Calls.Max != nil && *e.Calls.Max == 0)
}

func (c *checker) bounds(what string, calls []*recorded.Call, b Bounds) []Failure {
	n := len(calls)
	switch {
	case b.Min != nil && n < *b.Min:
		return general("%s: got %s, want at least %d%s", what, display.Number(uint64(n), "call"), *b.Min, c.notCounted(what))
	case b.Max != nil && n > *b.Max:
		return []Failure{failed(calls[*b.Max], "got %s, want at most %d", display.Number(uint64(n), "call"), *b.Max)}
	}
	return nil
}

func (c *checker) callsOf(tool string) (calls []*recorded.Call) {
	for _, call := range c.calls {
		if call.Name() == tool {
			calls = append(calls, call)
		}
	}
	return calls
}

// notCounted says how many calls of a tool are steps, which do not count; "" for none.
func (c *checker) notCounted(tool string) string {
	steps := uint64(0)
	for _, call := range c.session.Calls {
		if call.Parent != "" && !c.Steps && call.Name() == tool {
			steps++
		}
	}
	if steps == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s of workflows not counted: steps: true counts them)", display.Number(steps, "step"))
}

func (c *checker) tool(name string, t *Tool) {
	calls := c.callsOf(name)
	failures := c.bounds(name, calls, t.Bounds)
	measured := t.ErrorRate != nil || t.P95 > 0
	switch {
	case len(calls) > 0:
	case t.Min == nil && t.Max == nil:
		failures = general("%s: got no call, want one%s", name, c.notCounted(name))
	case t.Min == nil && measured:
		failures = append(failures, general(
			"%s: got no call, so error_rate and p95 compare nothing: want a call, or min: 0%s", name, c.notCounted(name))...)
	}
	if t.ErrorRate != nil {
		failures = append(failures, errorRate(name, calls, *t.ErrorRate)...)
	}
	if t.P95 > 0 && len(calls) > 0 {
		failures = append(failures, p95(name, calls, t.P95)...)
	}
	c.addCheck("tools."+name, failures)
}

// names checks which tools were called.
func (c *checker) names() {
	var only, never []Failure
	for _, call := range c.calls {
		if c.Only != nil && !slices.Contains(c.Only, call.Name()) {
			only = append(only, failed(call, "got a tool that is none of those expected"))
		}
	}
	for _, call := range c.session.Calls {
		if slices.Contains(c.Never, call.Name()) {
			never = append(never, failed(call, "got a call of a tool that is never to be called"))
		}
	}
	if c.Only != nil {
		c.addCheck("only", only)
	}
	if c.Never != nil {
		c.addCheck("never", never)
	}
}

func (c *checker) order() (failures []Failure) {
	var last *recorded.Call
	for _, name := range c.Order {
		i := slices.IndexFunc(c.calls, func(call *recorded.Call) bool { return call.Name() == name })
		if i < 0 {
			failures = append(failures, general("%s: got no call, want one%s", name, c.notCounted(name))...)
			continue
		}
		call := c.calls[i]
		if last != nil && call.Number < last.Number {
			failures = append(failures, failed(call, "got it before %s, want it after that", last.Describe()))
			continue
		}
		last = call
	}
	return failures
}

func errorRate(what string, calls []*recorded.Call, most float64) (failures []Failure) {
	n := 0
	for _, call := range calls {
		if call.Failed() {
			n++
		}
	}
	if n == 0 || float64(n) <= most*float64(len(calls)) {
		return nil
	}
	failures = general("%s: %d of %d failed, want at most %s", what, n, len(calls), display.Percent(most))
	for _, call := range calls {
		if call.Failed() {
			failures = append(failures, failed(call, "%s %s", call.ErrorType, display.Clip(call.Error, 120)))
		}
	}
	return failures
}

func p95(what string, calls []*recorded.Call, most time.Duration) []Failure {
	var ran []*recorded.Call
	for _, call := range calls {
		if call.Finished && call.Outcome == "executed" && call.Duration != nil {
			ran = append(ran, call)
		}
	}
	if len(ran) == 0 {
		if len(calls) == 0 {
			return nil // which is allowed, or fails already
		}
		return general("%s: got no call with a running time, so nothing to measure", what)
	}
	slices.SortStableFunc(ran, func(a, b *recorded.Call) int { return int(a.Took() - b.Took()) })
	at := ran[(len(ran)*95+99)/100-1]
	if at.Took() <= most {
		return nil
	}
	return []Failure{failed(at, "the p95 of %s is %v, want at most %v", what, at.Took(), most)}
}

func (c *checker) unfinished() (failures []Failure) {
	for _, call := range c.session.Calls {
		if !call.Finished {
			failures = append(failures, failed(call, "got no end"))
		}
	}
	return failures
}

// secrets fails for what the redactor finds, and with "none" for what a redactor has removed.
func (c *checker) secrets() (failures []Failure) {
	for _, call := range c.session.Calls {
		redactor := redact.Default().ForTool(call.Tool)
		for _, part := range []struct {
			name string
			text []byte
			json bool
		}{
			{"arguments", call.Arguments, true}, {"structured result", call.Structured, true},
			{"result", []byte(call.Result), false}, {"error", []byte(call.Error), false},
		} {
			var found redact.Findings
			if part.json {
				_, found = redactor.JSON(part.text)
			} else {
				_, found = redactor.Text(string(part.text))
			}
			for _, f := range found {
				failures = append(failures, failed(call, "%s %s: got %s in clear", part.name, f.Path, f.Kind))
			}
		}
		if c.Secrets == "none" && call.ArgumentsRedacted {
			failures = append(failures, failed(call, "arguments: something was redacted, want nothing to redact"))
		}
		if c.Secrets == "none" && call.ResultRedacted {
			failures = append(failures, failed(call, "result: something was redacted, want nothing to redact"))
		}
	}
	return failures
}

func (c *checker) definitions() (failures []Failure) {
	digests := c.session.Digests
	if len(digests) == 0 {
		return general("got no definitions in the file, want a recording")
	}
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		if len(digests[name]) > 1 {
			failures = append(failures, general("%s: got %d definitions in one session, want one", name, len(digests[name]))...)
		}
	}
	switch {
	case c.baseline == nil:
		return failures
	case len(c.baseline.Digests) == 0:
		return append(failures, general("got no definitions in the baseline, want a recording")...)
	}
	all := maps.Clone(digests)
	maps.Copy(all, c.baseline.Digests)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		now, then := digests[name], c.baseline.Digests[name]
		switch {
		case now == nil:
			failures = append(failures, general("%s: got no such tool, want the one of the baseline", name)...)
		case then == nil:
			failures = append(failures, general("%s: got a tool that the baseline does not have", name)...)
		case now[len(now)-1] != then[len(then)-1]:
			failures = append(failures, general("%s: got another definition than the baseline", name)...)
		}
	}
	return failures
}

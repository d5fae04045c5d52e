// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
)

// A goal is one figure that is to stay below a limit.
type goal struct {
	row     string // what it is about; goals of one row stand together
	what    string
	limit   float64
	of      cell
	against *cell // nil: the limit is the value's own
	beside  *cell // of a ratio of ratios: of/against over beside/below
	below   *cell
}

// The units as benchfmt has them.
const (
	seconds = "sec/op"
	apart   = "call-sec/op"
	bytes   = "B/op"
	allocs  = "allocs/op"
)

func call(mode string, goroutines int) cell {
	return named(fmt.Sprintf("Call/mode=%s/goroutines=%d", mode, goroutines), seconds)
}

func (c cell) in(unit string) cell { c.unit = unit; return c }

func (c cell) minus(other cell) cell {
	for _, t := range other.terms {
		c.terms = append(c.terms[:len(c.terms):len(c.terms)], term{t.name, -t.factor})
	}
	return c
}

func named(name, unit string) cell { return cell{unit, []term{{name, 1}}} }

// slope is what tRPC-Agent's spans cost for a call: by how much more nine calls of a turn take
// than one with spans than without, an eighth of it.
var slope = cell{seconds, []term{
	{"TRPC/spans=on/calls=9", 1. / 8}, {"TRPC/spans=on/calls=1", -1. / 8}, {
		"TRPC/spans=off/calls=9", -1. / 8,
	}, {"TRPC/spans=off/calls=1", 1. / 8},
}}

func to(c cell) *cell { return &c }

// goals are those of the project, in its order; times are ratios within a pass.
var goals = func() []goal {
	hand, span := call("hand", 1), call("hand-unsampled", 1)
	off, sampled := call("sampled-off", 1), call("sampled", 1)
	rate := func(mode string) cell { return named("Apart/mode="+mode, apart) }
	result := func(form string, bytes int) cell {
		return named(fmt.Sprintf("Result/mode=sampled/form=%s/bytes=%d", form, bytes), seconds)
	}
	miss := func(mode string) cell { return named("Miss/mode="+mode+"/goroutines=1", seconds) }
	agent := func(mode, unit string) cell { return named("Agent/mode="+mode, unit) }
	peer := func(name string) cell { return named("Peer/"+name, seconds) }
	here := peer("of=toolscope-sampled") // in the binary of the peers
	return []goal{
		{row: "sampled, redactor off", what: "serial", limit: 1.05, of: off, against: &hand},
		{
			row: "sampled, redactor off", what: "two goroutines", limit: 1.00, of: call("sampled-off", 2),
			against: to(call("hand", 2)),
		},
		{row: "sampled, redactor off", what: "bytes", limit: 3400, of: off.in(bytes)},
		{row: "sampled, redactor off", what: "allocations", limit: 9, of: off.in(allocs)},
		{
			row: "sampled, redactor on", what: "what it adds, to redact alone", limit: 1.1,
			of: sampled.minus(off), against: to(named("Redact/of=call", seconds)),
		},
		{row: "sampled, redactor on", what: "allocations it adds", limit: 0, of: sampled.in(allocs).minus(off)},
		{row: "sampled, redactor on", what: "serial", limit: 1.8, of: sampled, against: &hand},
		{
			row: "sampled, redactor on", what: "serial, if the first stage is as fast as can be", limit: 1.3,
			of: sampled, against: &hand,
		},
		{
			row: "at an agent's rate", what: "our batcher, to the SDK's span and batcher", limit: 0.55,
			of: rate("sampled-our-batcher"), against: to(rate("hand-sdk-batcher")),
		},
		{
			row: "at an agent's rate", what: "the SDK's batcher, to the same", limit: 1.25,
			of: rate("sampled-sdk-batcher"), against: to(rate("hand-sdk-batcher")),
		},
		{row: "not sampled, percentiles kept", what: "serial", limit: 0.60, of: call("unsampled", 1), against: &span},
		{row: "not sampled, percentiles kept", what: "bytes", limit: 400, of: call("unsampled", 1).in(bytes)},
		{row: "not sampled, percentiles kept", what: "allocations", limit: 3, of: call("unsampled", 1).in(allocs)},
		{row: "no provider, percentiles kept", what: "time", limit: 150e-9, of: call("no-provider", 1)},
		{row: "no provider, percentiles kept", what: "allocations", limit: 1, of: call("no-provider", 1).in(allocs)},
		{row: "every policy, cache miss", what: "serial", limit: 2.3, of: miss("everything"), against: to(miss("hand"))},
		{
			row: "every policy, cache miss", what: "serial, by a caller that may give up", limit: 2.3,
			of: miss("everything-cancelable"), against: to(miss("hand")),
		},
		{row: "a hand-written layer", what: "redactor on", limit: 1. / 14, of: sampled, against: to(call("diy", 1))},
		{row: "a hand-written layer", what: "redactor off", limit: 1. / 20, of: off, against: to(call("diy", 1))},
		{row: "peers", what: "Datadog's LLM tool span", limit: 1. / 7, of: here, against: to(peer("of=datadog"))},
		{
			row: "peers", what: "ToolHive's telemetry", limit: 1. / 3, of: here,
			against: to(peer("of=toolhive").minus(peer("of=http-bare"))),
		},
		{row: "peers", what: "tRPC-Agent's", limit: 1. / 5, of: here, against: &slope},
		{row: "peers", what: "otelhttp", limit: 1. / 1.2, of: here, against: to(peer("of=otelhttp").minus(peer("of=http-bare")))},
		{
			row: "share of a real call", what: "go-sdk in memory", limit: 0.03, of: sampled,
			against: to(named("MCP/mode=bare/goroutines=1", seconds)),
		},
		{row: "share of a real call", what: "mcp-go in process", limit: 0.06, of: here, against: to(peer("of=mcpgo"))},
		{
			row: "result of 10 MiB to one of 8 KiB", what: "text", limit: 1.2, of: result("text", 10<<20),
			against: to(result("text", 8<<10)),
		},
		{
			row: "result of 10 MiB to one of 8 KiB", what: "JSON", limit: 1.2, of: result("json", 10<<20),
			against: to(result("json", 8<<10)),
		},
		{
			row: "two cores to one", what: "time, to the SDK's own", limit: 1.0, of: call("sampled", 2),
			against: &sampled, beside: to(call("hand", 2)), below: &hand,
		},
		{
			row: "agent-like load", what: "processor time", limit: 1.05, of: agent("wrapped", "cpu-sec/op"),
			against: to(agent("bare", "cpu-sec/op")),
		},
		{
			row: "agent-like load", what: "p99 of the tools", limit: 1.05, of: agent("wrapped", "p99-sec"),
			against: to(agent("bare", "p99-sec")),
		},
		{
			row: "agent-like load", what: "memory more, bytes", limit: 32 << 20,
			of: agent("wrapped", "rss-B").minus(agent("bare", "rss-B")),
		},
	}
}()

// values are those of a goal, pass by pass.
func (s *samples) goal(g *goal) []float64 {
	if g.against == nil {
		return s.valuesOf(g.of)
	}
	values := s.ratio(g.of, *g.against)
	if g.beside == nil {
		return values
	}
	under := s.ratio(*g.beside, *g.below)
	out := make([]float64, min(len(values), len(under)))
	for i := range out {
		out[i] = values[i] / under[i]
	}
	return out
}

// writeGoals writes the table of goals that were measured: met means that the median is
// within the limit.
func (s *samples) writeGoals(w io.Writer) {
	fmt.Fprintln(w, "| what | | at most | measured | 95 % interval | |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---|")
	for i := range goals {
		g := &goals[i]
		f, ok := figureOf(s.goal(g))
		if !ok {
			continue
		}
		verdict := "missed"
		if f.median <= g.limit {
			verdict = "met"
		}
		show := g.show()
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", g.row, g.what, show(g.limit), show(f.median), f.within(show), verdict)
	}
}

// show is how a goal's values are written.
func (g *goal) show() func(float64) string {
	switch {
	case g.against != nil:
		return func(v float64) string { return fmt.Sprintf("%.3g×", v) }
	case g.of.unit == seconds:
		return duration
	}
	return func(v float64) string { return fmt.Sprintf("%.0f", v) }
}

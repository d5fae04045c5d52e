// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// How many rows are printed of what there may be more of.
const (
	listedErrors   = 10
	listedSessions = 10
)

// view is what the stats and report commands print: the same tables, whether a
// program was asked or a log was read.
type view struct {
	snapshot *stats.Snapshot
	before   *stats.Snapshot      // of the window before; nil if there is none
	sessions []stats.SessionStats // nil to print none
	loops    []stats.Loop
	window   string // "" for the span that the snapshot has
	tool     string // "" for all
	sort     string
}

// jsonView is a view as --json prints it.
type jsonView struct {
	Source string `json:"source"`
	*stats.Summary
	Sessions []stats.SessionStats `json:"sessions,omitempty"`
	Loops    []stats.Loop         `json:"loops,omitempty"`
	Log      *logCounts           `json:"log,omitempty"`
}

func (v *view) json(source string) jsonView {
	return jsonView{Source: source, Summary: v.summary(), Sessions: v.sessions, Loops: v.loops}
}

// summary is the snapshot's, of the tool that is asked for, sorted.
func (v *view) summary() *stats.Summary {
	s := stats.Summarise(v.selected(v.snapshot), v.selected(v.before))
	if v.window != "" {
		s.Window = v.window
	}
	order := orders[v.sort]
	slices.SortStableFunc(s.Tools, func(a, b stats.ToolStats) int { return cmp.Or(order(&a, &b), cmp.Compare(a.Tool, b.Tool)) })
	return s
}

// selected is what a snapshot has of the tool that is asked for.
func (v *view) selected(s *stats.Snapshot) *stats.Snapshot {
	if s == nil || v.tool == "" {
		return s
	}
	some := *s
	some.Tools = slices.DeleteFunc(slices.Clone(s.Tools), func(t stats.ToolSnapshot) bool { return t.Tool != v.tool })
	some.Errors = slices.DeleteFunc(slices.Clone(s.Errors), func(g stats.ErrorGroup) bool { return g.Tool != v.tool })
	some.OtherErrors, some.MaxUnlisted = 0, 0
	return &some
}

// orders are how tools can be sorted: the most first, but for names.
var orders = map[string]func(a, b *stats.ToolStats) int{
	"time":   func(a, b *stats.ToolStats) int { return cmp.Compare(b.TotalMs, a.TotalMs) },
	"name":   func(a, b *stats.ToolStats) int { return 0 },
	"calls":  func(a, b *stats.ToolStats) int { return cmp.Compare(b.Calls, a.Calls) },
	"errors": func(a, b *stats.ToolStats) int { return cmp.Compare(b.Errors, a.Errors) },
	"p50":    func(a, b *stats.ToolStats) int { return cmp.Compare(b.P50Ms, a.P50Ms) },
	"p95":    func(a, b *stats.ToolStats) int { return cmp.Compare(b.P95Ms, a.P95Ms) },
	"p99":    func(a, b *stats.ToolStats) int { return cmp.Compare(b.P99Ms, a.P99Ms) },
}

const orderList = "time, name, calls, errors, p50, p95, p99"

// print writes the tables. timed is false for a log without times.
func (v *view) print(b *strings.Builder, source string, p paint, timed bool) {
	s := v.summary()
	source = display.Clip(source, 100)
	facts := ""
	if timed {
		facts += fmt.Sprintf("  %s to %s", s.From.Local().Format(time.DateTime), s.To.Local().Format(time.DateTime))
	}
	if v.window != "" {
		facts += "  window " + display.Clip(v.window, 60)
	}
	if s.Processes > 1 {
		facts += fmt.Sprintf("  %d processes", s.Processes)
	}
	if s.Overall.Previous != nil {
		facts += "  ± against the window before"
	}
	b.WriteString(p.in(bold, source))
	if p.cells > 0 && utf8.RuneCountInString(source+facts) > p.cells {
		b.WriteString("\n")
		facts = strings.TrimPrefix(facts, "  ")
	}
	b.WriteString(p.in(quiet, facts) + "\n\n")
	if len(s.Tools) == 0 {
		b.WriteString("No calls.\n")
		return
	}
	v.tools(s).print(b, p)
	if groups := errorTable(s, p); len(groups.rows) > 0 {
		b.WriteString("\n")
		groups.print(b, p)
	}
	if s.OtherErrors > 0 {
		fmt.Fprintf(b, "%s errors belong to no group listed; none of those occurred more than %s times.\n", display.Count(s.OtherErrors), display.Count(s.MaxUnlisted))
	}
	if policies := policyTable(s); len(policies.rows) > 0 {
		b.WriteString("\n")
		policies.print(b, p)
	}
	if sessions := v.sessionTable(); len(sessions.rows) > 0 {
		b.WriteString("\n")
		sessions.print(b, p)
	}
}

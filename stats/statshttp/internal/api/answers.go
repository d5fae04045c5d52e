// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"time"

	"github.com/toolscope/toolscope/stats"
)

// covered is the span of time that an answer really covers.
type covered struct {
	Window  string    `json:"window"`  // name of the window, such as 5m
	From    time.Time `json:"from"`    // beginning of the span covered
	To      time.Time `json:"to"`      // end of the span covered
	Seconds float64   `json:"seconds"` // length of the span covered, in seconds
}

func coveredBy(s *stats.Summary) covered { return covered{s.Window, s.From, s.To, s.Seconds} }

// Overview answers /api/v1/summary, and is what a stream sends.
type Overview struct {
	covered
	Started   time.Time `json:"started"`   // when the recorder started
	Processes int       `json:"processes"` // number of recorders merged into the answer
	// ToolsUsed is how many tools had calls.
	ToolsUsed int             `json:"tools_used"`
	Overall   stats.ToolStats `json:"overall"` // all tools together; its name is empty
	Health    *stats.Health   `json:"health"`  // health of the agents in the window
	Limits    stats.Limits    `json:"limits"`  // bounds of the recorder and what it holds now
	// Components are the parts that report their state: the statistics, and what Options.Health adds.
	Components []stats.Component `json:"components"`
}

// ToolList answers /api/v1/tools.
type ToolList struct {
	covered
	Tools []stats.ToolStats `json:"tools"` // tools with calls in the window, in the order asked for
}

// ToolDetail answers /api/v1/tools/{name}.
type ToolDetail struct {
	covered
	stats.ToolStats
	Groups []stats.ErrorGroup `json:"errors_by_group"` // error groups of the tool, the most frequent first
}

// ErrorList answers /api/v1/errors.
type ErrorList struct {
	covered
	Errors []stats.ErrorGroup `json:"errors"` // error groups, the most frequent first
	// OtherErrors is how many errors belong to no group listed.
	OtherErrors uint64 `json:"other_errors"`
	MaxUnlisted uint64 `json:"max_unlisted"` // most times that an error not listed can have occurred
}

// SessionList answers /api/v1/sessions.
type SessionList struct {
	Sessions []stats.SessionStats `json:"sessions"`         // sessions held, the one seen last first
	Evicted  uint64               `json:"evicted_sessions"` // sessions removed to make room for others
}

// LoopList answers /api/v1/loops.
type LoopList struct {
	Loops []stats.Loop `json:"loops"` // repeated calls, the most frequent first
}

// CallList answers /api/v1/calls, the latest first.
type CallList struct {
	Calls []CallLink `json:"calls"` // calls that match, the latest first
	// Next is the value of the parameter before for the calls that follow; left
	// out if there are none.
	Next uint64 `json:"next_before,omitempty"`
}

// CallLink is a call with the link to its trace, if there is one.
type CallLink struct {
	stats.RecentCall
	TraceURL string `json:"trace_url,omitempty"` // link to the trace in the tracing backend, if one is configured
}

// CallDetail answers /api/v1/calls/{id}.
type CallDetail struct {
	CallLink
	Spans []stats.SpanView `json:"spans,omitempty"` // spans of the call's trace, if they are at hand
}

// RunningList answers /api/v1/running.
type RunningList struct {
	Running []stats.RunningCall `json:"running"` // calls that have begun and not ended, the longest running first
	// More is how many calls run beyond those listed.
	More int `json:"more"`
}

// HealthAnswer answers /healthz.
type HealthAnswer struct {
	// Status is ok, or degraded if a component has a problem.
	Status     string            `json:"status"`
	Components []stats.Component `json:"components"` // components that report their state
}

// RegisteredList answers /api/v1/registered.
type RegisteredList struct {
	Categories []string               `json:"categories"` // categories of all registered tools, sorted
	Tools      []stats.RegisteredTool `json:"tools"`      // registered tools by category and name, those without a category first
	More       int                    `json:"more"`       // number of tools beyond those listed
}

// WorkflowList is the answer of /api/v1/workflows.
type WorkflowList struct {
	Workflows []stats.Workflow `json:"workflows"` // sorted by name
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
)

// SnapshotVersion is the version of a snapshot's JSON form, which
// `docs/stats-formats.md` describes.
const SnapshotVersion = 1

// UnknownTool is the name under which calls of tools are counted that are not registered. Spans,
// metrics and call logs have the same name.
const UnknownTool = "_unknown"

// Other is the name under which calls of tools beyond the maximum number of tools are counted, and
// facts of policies beyond theirs.
const Other = "_OTHER"

// A Snapshot is what was counted in a span of time, raw, by one process or several:
// [Merge] adds snapshots, [Snapshot.Sub] takes one away, and its JSON form is what
// processes exchange. Those who hold one must not change it.
type Snapshot struct {
	Version int `json:"version"` // version of this JSON form
	// From is the beginning of the span that was really covered: whole intervals, so it
	// may lie before what was asked for.
	From time.Time `json:"from"`
	To   time.Time `json:"to"` // end of the span covered
	// Processes is how many recorders were merged into this.
	Processes int `json:"processes"`
	// Tools are sorted by name; tools without calls are left out, unless calls
	// are running.
	Tools []ToolSnapshot `json:"tools"`
	// Errors are the error groups, most frequent first.
	Errors []ErrorGroup `json:"errors"`
	// OtherErrors is how many errors belong to no group listed.
	OtherErrors uint64 `json:"other_errors"`
	// MaxUnlisted is how often an error that is not listed can have occurred at
	// most.
	MaxUnlisted uint64 `json:"max_unlisted"`
}

// A ToolSnapshot is one tool's part of a [Snapshot].
type ToolSnapshot struct {
	Tool string `json:"tool"` // name of the tool

	Histograms

	// ErrorTypes are the calls with an error.type, whatever their outcome, sorted
	// by type.
	ErrorTypes []TypeCount `json:"error_types,omitempty"`

	// Policies counts the calls by tag of a policy, sorted by key and
	// value: at most 128 different facts of all tools, and 12 values of a key.
	// Values beyond are "_OTHER" of their key, keys beyond the key "_OTHER".
	Policies []PolicyCount `json:"policies,omitempty"`

	Counters
	Cost float64 `json:"cost,omitempty"` // [toolkit.Definition.Cost] of each attempt

	InFlight int64 `json:"in_flight,omitempty"`      // calls running at To
	Peak     int64 `json:"peak_in_flight,omitempty"` // most calls running at once
	// Streak is how many calls in a row have failed until To. Refusals count as failures.
	Streak      uint64 `json:"error_streak,omitempty"`
	WorstStreak uint64 `json:"worst_error_streak,omitempty"` // longest row of failed calls in the span

	LastSeen  time.Time  `json:"last_seen"`           // when the latest call ended, to a millisecond
	Exemplars []Exemplar `json:"exemplars,omitempty"` // sampled calls, slowest first
}

// A TypeCount is how many calls ended with an error.type.
type TypeCount struct {
	Type  string `json:"error_type"` // the error.type
	Count uint64 `json:"count"`      // number of calls with it
}

// An Exemplar is a sampled call that stands for others: the slowest of a span, and
// the latest of each doubling of the running time, slowest first.
type Exemplar struct {
	DurationMs float64   `json:"duration_ms"` // running time
	Time       time.Time `json:"time"`        // when the call ended
	TraceID    string    `json:"trace_id"`    // trace id, 32 hexadecimal digits
	SpanID     string    `json:"span_id"`     // span id, 16 hexadecimal digits
}

// Errors is how many calls ended with an error.type, whatever their outcome.
func (t *ToolSnapshot) Errors() uint64 {
	n := uint64(0)
	for _, e := range t.ErrorTypes {
		n = histogram.AddCapped(n, e.Count)
	}
	return n
}

// Tool finds a tool by its name; nil if there is none.
func (s *Snapshot) Tool(name string) *ToolSnapshot {
	for i := range s.Tools {
		if s.Tools[i].Tool == name {
			return &s.Tools[i]
		}
	}
	return nil
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "time"

// An ErrorGroup is errors that differ only in numbers, ids, paths, quoted text,
// times and addresses.
type ErrorGroup struct {
	// ID is the same for the same error in every process: 16 hexadecimal digits.
	ID   string `json:"id"`
	Tool string `json:"tool"`
	Type string `json:"error_type"`
	// Message is the redacted text with kinds in place of what differs, at most
	// 200 bytes; Example is one redacted text, at most 1 KiB.
	Message string `json:"message"`
	Example string `json:"example,omitempty"`
	// Count is how often the error was counted. Groups are bounded; the true
	// number is at least Count and at most CountMax.
	Count    uint64 `json:"count"`
	CountMax uint64 `json:"count_max"`
	// Trend is Count split into twelve equal parts of the span, the oldest first.
	Trend     []uint64  `json:"trend,omitempty"`
	FirstSeen time.Time `json:"first_seen"`
	LastSeen  time.Time `json:"last_seen"`
	// TraceIDs are of sampled calls, at most five, the latest first.
	TraceIDs []string `json:"trace_ids,omitempty"`
}

// A RecentCall is a call that ended a short while ago, without any of its content.
type RecentCall struct {
	// ID counts calls from 1 in the order in which they ended.
	ID         uint64    `json:"id"`
	Time       time.Time `json:"time"` // when it began
	Tool       string    `json:"tool"`
	Outcome    string    `json:"outcome"` // of [toolkit.Outcome.String]
	Ending     string    `json:"ending"`  // of [toolkit.Ending.String]
	ErrorType  string    `json:"error_type,omitempty"`
	Error      string    `json:"error,omitempty"` // redacted, at most 1 KiB
	ErrorGroup string    `json:"error_group,omitempty"`
	Suspended  bool      `json:"suspended,omitempty"`
	// DurationMs is from start to end; RunMs inside the tool; the rest are waits.
	DurationMs float64 `json:"duration_ms"`
	RunMs      float64 `json:"run_ms,omitempty"`
	QueueMs    float64 `json:"queue_ms,omitempty"`
	ApprovalMs float64 `json:"approval_ms,omitempty"`
	BackoffMs  float64 `json:"backoff_ms,omitempty"`
	AgeMs      float64 `json:"age_ms,omitempty"` // of a stored answer
	Attempts   uint16  `json:"attempts,omitempty"`
	Repeat     uint16  `json:"repeat,omitempty"`
	BytesIn    int     `json:"bytes_in"`
	BytesOut   int     `json:"bytes_out"` // -1 if nobody knows
	// Policies are the facts that policies told, in the order told.
	Policies []PolicyTag `json:"policies,omitempty"`
	Session  string      `json:"session,omitempty"`
	Agent    string      `json:"agent,omitempty"`
	Turn     int         `json:"turn,omitempty"`
	TraceID  string      `json:"trace_id,omitempty"`
	SpanID   string      `json:"span_id,omitempty"`
	Sampled  bool        `json:"sampled,omitempty"`
	// OriginTraceID and OriginSpanID are the call that answered a coalesced or
	// repeated one, or filled the store.
	OriginTraceID string `json:"origin_trace_id,omitempty"`
	OriginSpanID  string `json:"origin_span_id,omitempty"`
}

// A Filter selects recent calls. Fields left zero do not.
type Filter struct {
	Tool       string
	Outcome    string
	ErrorType  string
	ErrorGroup string
	Session    string
	// Policy selects calls of which a policy told a fact: its key, or key=value.
	Policy      string
	ErrorsOnly  bool
	MinDuration time.Duration
	// Before selects calls with a smaller ID, and After those with a larger one.
	Before, After uint64
	// Limit is how many calls are returned at most, the latest.
	Limit int
}

// SessionStats is one session of an agent. Sessions are kept by when they were last
// seen.
type SessionStats struct {
	Session   string    `json:"session"` // redacted, at most 128 bytes
	Tenant    string    `json:"tenant,omitempty"`
	Agent     string    `json:"agent,omitempty"`
	FirstSeen time.Time `json:"first_seen"`
	LastSeen  time.Time `json:"last_seen"`
	Calls     uint64    `json:"calls"`
	Executed  uint64    `json:"executed"`
	Refused   uint64    `json:"refused,omitempty"`
	// Answered is how many calls were answered without running.
	Answered uint64 `json:"answered,omitempty"`
	Errors   uint64 `json:"errors"`
	// Looped is how many calls the session had made before.
	Looped uint64 `json:"looped,omitempty"`
	// Streak is how many calls in a row have failed until now.
	Streak      uint64 `json:"error_streak,omitempty"`
	WorstStreak uint64 `json:"worst_error_streak,omitempty"`
	// Turns is the number of the model's last turn; 0 if nobody counts.
	Turns        uint64  `json:"turns,omitempty"`
	CallsPerTurn float64 `json:"calls_per_turn,omitempty"`
	RunMs        float64 `json:"run_ms"`
	WaitMs       float64 `json:"wait_ms,omitempty"`
	BytesIn      uint64  `json:"bytes_in"`
	BytesOut     uint64  `json:"bytes_out"`
	Cost         float64 `json:"cost,omitempty"`
}

// A Loop is a call that a session makes over and over.
type Loop struct {
	Session string `json:"session"`
	Tool    string `json:"tool"`
	// Times is how often the session has made the call, the first time included.
	Times uint64 `json:"times"`
	// Stopped is how often a policy ended it as loop_detected.
	Stopped   uint64    `json:"stopped,omitempty"`
	FirstSeen time.Time `json:"first_seen"` // of the first repetition
	LastSeen  time.Time `json:"last_seen"`
	TraceID   string    `json:"trace_id,omitempty"` // of the latest sampled one, whose span has the arguments
}

// Health answers why an agent is slow, stuck or expensive.
type Health struct {
	Sessions        int     `json:"sessions"`
	EvictedSessions uint64  `json:"evicted_sessions"`
	CallsPerSession float64 `json:"calls_per_session"`
	CallsPerTurn    float64 `json:"calls_per_turn"`
	CostPerSession  float64 `json:"cost_per_session"`
	// Loops are the worst, Streaks the tools that keep failing, worst first.
	Loops   []Loop   `json:"loops"`
	Streaks []Streak `json:"streaks"`
	// Unused are registered tools without a call; nil unless [Options].Registered or
	// [Recorder.Register] told of any.
	Unused []string `json:"unused"`
	// TimeShare is each tool's part of all time spent inside tools.
	TimeShare []Share `json:"time_share"`
}

// A Streak is a row of failed calls.
type Streak struct {
	Tool   string `json:"tool"`
	Streak uint64 `json:"error_streak"` // until now
	Worst  uint64 `json:"worst_error_streak"`
}

// A Share is a tool's part of all time spent inside tools.
type Share struct {
	Tool    string  `json:"tool"`
	TotalMs float64 `json:"total_ms"`
	Share   float64 `json:"share"`
}

// Limits are the bounds of what a recorder keeps, what it holds now, and what was
// given up for them.
type Limits struct {
	Tools           int    `json:"tools"`
	MaxTools        int    `json:"max_tools"`
	ErrorGroups     int    `json:"error_groups"`
	MaxErrorGroups  int    `json:"max_error_groups"`
	EvictedGroups   uint64 `json:"evicted_error_groups"`
	Sessions        int    `json:"sessions"`
	MaxSessions     int    `json:"max_sessions"`
	EvictedSessions uint64 `json:"evicted_sessions"`
	Loops           int    `json:"loops"`
	MaxLoops        int    `json:"max_loops"`
	MaxRecent       int    `json:"max_recent"`
	DroppedRecent   uint64 `json:"dropped_recent"`
	// Intervals kept, and what they hold.
	Intervals        int   `json:"intervals"`
	IntervalBytes    int64 `json:"interval_bytes"`
	MaxIntervalBytes int64 `json:"max_interval_bytes"`
	// Bytes is about what is held now; MaxBytes what can be held at most,
	// whatever the traffic does.
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"max_bytes"`
}

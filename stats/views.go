// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "time"

// An ErrorGroup is errors that differ only in numbers, ids, paths, quoted text,
// times and addresses.
type ErrorGroup struct {
	// ID is the same for the same error in every process: 16 hexadecimal digits.
	ID   string `json:"id"`
	Tool string `json:"tool"`       // name of the tool
	Type string `json:"error_type"` // the error.type
	// Message is the redacted text with kinds in place of what differs, at most
	// 200 bytes.
	Message string `json:"message"`
	Example string `json:"example,omitempty"` // one redacted text, at most 1 KiB
	// Count is how often the error was counted. Groups are bounded; the true
	// number is at least Count and at most CountMax.
	Count    uint64 `json:"count"`
	CountMax uint64 `json:"count_max"` // most times that the error can have occurred
	// Trend is Count split into twelve equal parts of the span, the oldest first.
	Trend     []uint64  `json:"trend,omitempty"`
	FirstSeen time.Time `json:"first_seen"` // when the error occurred first
	LastSeen  time.Time `json:"last_seen"`  // when the error occurred last
	// TraceIDs are of sampled calls, at most five, the latest first.
	TraceIDs []string `json:"trace_ids,omitempty"`
}

// A RecentCall is a call that ended a short while ago, without any of its content.
type RecentCall struct {
	// ID counts calls from 1 in the order in which they ended.
	ID         uint64    `json:"id"`
	Time       time.Time `json:"time"`                  // when the call began
	Tool       string    `json:"tool"`                  // name of the tool
	Outcome    string    `json:"outcome"`               // executed, cache_hit, coalesced, repeated or refused
	Ending     string    `json:"ending"`                // returned, panicked, goexit or abandoned
	ErrorType  string    `json:"error_type,omitempty"`  // error.type of a failed or refused call
	Error      string    `json:"error,omitempty"`       // redacted text of the error, at most 1 KiB
	ErrorGroup string    `json:"error_group,omitempty"` // id of the error group
	Suspended  bool      `json:"suspended,omitempty"`   // whether the call was interrupted or waits for input
	// DurationMs is from start to end, waits included.
	DurationMs float64 `json:"duration_ms"`
	RunMs      float64 `json:"run_ms,omitempty"`      // time inside the tool
	QueueMs    float64 `json:"queue_ms,omitempty"`    // wait in queues
	ApprovalMs float64 `json:"approval_ms,omitempty"` // wait for an approval
	BackoffMs  float64 `json:"backoff_ms,omitempty"`  // wait between attempts
	AgeMs      float64 `json:"age_ms,omitempty"`      // age of a stored answer
	Attempts   uint16  `json:"attempts,omitempty"`    // number of attempts, under a retry policy
	Repeat     uint16  `json:"repeat,omitempty"`      // how often the session made this call before
	BytesIn    int     `json:"bytes_in"`              // size of the arguments in bytes
	BytesOut   int     `json:"bytes_out"`             // size of the result in bytes; -1 if it is not known
	// Policies are the tags of policies, in the order recorded.
	Policies []PolicyTag `json:"policies,omitempty"`
	Session  string      `json:"session,omitempty"`  // session id
	Agent    string      `json:"agent,omitempty"`    // name of the agent
	Turn     int         `json:"turn,omitempty"`     // number of the model's turn
	TraceID  string      `json:"trace_id,omitempty"` // trace id, 32 hexadecimal digits
	SpanID   string      `json:"span_id,omitempty"`  // span id, 16 hexadecimal digits
	Sampled  bool        `json:"sampled,omitempty"`  // whether the span was sampled
	// OriginTraceID is the trace id of the call that answered a coalesced or
	// repeated one, or filled the store.
	OriginTraceID string `json:"origin_trace_id,omitempty"`
	OriginSpanID  string `json:"origin_span_id,omitempty"` // span id of the call of origin_trace_id
}

// A Filter selects recent calls. Fields left zero do not.
type Filter struct {
	Tool       string
	Outcome    string
	ErrorType  string
	ErrorGroup string
	Session    string
	// Policy selects calls with a tag of a policy: its key, or key=value.
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
	Session   string    `json:"session"`           // redacted session id, at most 128 bytes
	Tenant    string    `json:"tenant,omitempty"`  // tenant of the session
	Agent     string    `json:"agent,omitempty"`   // name of the agent
	FirstSeen time.Time `json:"first_seen"`        // when the first call was seen
	LastSeen  time.Time `json:"last_seen"`         // when the latest call was seen
	Calls     uint64    `json:"calls"`             // number of calls that ended
	Executed  uint64    `json:"executed"`          // calls that ran
	Refused   uint64    `json:"refused,omitempty"` // calls that a policy refused
	// Answered is how many calls were answered without running.
	Answered uint64 `json:"answered,omitempty"`
	Errors   uint64 `json:"errors"` // calls with an error.type, refused ones included
	// Looped is how many calls the session had made before.
	Looped uint64 `json:"looped,omitempty"`
	// Streak is how many calls in a row have failed until now.
	Streak      uint64 `json:"error_streak,omitempty"`
	WorstStreak uint64 `json:"worst_error_streak,omitempty"` // longest row of failed calls
	// Turns is the number of the model's last turn; 0 if turns are not counted.
	Turns        uint64  `json:"turns,omitempty"`
	CallsPerTurn float64 `json:"calls_per_turn,omitempty"` // mean number of calls in a turn
	RunMs        float64 `json:"run_ms"`                   // time inside tools
	WaitMs       float64 `json:"wait_ms,omitempty"`        // time in queues, approvals and backoff
	BytesIn      uint64  `json:"bytes_in"`                 // size of all arguments in bytes
	BytesOut     uint64  `json:"bytes_out"`                // size of all results in bytes, where known
	Cost         float64 `json:"cost,omitempty"`           // sum of the tools' declared cost
}

// A Loop is a call that a session makes over and over.
type Loop struct {
	Session string `json:"session"` // session id
	Tool    string `json:"tool"`    // name of the tool
	// Times is how often the session has made the call, the first time included.
	Times uint64 `json:"times"`
	// Stopped is how often a policy ended it as loop_detected.
	Stopped   uint64    `json:"stopped,omitempty"`
	FirstSeen time.Time `json:"first_seen"`         // when the first repetition was seen
	LastSeen  time.Time `json:"last_seen"`          // when the latest repetition was seen
	TraceID   string    `json:"trace_id,omitempty"` // trace id of the latest sampled call, whose span has the arguments
}

// Health answers why an agent is slow, stuck or expensive.
type Health struct {
	Sessions        int     `json:"sessions"`          // number of sessions held
	EvictedSessions uint64  `json:"evicted_sessions"`  // sessions removed to make room for others
	CallsPerSession float64 `json:"calls_per_session"` // mean number of calls in a session
	CallsPerTurn    float64 `json:"calls_per_turn"`    // mean number of calls in a turn
	CostPerSession  float64 `json:"cost_per_session"`  // mean cost of a session
	// Loops are the most frequent repeated calls.
	Loops   []Loop   `json:"loops"`
	Streaks []Streak `json:"streaks"` // tools whose latest calls all failed, the longest row first
	// Unused are registered tools without a call; nil unless [Options].Registered or
	// [Recorder.Register] registered any.
	Unused []string `json:"unused"`
	// TimeShare is each tool's part of all time spent inside tools.
	TimeShare []Share `json:"time_share"`
}

// A Streak is a row of failed calls.
type Streak struct {
	Tool   string `json:"tool"`               // name of the tool
	Streak uint64 `json:"error_streak"`       // calls in a row that failed until now
	Worst  uint64 `json:"worst_error_streak"` // longest row of failed calls
}

// A Share is a tool's part of all time spent inside tools.
type Share struct {
	Tool    string  `json:"tool"`     // name of the tool
	TotalMs float64 `json:"total_ms"` // time spent inside the tool
	Share   float64 `json:"share"`    // part of the time spent in all tools, 0 to 1
}

// Limits are the bounds of what a recorder keeps, what it holds now, and what was
// given up for them.
type Limits struct {
	Tools           int    `json:"tools"`                // number of tools held
	MaxTools        int    `json:"max_tools"`            // most tools held
	ErrorGroups     int    `json:"error_groups"`         // number of error groups held
	MaxErrorGroups  int    `json:"max_error_groups"`     // most error groups held
	EvictedGroups   uint64 `json:"evicted_error_groups"` // error groups removed to make room for others
	Sessions        int    `json:"sessions"`             // number of sessions held
	MaxSessions     int    `json:"max_sessions"`         // most sessions held
	EvictedSessions uint64 `json:"evicted_sessions"`     // sessions removed to make room for others
	Loops           int    `json:"loops"`                // number of repeated calls held
	MaxLoops        int    `json:"max_loops"`            // most repeated calls held
	MaxRecent       int    `json:"max_recent"`           // most recent calls held
	DroppedRecent   uint64 `json:"dropped_recent"`       // recent calls dropped under load
	// Intervals is the number of intervals kept.
	Intervals        int   `json:"intervals"`
	IntervalBytes    int64 `json:"interval_bytes"`     // memory of the intervals, in bytes
	MaxIntervalBytes int64 `json:"max_interval_bytes"` // most memory of the intervals, in bytes
	// Bytes is about the memory that the recorder holds now, in bytes.
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"max_bytes"` // most memory that the recorder can hold, in bytes
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "time"

// A Summary is what a [Snapshot] says, in the units people read. Members that
// belong to a policy that is not used are left out of its JSON form.
type Summary struct {
	Window    string    `json:"window"`    // name of the window, such as 5m
	From      time.Time `json:"from"`      // beginning of the span really covered
	To        time.Time `json:"to"`        // end of the span covered
	Seconds   float64   `json:"seconds"`   // length of the span covered, in seconds
	Processes int       `json:"processes"` // number of recorders merged into the summary
	// Overall is all tools together; its name is "".
	Overall ToolStats `json:"overall"`
	// Tools are sorted by the time spent in them, the most first.
	Tools []ToolStats `json:"tools"`
	// Errors are the error groups, most frequent first.
	Errors      []ErrorGroup `json:"errors"`
	OtherErrors uint64       `json:"other_errors"` // errors that belong to no group listed
	MaxUnlisted uint64       `json:"max_unlisted"` // most times that an error not listed can have occurred
}

// Latency is the shape of a histogram. Its times are in milliseconds, and 0 if
// there are no values.
type Latency struct {
	MeanMs float64 `json:"mean_ms"` // mean
	MinMs  float64 `json:"min_ms"`  // shortest
	P50Ms  float64 `json:"p50_ms"`  // 50th percentile (median)
	P90Ms  float64 `json:"p90_ms"`  // 90th percentile
	P95Ms  float64 `json:"p95_ms"`  // 95th percentile
	P99Ms  float64 `json:"p99_ms"`  // 99th percentile
	P999Ms float64 `json:"p999_ms"` // 99.9th percentile
	MaxMs  float64 `json:"max_ms"`  // longest
}

// ToolStats is what is known of one tool in a span of time.
type ToolStats struct {
	Tool  string `json:"tool"`  // name of the tool; empty for all tools together
	Calls uint64 `json:"calls"` // number of calls that ended
	// CallsPerSecond is the rate of calls; it is left out if there are no calls, and if the
	// span is shorter than a second.
	CallsPerSecond float64 `json:"calls_per_second,omitempty"`
	// Executed is how many calls ran.
	Executed uint64 `json:"executed"`
	Failed   uint64 `json:"failed"` // executed calls with an error.type
	// Errors is how many calls have an error.type, refused ones included.
	Errors    uint64  `json:"errors"`
	ErrorRate float64 `json:"error_rate"` // part of all calls that have an error.type, 0 to 1
	// Latency is the running time of executed calls.
	Latency
	// FailedLatency is the running time of failed calls; nil if there are none.
	FailedLatency *Latency `json:"failed_latency,omitempty"`
	// TotalMs is the time spent inside the tool.
	TotalMs   float64 `json:"total_ms"`
	TimeShare float64 `json:"time_share"` // part of the time spent in all tools, 0 to 1

	// CacheHits is how many calls a stored answer ended.
	CacheHits uint64  `json:"cache_hits,omitempty"`
	Coalesced uint64  `json:"coalesced,omitempty"` // calls that shared another call's run
	Repeated  uint64  `json:"repeated,omitempty"`  // calls answered with an earlier result of their session
	Refused   uint64  `json:"refused,omitempty"`   // calls that a policy refused
	HitRatio  float64 `json:"hit_ratio,omitempty"` // part of the calls not refused that were answered without running, 0 to 1

	// Queue is the waits in queues; nil if no call waited.
	Queue    *Wait `json:"queue,omitempty"`
	Approval *Wait `json:"approval,omitempty"` // waits for an approval
	Backoff  *Wait `json:"backoff,omitempty"`  // waits between attempts

	Counters
	Cost float64 `json:"cost,omitempty"` // sum of the tool's declared cost over all attempts

	// Policies are the calls by tag of a policy, sorted by key, the most frequent
	// value first.
	Policies []PolicyCount `json:"policies,omitempty"`

	InFlight    int64       `json:"in_flight"`                    // calls running at the end of the span
	Peak        int64       `json:"peak_in_flight"`               // most calls running at once
	Streak      uint64      `json:"error_streak,omitempty"`       // calls in a row that failed until now, refused ones included
	WorstStreak uint64      `json:"worst_error_streak,omitempty"` // longest row of failed calls in the span
	ErrorTypes  []TypeCount `json:"error_types,omitempty"`        // calls by error.type
	LastSeen    time.Time   `json:"last_seen,omitzero"`           // when the latest call ended

	// Slowest are the slowest sampled calls; nil if no call was sampled.
	Slowest []Exemplar `json:"slowest,omitempty"`
	NearP99 *Exemplar  `json:"near_p99,omitempty"` // sampled call nearest to the 99th percentile; nil if none was

	// Previous is the window before; nil if there is none, nothing is known of it, or
	// the window is shorter than a second.
	Previous *Previous `json:"previous,omitempty"`
}

// A Wait is how many calls waited, and how long.
type Wait struct {
	Count uint64 `json:"count"` // number of calls that waited
	Latency
}

// Previous is what a tool was like in the window before.
type Previous struct {
	Calls          uint64  `json:"calls"`                      // number of calls that ended
	CallsPerSecond float64 `json:"calls_per_second,omitempty"` // as in [ToolStats]
	ErrorRate      float64 `json:"error_rate"`                 // part of all calls that have an error.type, 0 to 1
	P50Ms          float64 `json:"p50_ms"`                     // 50th percentile of the running time (median)
	P95Ms          float64 `json:"p95_ms"`                     // 95th percentile of the running time
	P99Ms          float64 `json:"p99_ms"`                     // 99th percentile of the running time
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "time"

// A Summary is what a [Snapshot] says, in the units people read. Members that
// belong to a policy nobody uses are left out of its JSON form.
type Summary struct {
	Window    string    `json:"window"`
	From      time.Time `json:"from"` // the span really covered
	To        time.Time `json:"to"`
	Seconds   float64   `json:"seconds"`
	Processes int       `json:"processes"`
	// Overall is all tools together; its name is "".
	Overall ToolStats `json:"overall"`
	// Tools are sorted by the time spent in them, the most first.
	Tools []ToolStats `json:"tools"`
	// Errors are the error groups, most frequent first.
	Errors      []ErrorGroup `json:"errors"`
	OtherErrors uint64       `json:"other_errors"`
	MaxUnlisted uint64       `json:"max_unlisted"`
}

// Latency is the shape of a histogram. Its times are in milliseconds, and 0 if
// there are no values.
type Latency struct {
	MeanMs float64 `json:"mean_ms"`
	MinMs  float64 `json:"min_ms"`
	P50Ms  float64 `json:"p50_ms"`
	P90Ms  float64 `json:"p90_ms"`
	P95Ms  float64 `json:"p95_ms"`
	P99Ms  float64 `json:"p99_ms"`
	P999Ms float64 `json:"p999_ms"`
	MaxMs  float64 `json:"max_ms"`
}

// ToolStats is what is known of one tool in a span of time.
type ToolStats struct {
	Tool  string `json:"tool"`
	Calls uint64 `json:"calls"`
	// CallsPerSecond is left out if there are no calls, and if the span is shorter than
	// a second, in which there is no rate.
	CallsPerSecond float64 `json:"calls_per_second,omitempty"`
	// Executed calls ran; Failed is how many of them have an error.type.
	Executed uint64 `json:"executed"`
	Failed   uint64 `json:"failed"`
	// Errors counts calls with an error.type, refused ones included; ErrorRate is
	// their part of all calls.
	Errors    uint64  `json:"errors"`
	ErrorRate float64 `json:"error_rate"`
	// Latency is the running time of executed calls.
	Latency
	// FailedLatency is the running time of failed calls; nil if there are none.
	FailedLatency *Latency `json:"failed_latency,omitempty"`
	// TotalMs is the time spent inside the tool; TimeShare its part of all tools'.
	TotalMs   float64 `json:"total_ms"`
	TimeShare float64 `json:"time_share"`

	// Calls that ended without running. HitRatio is the part of calls answered
	// without running, of those not refused; it is left out if there are none.
	CacheHits uint64  `json:"cache_hits,omitempty"`
	Coalesced uint64  `json:"coalesced,omitempty"`
	Repeated  uint64  `json:"repeated,omitempty"`
	Refused   uint64  `json:"refused,omitempty"`
	HitRatio  float64 `json:"hit_ratio,omitempty"`

	// Waits of calls that waited; nil if none did.
	Queue    *Wait `json:"queue,omitempty"`
	Approval *Wait `json:"approval,omitempty"`
	Backoff  *Wait `json:"backoff,omitempty"`

	BytesIn     uint64  `json:"bytes_in"`
	BytesOut    uint64  `json:"bytes_out"`
	Retries     uint64  `json:"retries,omitempty"`
	Empty       uint64  `json:"empty,omitempty"`
	Suspended   uint64  `json:"suspended,omitempty"`
	Looped      uint64  `json:"looped,omitempty"`
	Redactions  uint64  `json:"redactions,omitempty"`
	Truncations uint64  `json:"truncations,omitempty"`
	Cost        float64 `json:"cost,omitempty"`

	// Policies counts the calls that policies told a fact of, sorted by key, the
	// most frequent value first.
	Policies []PolicyCount `json:"policies,omitempty"`

	InFlight    int64       `json:"in_flight"`
	Peak        int64       `json:"peak_in_flight"`
	Streak      uint64      `json:"error_streak,omitempty"`
	WorstStreak uint64      `json:"worst_error_streak,omitempty"`
	ErrorTypes  []TypeCount `json:"error_types,omitempty"`
	LastSeen    time.Time   `json:"last_seen,omitzero"`

	// Slowest are the slowest sampled calls, and NearP99 is the one nearest to
	// the 99th percentile; nil if no call was sampled.
	Slowest []Exemplar `json:"slowest,omitempty"`
	NearP99 *Exemplar  `json:"near_p99,omitempty"`

	// Previous is the window before; nil if there is none, nothing is known of it, or
	// the window is shorter than a second.
	Previous *Previous `json:"previous,omitempty"`
}

// A Wait is how many calls waited, and how long.
type Wait struct {
	Count uint64 `json:"count"`
	Latency
}

// Previous is what a tool was like in the window before.
type Previous struct {
	Calls          uint64  `json:"calls"`
	CallsPerSecond float64 `json:"calls_per_second,omitempty"` // as in [ToolStats]
	ErrorRate      float64 `json:"error_rate"`
	P50Ms          float64 `json:"p50_ms"`
	P95Ms          float64 `json:"p95_ms"`
	P99Ms          float64 `json:"p99_ms"`
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"reflect"
	"unsafe"

	"github.com/toolscope/toolscope/toolkit"
)

// Counters and Histograms are the table of columns: what is counted of a tool. A column is a field.
// Its name, its JSON name and its comment are what readers see, in Go, in JSON and in the OpenAPI
// document; metric and help are its Prometheus counter. Recording, reset, stored form, merge,
// subtraction, summary and metrics go over all fields. So a new column takes two places: its field,
// at the end, and the line that counts it.

// Counters are the figures of a tool that are added up. All fields are uint64.
type Counters struct {
	// size of all arguments in bytes
	BytesIn uint64 `json:"bytes_in" metric:"arguments_bytes_total" help:"Size of arguments."`
	// size of all results in bytes, where known
	BytesOut uint64 `json:"bytes_out" metric:"results_bytes_total" help:"Size of results, where known."`
	// attempts beyond each call's first
	Retries uint64 `json:"retries,omitempty" metric:"retries_total" help:"Attempts beyond each call's first."`
	// calls executed without error that returned 0 bytes
	Empty uint64 `json:"empty,omitempty" metric:"empty_results_total" help:"Calls that ran without error and gave nothing."`
	// calls interrupted, or waiting for input
	Suspended uint64 `json:"suspended,omitempty"`
	// calls that their session had made before
	Looped uint64 `json:"looped,omitempty" metric:"repeats_total" help:"Calls that their session had made before."`
	// values redacted in arguments and results, as reported to [Recorder.AddContent]
	Redactions uint64 `json:"redactions,omitempty" metric:"redactions_total" help:"Secrets removed from content."`
	// texts truncated in arguments and results, as reported to [Recorder.AddContent]
	Truncations uint64 `json:"truncations,omitempty" metric:"truncations_total" help:"Texts cut in content."`
}

// Histograms are the histograms of a tool. Those without values are nil, which is an empty one. The
// JSON name of an outcome's is the outcome with _ns; wait names the Prometheus counters of waits.
type Histograms struct {
	// Executed is the running time of calls that ran, whatever came of it: the population of the
	// percentiles. It alone has the recorder's precision; the other histograms have two digits.
	Executed *Histogram `json:"executed_ns,omitzero"`
	// Failed is the running time of those executed calls that have an error.type.
	Failed *Histogram `json:"failed_ns,omitzero"`
	// CacheHit is the duration of calls that a stored answer ended, as the agent saw it.
	CacheHit  *Histogram `json:"cache_hit_ns,omitzero"`
	Coalesced *Histogram `json:"coalesced_ns,omitzero"` // duration of calls that shared another call's run
	Repeated  *Histogram `json:"repeated_ns,omitzero"`  // duration of calls answered with an earlier result of their session
	Refused   *Histogram `json:"refused_ns,omitzero"`   // duration of calls that a policy refused
	// Queue is the waits of calls that waited in queues, whatever their outcome.
	Queue    *Histogram `json:"queue_ns,omitzero" wait:"queue"`
	Approval *Histogram `json:"approval_ns,omitzero" wait:"approval"` // wait for an approval
	Backoff  *Histogram `json:"backoff_ns,omitzero" wait:"backoff"`   // wait between attempts
}

// How many columns there are.
const (
	counterColumns   = unsafe.Sizeof(Counters{}) / unsafe.Sizeof(uint64(0))
	histogramColumns = unsafe.Sizeof(Histograms{}) / unsafe.Sizeof((*Histogram)(nil))
)

// The columns that are recorded by number.
const (
	columnFailed   = int(unsafe.Offsetof(Histograms{}.Failed) / unsafe.Sizeof((*Histogram)(nil)))
	columnQueue    = int(unsafe.Offsetof(Histograms{}.Queue) / unsafe.Sizeof((*Histogram)(nil)))
	columnApproval = int(unsafe.Offsetof(Histograms{}.Approval) / unsafe.Sizeof((*Histogram)(nil)))
	columnBackoff  = int(unsafe.Offsetof(Histograms{}.Backoff) / unsafe.Sizeof((*Histogram)(nil)))
)

// columns are the fields in their order: a struct of fields of one type has the memory of an array.
func (c *Counters) columns() *[counterColumns]uint64 {
	return (*[counterColumns]uint64)(unsafe.Pointer(c))
}

func (h *Histograms) columns() *[histogramColumns]*Histogram {
	return (*[histogramColumns]*Histogram)(unsafe.Pointer(h))
}

// outcomeColumns are the columns of outcomes, in their order. An outcome without one stops the
// program when it starts: it would be counted as another.
var outcomeColumns = func() (columns [toolkit.OutcomeCount]int) {
	fields := make(map[string]int)
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Histograms]()) {
		fields[f.Tag.Get("json")] = i
	}
	for o := range columns {
		name := toolkit.Outcome(o).String()
		i, ok := fields[name+"_ns,omitzero"]
		if !ok {
			panic("stats: Histograms: got no field for the outcome " + name + ", want one with the JSON name " + name + "_ns")
		}
		columns[o] = i
	}
	return columns
}()

// Outcome is the histogram of the calls with an outcome: of their running times if they were
// executed, else of their durations. It is nil if there are none, or if o is none of the constants.
func (h *Histograms) Outcome(o toolkit.Outcome) *Histogram {
	if int(o) >= toolkit.OutcomeCount {
		return nil
	}
	return h.columns()[outcomeColumns[o]]
}

// SetOutcome sets the histogram of an outcome, which must be one of the constants.
func (h *Histograms) SetOutcome(o toolkit.Outcome, to *Histogram) {
	h.columns()[outcomeColumns[o]] = to
}

// Calls is how many calls ended.
func (h *Histograms) Calls() uint64 {
	n := uint64(0)
	for _, column := range outcomeColumns {
		n += h.columns()[column].Count()
	}
	return n
}

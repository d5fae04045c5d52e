// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"slices"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// kept is what is kept of a trace.
type kept struct {
	id      trace.TraceID
	spans   []sdktrace.ReadOnlySpan // in the order in which they ended; never written to again
	bytes   int
	dropped int
	seen    uint64 // how many spans the ring had seen with its last one
	failed  bool   // whether the status of one of them was an error

	// Of a held trace, whether spans were left out, and which spans are those above the ones it has.
	partial bool
	above   map[trace.SpanID]bool
}

func (k *kept) addSpan(s sdktrace.ReadOnlySpan, bytes int) {
	k.spans = append(k.spans, s)
	k.bytes += bytes
}

// removeIf removes spans and returns how many, and their bytes.
func (k *kept) removeIf(match func(sdktrace.ReadOnlySpan) bool) (removed, bytes int) {
	k.spans = slices.DeleteFunc(k.spans, func(s sdktrace.ReadOnlySpan) bool {
		if !match(s) {
			return false
		}
		removed++
		bytes += size(s)
		return true
	})
	k.bytes -= bytes
	return removed, bytes
}

// snapshot copies what the ring may change; the spans themselves never change.
func (k *kept) snapshot() kept {
	c := *k
	c.spans = slices.Clone(k.spans)
	return c
}

func (k *kept) trace() Trace {
	slices.SortStableFunc(k.spans, func(a, b sdktrace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	return Trace{ID: k.id.String(), Dropped: k.dropped, Spans: k.spans}
}

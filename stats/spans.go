// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "time"

// A TraceSource finds the spans of a trace, for the waterfall of a recent call: the
// in-process ring of package exporters is one. It must be safe for concurrent
// use, must not block, and gives only what has been redacted.
//
// A source that drops traces may have a method
//
//	KeepExamplesOf(interface{ ExampleSpans() []toolkit.SpanRef })
//
// [Recorder.KeepExamplesIn] calls it; the argument can be compared. The source then keeps these spans longer.
type TraceSource interface {
	// Trace returns the spans of the trace with the id, 32 hexadecimal digits, in
	// any order; false if it has none.
	Trace(id string) ([]SpanView, bool)
}

// A SpanView is a span as the dashboard shows it, and as a call's JSON has it.
type SpanView struct {
	SpanID   string    `json:"span_id"`                  // span id, 16 hexadecimal digits
	ParentID string    `json:"parent_span_id,omitempty"` // id of the parent span; left out for a root
	Name     string    `json:"name"`                     // name of the span
	Start    time.Time `json:"start"`                    // when the span began
	End      time.Time `json:"end,omitzero"`             // when the span ended; left out for one that has not
	Failed   bool      `json:"failed,omitempty"`         // whether the span's status is an error
	// Attributes are those of the span, in its order.
	Attributes []SpanAttribute `json:"attributes,omitempty"`
}

// A SpanAttribute is a redacted attribute of a span, as text.
type SpanAttribute struct {
	Key   string `json:"key"`   // attribute key
	Value string `json:"value"` // attribute value as text
}

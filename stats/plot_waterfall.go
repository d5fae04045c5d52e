// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"time"
)

// A TraceSource finds the spans of a trace, for the waterfall of a recent call: the
// in-process ring of package exporters is one. It must be safe for concurrent
// use, must not block, and gives only what has been redacted.
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

// The bounds of a waterfall. A trace may be of any size.
const (
	maxSpans     = 5000 // looked at
	maxWaterfall = 200  // shown
	maxDepth     = 8    // of indentation
)

// waterRow is a span's line in a waterfall.
type waterRow struct {
	SpanView
	Depth    int // 0 for a root, at most maxDepth
	Duration time.Duration
	Bar      template.HTML
	Here     bool // the span of the call that was asked for
}

// waterfall arranges spans as a tree, children by their start, with the span
// here marked. A span whose parent is not among them is a root, so is one of a ring.
// It reports how many spans were left out beyond the bound.
func waterfall(spans []SpanView, here string) (rows []waterRow, left int) {
	whole := len(spans)
	if whole == 0 {
		return nil, 0
	}
	spans = spans[:min(whole, maxSpans)]
	known := make(map[string]bool, len(spans))
	from, to := spans[0].Start, spans[0].Start
	for _, s := range spans {
		known[s.SpanID] = true
		if s.Start.Before(from) {
			from = s.Start
		}
		for _, t := range []time.Time{s.Start, s.End} {
			if t.After(to) {
				to = t
			}
		}
	}
	children := make(map[string][]SpanView, len(spans))
	for _, s := range spans {
		parent := s.ParentID
		if !known[parent] || parent == s.SpanID {
			parent = ""
		}
		children[parent] = append(children[parent], s)
	}
	for _, c := range children {
		slices.SortStableFunc(c, func(a, b SpanView) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.SpanID, b.SpanID)) })
	}
	var add func(parent string, depth int)
	add = func(parent string, depth int) {
		family := children[parent]
		delete(children, parent) // each once, whatever the ids say
		for _, s := range family {
			if len(rows) < maxWaterfall {
				rows = append(rows, waterRow{SpanView: s, Depth: min(depth, maxDepth), Duration: s.length(to), Bar: spanBar(s, from, to), Here: s.SpanID == here})
			}
			if s.SpanID != "" {
				add(s.SpanID, min(depth+1, maxDepth))
			}
		}
	}
	add("", 0)
	for _, parent := range slices.Sorted(maps.Keys(children)) { // rings: begin anywhere
		add(parent, 0)
	}
	return rows, whole - len(rows)
}

// length is how long the span took, or has been taking at the latest time known.
func (s *SpanView) length(latest time.Time) time.Duration {
	if s.End.IsZero() {
		return max(0, latest.Sub(s.Start))
	}
	return max(0, s.End.Sub(s.Start))
}

func spanBar(s SpanView, from, to time.Time) template.HTML {
	const width, height = 1000, 12
	whole := max(1, float64(to.Sub(from)))
	x := float64(s.Start.Sub(from)) / whole * width
	w := max(4, float64(s.length(to))/whole*width)
	x = min(x, width-w)
	class := "span"
	if s.Failed {
		class = "span bad"
	}
	p := newSVG("bar", width, height, true, "")
	p.rect(class, x, 1, w, height-2)
	return p.html()
}

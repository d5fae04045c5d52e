// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package plot

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"time"

	"github.com/toolscope/toolscope/stats"
)

// The bounds of a waterfall. A trace may be of any size.
const (
	MaxSpans     = 5000 // looked at
	maxWaterfall = 200  // shown
	maxDepth     = 8    // of indentation
)

// Row is a span's line in a waterfall.
type Row struct {
	stats.SpanView
	Depth    int // 0 for a root, at most maxDepth
	Duration time.Duration
	Bar      template.HTML
	Here     bool // the span of the call that was asked for
}

// waterfall arranges spans as a tree, children by their start, with the span
// here marked. A span whose parent is not among them is a root, so is one of a ring.
// It reports how many spans were left out beyond the bound.
func Waterfall(spans []stats.SpanView, here string) (rows []Row, left int) {
	whole := len(spans)
	if whole == 0 {
		return nil, 0
	}
	spans = spans[:min(whole, MaxSpans)]
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
	children := make(map[string][]stats.SpanView, len(spans))
	for _, s := range spans {
		parent := s.ParentID
		if !known[parent] || parent == s.SpanID {
			parent = ""
		}
		children[parent] = append(children[parent], s)
	}
	for _, c := range children {
		slices.SortStableFunc(c, func(a, b stats.SpanView) int {
			return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.SpanID, b.SpanID))
		})
	}
	var add func(parent string, depth int)
	add = func(parent string, depth int) {
		family := children[parent]
		delete(children, parent) // each once, whatever the ids say
		for _, s := range family {
			if len(rows) < maxWaterfall {
				rows = append(rows, Row{
					SpanView: s, Depth: min(depth, maxDepth), Duration: length(&s, to),
					Bar: spanBar(s, from, to), Here: s.SpanID == here,
				})
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
func length(s *stats.SpanView, latest time.Time) time.Duration {
	if s.End.IsZero() {
		return max(0, latest.Sub(s.Start))
	}
	return max(0, s.End.Sub(s.Start))
}

func spanBar(s stats.SpanView, from, to time.Time) template.HTML {
	const width, height = 1000, 12
	whole := max(1, float64(to.Sub(from)))
	x := float64(s.Start.Sub(from)) / whole * width
	w := max(4, float64(length(&s, to))/whole*width)
	x = min(x, width-w)
	class := "span"
	if s.Failed {
		class = "span bad"
	}
	p := newSVG("bar", width, height, true, "")
	p.rect(class, x, 1, w, height-2)
	return p.html()
}

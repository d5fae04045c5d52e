// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"sort"

	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// A span is a piece of a text to replace. Its place is relative to the text it was
// found in, and is translated whenever that text was decoded from another.
type span struct {
	start, end int
	Kind       kinds.ID
	quote      uint8  // 0: within a string. n: a whole JSON value, n strings deep
	drop       bool   // replaced by nothing
	repl       string // "" is the mark of the kind
	Path       string
	Reason     Reason
}

// normalise sorts the spans from base on and joins those that overlap; the longer one
// gives the kind.
func (sc *Scanner) normalise(base int) {
	list := sc.Spans[base:]
	sorted := true
	for i := 1; i < len(list); i++ {
		if list[i].start < list[i-1].end {
			sorted = false
			break
		}
	}
	if sorted {
		return
	}
	sortSpans(list)
	n := 0
	for i := 1; i < len(list); i++ {
		if list[i].start >= list[n].end {
			n++
			list[n] = list[i]
			continue
		}
		list[n] = join(list[n], list[i])
	}
	sc.Spans = sc.Spans[:base+n+1]
}

// join is the span over both, which overlap.
func join(a, b span) span {
	j, other := a, b
	if b.quote > 0 && a.quote == 0 || (b.quote > 0) == (a.quote > 0) && b.end-b.start > a.end-a.start {
		j, other = b, a
	}
	if other.start < j.start || other.end > j.end {
		j.repl = "" // neither value any more
	}
	j.start, j.end = min(a.start, b.start), max(a.end, b.end)
	return j
}

// byStart sorts spans by where they start. The generic sort of the library would make programs larger.
type byStart []span

func (l byStart) Len() int           { return len(l) }
func (l byStart) Less(i, j int) bool { return l[i].start < l[j].start }
func (l byStart) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// sortSpans sorts by start.
func sortSpans(list []span) {
	sort.Stable(byStart(list))
}

// translate moves spans, which are in order, from a decoded text to the text s it was decoded
// from, and offset further.
func translate(c codec.Codec, s string, list []span, offset int) {
	t := c.Translator(s)
	for i := range list {
		list[i].start = t.Place(list[i].start, false) + offset
		list[i].end = t.Place(list[i].end, true) + offset
	}
}

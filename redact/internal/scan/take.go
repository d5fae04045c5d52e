// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"slices"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/anchors"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
)

// takeSpan appends a span unless it is to be kept, and returns where to go on: its end, or
// 0 if it was not taken.
func (sc *Scanner) takeSpan(s string, start, stop int, kind kinds.ID) int {
	start = max(start, sc.settled)
	if start < stop {
		stop = wholeBlock(s, start, stop)
	}
	if start >= stop || marks.IsMark(s[start:stop]) || !sc.e.On.Has(kind) {
		return 0
	}
	if sc.quick {
		sc.suspect = true
		return len(s)
	}
	if len(sc.e.KindRules) > 0 && sc.staysHere(kind) {
		return 0
	}
	sp := span{start: start, end: stop, Kind: kind, Reason: sc.reason}
	if !sc.decide(&sp, s[start:stop]) {
		return 0
	}
	sc.pay(costOfSpan)
	if n := len(sc.Spans); n == cap(sc.Spans) { // twice as many at least: append copies large lists more often
		sc.Spans = slices.Grow(sc.Spans, max(n, 4))
	}
	sc.Spans = append(sc.Spans, sp)
	sc.settled = stop
	return stop
}

// mark makes a span of the value of a name.
func (sc *Scanner) takeNamed(s string, start, stop int, kind kinds.ID) int {
	if special, ok := sc.formAt(s, start, stop); ok {
		kind = special
	}
	return sc.takeSpan(s, start, stop, kind)
}

// formAt says what kind of token the value [start,stop) is as a whole, for a better
// name of what was removed.
func (sc *Scanner) formAt(s string, start, stop int) (kinds.ID, bool) {
	if stop-start < 3 || sc.quick {
		return 0, false
	}
	m := sc.m
	head := chars.Fold8(chars.Word8(s, start))
	list := m.List(m.Group(s, start), s, start)
	for k := range list {
		e := &list[k]
		if e.Act != anchors.ActDetector || !e.MayBegin(head) || !e.Begins(s, start, head) {
			continue
		}
		if a, b, ok := m.detectors[e.N].Match(s, start, start+len(e.Lit)); ok && a <= start && b >= stop {
			return m.detectors[e.N].Kind, true
		}
	}
	return 0, false
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"sync"

	"github.com/toolscope/toolscope/redact/internal/names"
)

var scanners = sync.Pool{New: func() any { return &Scanner{words: new(names.Classifier), names: new(knownNames)} }}

// NewScanner is a scanner for a text of size bytes. [Scanner.Release] gives it back.
func NewScanner(e *Engine, size int) *Scanner {
	sc := scanners.Get().(*Scanner)
	sc.e, sc.m = e, e.Machine
	sc.leads = anyLead
	sc.start(e.Limits.Work, size)
	return sc
}

// maxKept is how many spans and frames are kept for the next redaction: what they point to is
// let go, which takes time for each.
const maxKept = 64

// Release gives the scanner back. It must not be used after that.
func (sc *Scanner) Release() {
	if cap(sc.buf) > 1<<20 {
		sc.buf = nil
	}
	sc.Spans = emptied(sc.Spans, func(sp *span) bool { return sp.end > 0 })
	sc.frames = emptied(sc.frames, func(f *frame) bool { return f.src != "" })
	sc.e, sc.m, sc.buf, sc.lastPlace, sc.raw = nil, nil, sc.buf[:0], "", sc.raw[:0]
	sc.work, sc.budget, sc.Steps, sc.places = 0, budget{}, 0, 0
	sc.quick, sc.suspect, sc.Unsettled, sc.placed = false, false, false, false
	sc.progress, sc.program, sc.key, sc.reason = progress{}, 0, names.Verdict{}, Reason{}
	scanners.Put(sc)
}

// emptied is the memory of list with nothing in it, or none if it is large. used tells of an element whether it
// was: those that were are the first ones.
func emptied[T any](list []T, used func(*T) bool) []T {
	if cap(list) > maxKept {
		return nil
	}
	list = list[:cap(list)]
	n := 0
	for n < len(list) && used(&list[n]) {
		n++
	}
	clear(list[:n])
	return list[:0]
}

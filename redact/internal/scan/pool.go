// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"sync"

	"github.com/toolscope/toolscope/redact/internal/names"
)

var scanners = sync.Pool{New: func() any { return &Scanner{words: new(names.Classifier), names: new(knownNames)} }}

// atLeast is what a text of any size may spend.
const atLeast = 1 << 15

// NewScanner is a scanner for a text of size bytes. [Scanner.Release] gives it back.
func NewScanner(e *Engine, size int) *Scanner {
	sc := scanners.Get().(*Scanner)
	sc.e, sc.m = e, e.Machine
	sc.work = atLeast + e.Limits.Work*size
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
	sc.Spans, sc.frames = emptied(sc.Spans), emptied(sc.frames)
	sc.e, sc.m, sc.buf, sc.lastPlace, sc.raw = nil, nil, sc.buf[:0], "", sc.raw[:0]
	sc.work, sc.Steps, sc.places = 0, 0, 0
	sc.quick, sc.suspect, sc.Unsettled, sc.placed = false, false, false, false
	sc.progress, sc.program, sc.key, sc.reason = progress{}, 0, names.Verdict{}, Reason{}
	scanners.Put(sc)
}

// emptied is the memory of list with nothing in it, or none if it is large.
func emptied[T any](list []T) []T {
	if cap(list) > maxKept {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}

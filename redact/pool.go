// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "sync"

var scanners = sync.Pool{New: func() any { return &scanner{words: new(classifier), names: new(knownNames)} }}

func newScanner(e *engine, size int) *scanner {
	sc := scanners.Get().(*scanner)
	sc.e, sc.m = e, e.machine
	sc.work = 1<<16 + e.limits.work*size
	return sc
}

// maxKept is how many spans and frames are kept for the next redaction: what they point to is
// let go, which takes time for each.
const maxKept = 64

func (sc *scanner) release() {
	if cap(sc.buf) > 1<<20 {
		sc.buf = nil
	}
	sc.spans, sc.frames = emptied(sc.spans), emptied(sc.frames)
	sc.e, sc.m, sc.buf, sc.lastPlace, sc.raw = nil, nil, sc.buf[:0], "", sc.raw[:0]
	sc.work, sc.steps, sc.places = 0, 0, 0
	sc.quick, sc.suspect, sc.unsettled, sc.placed = false, false, false, false
	sc.settled, sc.named, sc.counted, sc.program, sc.read, sc.key = 0, 0, 0, 0, 0, verdict{}
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

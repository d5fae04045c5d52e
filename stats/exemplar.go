// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

const (
	maxSlowest = 5
	// exemplarPause is how long the latest call of a doubling stays before another
	// takes its place, so that sampled calls seldom take the lock.
	exemplarPause = int64(100 * time.Millisecond)
)

// sample is a call that may become an exemplar.
type sample struct {
	ns, at int64
	span   toolkit.SpanRef
}

func (s sample) exemplar() Exemplar {
	e := Exemplar{DurationMs: float64(s.ns) / 1e6, Time: time.Unix(0, s.at).UTC()}
	e.setIDs(append(s.span.TraceID[:], s.span.SpanID[:]...))
	return e
}

// setIDs sets the trace and span ids to 16 and 8 bytes, which share a string.
func (e *Exemplar) setIDs(raw []byte) {
	var digits [48]byte
	hex.Encode(digits[:], raw[:min(len(raw), 24)])
	ids := string(digits[:])
	e.TraceID, e.SpanID = ids[:32], ids[32:]
}

// exemplars are the slowest sampled calls of the open interval and the latest of
// each doubling. Whether a call is one is decided by two atomic loads; only then
// is the lock taken.
type exemplars struct {
	held atomic.Pointer[heldExemplars]
}

type heldExemplars struct {
	floor atomic.Int64 // the fifth slowest
	next  [64]atomic.Int64

	mu      sync.Mutex
	slowest []sample // slowest first, at most maxSlowest
	latest  [64]sample
}

func (x *exemplars) note(ns, now int64, span toolkit.SpanRef) {
	if !span.IsValid() {
		return
	}
	h := x.held.Load()
	if h == nil {
		h = &heldExemplars{slowest: make([]sample, 0, maxSlowest+1)}
		if !x.held.CompareAndSwap(nil, h) {
			h = x.held.Load()
		}
	}
	o := histogram.Octave(ns)
	slow, due := ns > h.floor.Load(), now >= h.next[o].Load()
	if !slow && !due {
		return
	}
	s := sample{ns, now, span}
	h.mu.Lock()
	defer h.mu.Unlock()
	if due {
		h.latest[o] = s
		h.next[o].Store(now + exemplarPause)
	}
	if slow {
		at, _ := slices.BinarySearchFunc(h.slowest, s, func(a, b sample) int { return cmp.Compare(b.ns, a.ns) })
		h.slowest = slices.Insert(h.slowest, at, s)
		if len(h.slowest) > maxSlowest {
			h.slowest = h.slowest[:maxSlowest]
		}
		if len(h.slowest) == maxSlowest {
			h.floor.Store(h.slowest[maxSlowest-1].ns)
		}
	}
}

// takeSamples returns the exemplars, slowest first, and forgets them if reset.
func (x *exemplars) takeSamples(reset bool) []Exemplar {
	h := x.held.Load()
	if h == nil {
		return nil
	}
	slowest, latest := h.copies(reset)
	var all []Exemplar
	for _, s := range append(slowest, latest[:]...) {
		if s.at != 0 {
			all = append(all, s.exemplar())
		}
	}
	return mergeExemplars(all)
}

// copies are the samples held; the lock is held to copy them only, since sampled calls
// wait for it.
func (h *heldExemplars) copies(reset bool) (slowest []sample, latest [64]sample) {
	slowest = make([]sample, 0, maxSlowest+len(latest))
	h.mu.Lock()
	defer h.mu.Unlock()
	slowest, latest = append(slowest, h.slowest...), h.latest
	if reset {
		h.slowest = h.slowest[:0]
		clear(h.latest[:])
		h.floor.Store(0)
		for i := range h.next {
			h.next[i].Store(0)
		}
	}
	return slowest, latest
}

func (x *exemplars) size() int {
	if x.held.Load() == nil {
		return 0
	}
	return exemplarsSize
}

// exemplarsSize is the size of a tool's exemplars in the open interval.
const exemplarsSize = 64*56 + 6*48 + 64

// mergeExemplars keeps the slowest and the latest of each doubling, slowest
// first.
func mergeExemplars(all []Exemplar) []Exemplar {
	if len(all) == 0 {
		return nil
	}
	var slowest []*Exemplar
	var latest [64]*Exemplar
	for i := range all {
		e := &all[i]
		if l := &latest[histogram.Octave(msToNs(e.DurationMs))]; *l == nil || e.Time.After((*l).Time) {
			*l = e
		}
		if len(slowest) == maxSlowest && e.DurationMs <= slowest[maxSlowest-1].DurationMs ||
			slices.ContainsFunc(slowest, e.same) {
			continue
		}
		at, _ := slices.BinarySearchFunc(slowest, e, func(a, b *Exemplar) int { return cmp.Compare(b.DurationMs, a.DurationMs) })
		slowest = slices.Insert(slowest, at, e)
		slowest = slowest[:min(len(slowest), maxSlowest)]
	}
	kept := make([]Exemplar, 0, 2*maxSlowest)
	for _, e := range slowest {
		kept = append(kept, *e)
	}
	for _, e := range latest {
		if e != nil && !slices.ContainsFunc(slowest, e.same) {
			kept = append(kept, *e)
		}
	}
	sort.Sort(slowestFirst(kept))
	return kept
}

// slowestFirst sorts exemplars, of equal durations the latest first. The generic sort of the library would make
// programs larger.
type slowestFirst []Exemplar

func (l slowestFirst) Len() int      { return len(l) }
func (l slowestFirst) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l slowestFirst) Less(i, j int) bool {
	a, b := &l[i], &l[j]
	return cmp.Or(cmp.Compare(b.DurationMs, a.DurationMs), b.Time.Compare(a.Time), cmp.Compare(a.SpanID, b.SpanID)) < 0
}

func (e *Exemplar) same(o *Exemplar) bool { return e.SpanID == o.SpanID && e.TraceID == o.TraceID }

// nearest is the exemplar whose duration is nearest to d by ratio; nil if there
// is none.
func nearest(all []Exemplar, d time.Duration) *Exemplar {
	var best *Exemplar
	distance := math.Inf(1)
	for i := range all {
		if x := math.Abs(math.Log(max(all[i].DurationMs, 1e-6) / max(ms(d), 1e-6))); x < distance {
			best, distance = &all[i], x
		}
	}
	if best == nil {
		return nil
	}
	e := *best
	return &e
}

// ms is a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// msToNs is what ms was made of, within the range of the histograms.
func msToNs(v float64) int64 {
	if !(v > 0) {
		return 0
	}
	return int64(math.Round(min(v*1e6, float64(histogram.Highest))))
}

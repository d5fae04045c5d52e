// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
)

// Intervals are sealed at multiples of ten seconds. As they age they are rolled
// into those of a minute, and then of ten.
const (
	fineWidth   = int64(10 * time.Second)
	minuteWidth = int64(time.Minute)
	coarseWidth = int64(10 * time.Minute)

	fineFor   = int64(16 * time.Minute)
	minuteFor = int64(130 * time.Minute)
)

// nextBoundary is the first multiple of fineWidth after t.
func nextBoundary(t int64) int64 { return floor(t, fineWidth) + fineWidth }

// floor is the last multiple of width at or before t.
func floor(t, width int64) int64 {
	f := t - t%width
	if f > t {
		f -= width
	}
	return f
}

// sealed is an interval that is over. It does not change.
type sealed struct {
	start, end int64
	tools      []byte // of appendTools
	errors     []errorgroups.Count
	archived   bool // its counts are in the archive, too
}

// sealedSize is what an interval holds in addition to its bytes.
const sealedSize = 80

func (s *sealed) size() int64 { return sealedSize + int64(len(s.tools)) + 16*int64(len(s.errors)) }

func (s *sealed) decode() []ToolSnapshot {
	d := decoder{rest: s.tools}
	return d.tools()
}

// moved is the interval with by added to its times.
func (s *sealed) moved(by int64) *sealed {
	tools := s.decode()
	moveTools(tools, by)
	m := *s
	m.start, m.end, m.tools = s.start+by, s.end+by, appendTools(nil, tools)
	return &m
}

// history is all that was sealed: the intervals that windows are made of, oldest
// first, and the archive, the sum of those that left the first quarter of an
// hour. Its methods are called with the recorder's sealing lock held; intervals
// may be read without it.
type history struct {
	intervals []sealed
	archive   sealed
	retention int64
	max       int64
	bytes     int64
	compacted int64 // when the last compaction was
}

func (h *history) init(now int64, retention time.Duration, max int64) {
	h.retention, h.max = int64(retention), max
	h.archive = sealed{start: now, end: now}
}

// insert puts an interval at its place in time.
func (h *history) insert(s sealed) {
	at, _ := slices.BinarySearchFunc(h.intervals, s.start, func(s sealed, start int64) int {
		if s.start <= start {
			return -1
		}
		return 1
	})
	h.intervals = slices.Insert(slices.Clip(h.intervals), at, s)
	h.bytes += s.size()
}

// compact rolls intervals up and drops what is too old or too much. known reports
// which error groups still have a text; counts of others are left out.
func (h *history) compact(now int64, known func(id uint64) bool) {
	h.compacted = now
	minutes, coarse := floor(now-fineFor, minuteWidth), floor(now-minuteFor, coarseWidth)
	var old []*sealed
	for i := range h.intervals {
		if s := &h.intervals[i]; s.end <= minutes && !s.archived {
			old = append(old, s)
		}
	}
	h.intervals = slices.Clone(h.intervals) // readers may hold the old one
	h.fold(old, known)
	for i := range h.intervals {
		s := &h.intervals[i]
		s.archived = s.archived || s.end <= minutes
	}
	h.roll(minuteWidth, minutes, known)
	h.roll(coarseWidth, coarse, known)
	first := 0
	for first < len(h.intervals) && h.intervals[first].end <= now-h.retention {
		first++
	}
	h.drop(first, known)
	h.measure()
	for first = 0; first < len(h.intervals) && h.bytes > h.max; first++ {
		h.bytes -= h.intervals[first].size()
	}
	h.drop(first, known)
}

// drop removes the first n intervals, and brings them into the archive before.
func (h *history) drop(n int, known func(uint64) bool) {
	if n == 0 {
		return
	}
	var lost []*sealed
	for i := range h.intervals[:n] {
		if !h.intervals[i].archived {
			lost = append(lost, &h.intervals[i])
		}
	}
	h.fold(lost, known)
	h.intervals = slices.Clone(h.intervals[n:])
}

// fold adds intervals to the archive.
func (h *history) fold(parts []*sealed, known func(uint64) bool) {
	if len(parts) == 0 {
		return
	}
	if h.archive.tools != nil {
		parts = append([]*sealed{&h.archive}, parts...)
	}
	start, end := h.archive.start, h.archive.end
	h.archive = merged(parts, known)
	h.archive.start, h.archive.end = min(start, h.archive.start), max(end, h.archive.end)
}

// roll merges the intervals that end by until into aligned ones of width.
func (h *history) roll(width, until int64, known func(uint64) bool) {
	var out []sealed
	var parts []*sealed
	flush := func() {
		switch len(parts) {
		case 0:
		case 1:
			out = append(out, *parts[0])
		default:
			m := merged(parts, known)
			m.archived = true
			out = append(out, m)
		}
		parts = parts[:0]
	}
	for i := range h.intervals {
		s := &h.intervals[i]
		if len(parts) > 0 && (s.end > until || floor(s.start, width) != floor(parts[0].start, width)) {
			flush()
		}
		if s.end > until {
			out = append(out, *s)
			continue
		}
		parts = append(parts, s)
	}
	flush()
	h.intervals = out
}

func (h *history) measure() {
	h.bytes = 0
	for i := range h.intervals {
		h.bytes += h.intervals[i].size()
	}
}

// merged adds intervals of one process up, the oldest first.
func merged(parts []*sealed, known func(uint64) bool) sealed {
	out := sealed{start: parts[0].start, end: parts[0].end}
	lists := make([][]ToolSnapshot, len(parts))
	sums := make(map[uint64]uint64)
	for i, p := range parts {
		lists[i] = p.decode()
		out.start, out.end = min(out.start, p.start), max(out.end, p.end)
		for _, e := range p.errors {
			if known(e.ID) {
				sums[e.ID] += e.Count
			}
		}
	}
	out.tools = appendTools(nil, mergeTools(lists, false))
	for id, n := range sums {
		out.errors = append(out.errors, errorgroups.Count{ID: id, Count: n})
	}
	return out
}

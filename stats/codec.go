// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
)

// Intervals are kept, in memory and in files, as bytes: varints, and histograms
// as [histogram.Append] writes them. Numbers are added at the end of a form; an older one is never
// changed.

// firstColumns are how many histograms and counters a tool's own form has, which files of the first
// version have too. Later columns are in a part of their own at the end.
var firstColumns = struct{ histograms, counters int }{9, 8}

// appendUint and appendInt append a number. They are functions of their own, since each inlined copy is a hundred bytes of
// every program.
//
//go:noinline
func appendUint(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }

//go:noinline
func appendInt(b []byte, n int64) []byte { return binary.AppendVarint(b, n) }

func appendBytes[T []byte | string](b []byte, s T) []byte {
	return append(appendUint(b, uint64(len(s))), s...)
}

// appendTool appends a tool's part of an interval.
func appendTool(b []byte, t *ToolSnapshot) []byte {
	b = appendBytes(b, t.Tool)
	b = appendColumns(b, t.Histograms.columns()[:firstColumns.histograms], t.Counters.columns()[:firstColumns.counters])
	b = appendUint(b, math.Float64bits(t.Cost))
	b = appendInt(b, t.Peak)
	b = appendUint(b, t.WorstStreak)
	b = appendInt(b, t.LastSeen.UnixNano())
	b = appendUint(b, uint64(len(t.ErrorTypes)))
	for _, e := range t.ErrorTypes {
		b = appendUint(appendBytes(b, e.Type), e.Count)
	}
	b = appendUint(b, uint64(len(t.Exemplars)))
	for _, e := range t.Exemplars {
		b = appendInt(b, msToNs(e.DurationMs))
		b = appendInt(b, e.Time.UnixNano())
		b = appendID(b, e.TraceID, 16)
		b = appendID(b, e.SpanID, 8)
	}
	return b
}

func appendColumns(b []byte, histograms []*Histogram, counters []uint64) []byte {
	for _, h := range histograms {
		b = histogram.Append(b, h.raw())
	}
	for _, n := range counters {
		b = appendUint(b, n)
	}
	return b
}

// appendID appends the bytes of an id in hexadecimal digits.
func appendID(b []byte, id string, n int) []byte {
	raw, _ := hex.DecodeString(id)
	fixed := make([]byte, n)
	copy(fixed, raw)
	return append(b, fixed...)
}

// moveTools adds to the times of tools, which the caller owns with their exemplars.
func moveTools(tools []ToolSnapshot, by int64) {
	if by == 0 {
		return
	}
	for i := range tools {
		t := &tools[i]
		if t.LastSeen.Unix() > 0 { // else no call has ended
			t.LastSeen = t.LastSeen.Add(time.Duration(by))
		}
		for x := range t.Exemplars {
			t.Exemplars[x].Time = t.Exemplars[x].Time.Add(time.Duration(by))
		}
	}
}

func appendTools(b []byte, tools []ToolSnapshot) []byte {
	b = appendUint(b, uint64(len(tools)))
	for i := range tools {
		b = appendTool(b, &tools[i])
	}
	return appendLater(appendPolicies(b, tools), tools)
}

// laterColumns are the columns of a tool that its own form does not have.
func (t *ToolSnapshot) laterColumns() ([]*Histogram, []uint64) {
	return t.Histograms.columns()[firstColumns.histograms:], t.Counters.columns()[firstColumns.counters:]
}

// appendLater appends the later columns of the tools: how many there are, and those of each tool.
// Nothing is appended where all are zero.
func appendLater(b []byte, tools []ToolSnapshot) []byte {
	if !slices.ContainsFunc(tools, hasLater) {
		return b
	}
	for i := range tools {
		histograms, counters := tools[i].laterColumns()
		if i == 0 {
			b = appendUint(b, uint64(len(histograms)))
			b = appendUint(b, uint64(len(counters)))
		}
		b = appendColumns(b, histograms, counters)
	}
	return b
}

func hasLater(t ToolSnapshot) bool {
	histograms, counters := t.laterColumns()
	return slices.ContainsFunc(counters, func(n uint64) bool { return n > 0 }) ||
		slices.ContainsFunc(histograms, func(h *Histogram) bool { return h.Count() > 0 })
}

// appendPolicies appends the policies' tags of the tools: the different tags, then
// for each tool its counts by the tags' places. Nothing is appended where there are none, as in
// files of before, unless later columns follow.
func appendPolicies(b []byte, tools []ToolSnapshot) []byte {
	places := make(map[PolicyTag]int)
	var texts []byte
	for i := range tools {
		for _, c := range tools[i].Policies {
			if _, known := places[c.PolicyTag]; !known {
				places[c.PolicyTag] = len(places)
				texts = appendBytes(appendBytes(texts, c.Key), c.Value)
			}
		}
	}
	if len(places) == 0 && !slices.ContainsFunc(tools, hasLater) {
		return b
	}
	b = append(appendUint(b, uint64(len(places))), texts...)
	for i := range tools {
		b = appendUint(b, uint64(len(tools[i].Policies)))
		for _, c := range tools[i].Policies {
			b = appendUint(b, uint64(places[c.PolicyTag]))
			b = appendUint(b, c.Count)
		}
	}
	return b
}

var errCorrupt = errors.New("the bytes of an interval are corrupt")

// decoder reads what the functions above append. After the first error it reads
// zeros.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) fail() {
	d.rest, d.err = nil, errCorrupt
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// count is a number of things each of which takes a byte at least.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) next(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.fail()
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) string() string { return string(d.next(d.count())) }

func (d *decoder) time() time.Time { return time.Unix(0, d.int()).UTC() }

func (d *decoder) histogram() *Histogram {
	h, rest, err := histogram.Read(d.rest)
	if d.rest = rest; err != nil {
		d.fail()
	}
	return (*Histogram)(h)
}

func (d *decoder) tool() ToolSnapshot {
	t := ToolSnapshot{Tool: d.string()}
	d.columns(t.Histograms.columns()[:firstColumns.histograms], t.Counters.columns()[:firstColumns.counters])
	t.Cost = math.Float64frombits(d.uint())
	t.Peak = d.int()
	t.WorstStreak = d.uint()
	t.LastSeen = d.time()
	for range d.count() {
		t.ErrorTypes = append(t.ErrorTypes, TypeCount{d.string(), d.uint()})
	}
	if n := d.count(); n > 0 {
		t.Exemplars = make([]Exemplar, 0, min(n, 2*maxSlowest+histogram.Octaves))
		for range n {
			e := Exemplar{DurationMs: float64(d.int()) / 1e6, Time: d.time()}
			e.setIDs(d.next(24))
			t.Exemplars = append(t.Exemplars, e)
		}
	}
	return t
}

// tools reads what appendTools appends.
func (d *decoder) tools() []ToolSnapshot {
	n := d.count()
	tools := make([]ToolSnapshot, 0, min(n, 1024))
	for range n {
		t := d.tool()
		if d.err != nil {
			return nil
		}
		tools = append(tools, t)
	}
	if d.err == nil && len(d.rest) > 0 {
		d.policies(tools)
	}
	if d.err == nil && len(d.rest) > 0 {
		d.later(tools)
	}
	return tools
}

// columns reads what appendColumns appends.
func (d *decoder) columns(histograms []*Histogram, counters []uint64) {
	for i := range histograms {
		histograms[i] = d.histogram()
	}
	for i := range counters {
		counters[i] = d.uint()
	}
}

// later reads what appendLater appends. Columns that are not known here are left out.
func (d *decoder) later(tools []ToolSnapshot) {
	histograms, counters := make([]*Histogram, d.count()), make([]uint64, d.count())
	for i := range tools {
		d.columns(histograms, counters)
		if d.err != nil {
			return
		}
		ownHistograms, ownCounters := tools[i].laterColumns()
		copy(ownHistograms, histograms)
		copy(ownCounters, counters)
	}
}

// policies reads what appendPolicies appends.
func (d *decoder) policies(tools []ToolSnapshot) {
	tags := make([]PolicyTag, 0, min(len(d.rest), maxPolicyTags+1))
	for range d.count() {
		tags = append(tags, PolicyTag{d.string(), d.string()})
	}
	for i := range tools {
		for range d.count() {
			place, count := d.uint(), d.uint()
			if place >= uint64(len(tags)) {
				d.fail()
				return
			}
			tools[i].Policies = append(tools[i].Policies, PolicyCount{tags[place], count})
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statsprom

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
)

// bounds are the upper bounds of the classic buckets.
var bounds = []time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second,
	10 * time.Second, 25 * time.Second, 50 * time.Second, 100 * time.Second,
}

// The native histogram: 2^4 buckets to a doubling, and one for what is nearly 0.
const (
	schema        = 4
	perDoubling   = 1 << schema
	zeroThreshold = 1e-7 // seconds
)

// runTimes is the running times of a tool, native and classic in one, which
// client_golang's constant histograms are not.
type runTimes struct {
	tool      string
	created   time.Time // when there were none
	of        *histogram.Histogram
	exemplars []stats.Exemplar
}

// Desc describes the metric.
func (h *runTimes) Desc() *prometheus.Desc { return run }

// Write fills in the metric.
func (h *runTimes) Write(m *dto.Metric) error {
	m.Label = []*dto.LabelPair{{Name: new("tool"), Value: &h.tool}}
	x := &dto.Histogram{
		SampleCount:   new(h.of.Count()),
		SampleSum:     new(h.of.Sum().Seconds()),
		Schema:        new(int32(schema)),
		ZeroThreshold: new(float64(zeroThreshold)),

		CreatedTimestamp: timestamppb.New(h.created),
	}
	h.classic(x)
	h.native(x)
	m.Histogram = x
	return nil
}

// classic fills in the cumulative buckets, each with its latest exemplar.
func (h *runTimes) classic(x *dto.Histogram) {
	for i, bound := range bounds {
		b := &dto.Bucket{UpperBound: new(bound.Seconds()), CumulativeCount: new(h.of.AtMost(bound))}
		from := time.Duration(0)
		if i > 0 {
			from = bounds[i-1]
		}
		b.Exemplar = h.latest(from, bound)
		x.Bucket = append(x.Bucket, b)
	}
	if e := h.latest(bounds[len(bounds)-1], math.MaxInt64); e != nil {
		x.Bucket = append(x.Bucket, &dto.Bucket{UpperBound: new(math.Inf(1)), CumulativeCount: new(h.of.Count()), Exemplar: e})
	}
}

// latest is the latest exemplar between two bounds, the upper one included; nil if
// there is none.
func (h *runTimes) latest(from, to time.Duration) *dto.Exemplar {
	var found *stats.Exemplar
	for i := range h.exemplars {
		e := &h.exemplars[i]
		d := time.Duration(e.DurationMs * float64(time.Millisecond))
		if d > from && d <= to && (found == nil || e.Time.After(found.Time)) {
			found = e
		}
	}
	if found == nil {
		return nil
	}
	return exemplar(found)
}

func exemplar(e *stats.Exemplar) *dto.Exemplar {
	return &dto.Exemplar{
		Label:     []*dto.LabelPair{{Name: new("trace_id"), Value: &e.TraceID}, {Name: new("span_id"), Value: &e.SpanID}},
		Value:     new(e.DurationMs / 1000),
		Timestamp: timestamppb.New(e.Time),
	}
}

// native fills in the sparse buckets: spans of indices that follow each other, and
// the difference of each count to the one before.
func (h *runTimes) native(x *dto.Histogram) {
	counts := make(map[int32]int64)
	zero := uint64(0)
	for b := range h.of.Buckets() {
		v := (b.Low + (b.High-b.Low)/2).Seconds()
		if v <= zeroThreshold {
			zero += b.Count
			continue
		}
		counts[int32(math.Ceil(math.Log2(v)*perDoubling))] += int64(b.Count)
	}
	x.ZeroCount = &zero
	indices := make([]int32, 0, len(counts))
	for i := range counts {
		indices = append(indices, i)
	}
	slices.Sort(indices)
	before, end := int64(0), int32(0)
	for n, i := range indices {
		if n == 0 || i > end {
			x.PositiveSpan = append(x.PositiveSpan, &dto.BucketSpan{Offset: new(i - end), Length: new(uint32(0))})
		}
		*x.PositiveSpan[len(x.PositiveSpan)-1].Length++
		x.PositiveDelta = append(x.PositiveDelta, counts[i]-before)
		before, end = counts[i], i+1
	}
	if len(indices) == 0 { // without a span it would not be a native histogram
		x.PositiveSpan = []*dto.BucketSpan{{Offset: new(int32(0)), Length: new(uint32(0))}}
	}
	for i := range h.exemplars {
		x.Exemplars = append(x.Exemplars, exemplar(&h.exemplars[i]))
	}
	slices.SortFunc(x.Exemplars,
		func(a, b *dto.Exemplar) int { return a.GetTimestamp().AsTime().Compare(b.GetTimestamp().AsTime()) })
}

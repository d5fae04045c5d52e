// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"container/list"
	"context"
	"slices"
	"strings"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The bounds of what a ring holds, estimated from the texts of its spans. The collector lets
// a heap grow to twice what is alive, so that a process pays for each of these bytes twice.
const (
	ringBytesPerSpan = 2 << 10 // what the span of a usual call takes
	minRingBytes     = 1 << 20
	maxRingBytes     = 32 << 20
)

// A Ring keeps the latest finished spans in memory, so that a program without a
// collector has something to show. It is a span processor: [Setup] makes one; a host
// with a provider of its own adds one with [sdktrace.WithSpanProcessor]. When it is full the
// trace that was quiet for longest goes first, as a whole, so that what stays is not
// full of holes; a single trace that fills the ring loses its oldest spans.
//
// A span costs a lock and a map look-up when it ends; it is not copied.
// A Ring is safe for concurrent use, and goes on working after Shutdown. Methods that
// read work on nil.
type Ring struct {
	maxSpans, maxBytes int

	mu      sync.Mutex
	traces  map[trace.TraceID]*list.Element // of *kept
	order   *list.List                      // the trace that was quiet for longest first
	spans   int
	bytes   int
	dropped uint64
}

type kept struct {
	id      trace.TraceID
	spans   []sdktrace.ReadOnlySpan // never written to again once ended
	bytes   int
	dropped int
}

var _ sdktrace.SpanProcessor = (*Ring)(nil)

// NewRing makes a ring for that many spans, at least 1. It is bounded to 2 KiB for each of
// them as well, taken together, but no less than 1 MiB and no more than 32 MiB in all.
func NewRing(spans int) *Ring {
	spans = max(1, spans)
	return newRing(spans, max(minRingBytes, min(spans, maxRingBytes/ringBytesPerSpan)*ringBytesPerSpan))
}

func newRing(spans, bytes int) *Ring {
	return &Ring{maxSpans: spans, maxBytes: bytes, traces: make(map[trace.TraceID]*list.Element), order: list.New()}
}

// OnStart does nothing: only finished spans are kept.
func (r *Ring) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd keeps s if it is sampled. A span that is larger than the whole ring is not kept, but counted.
func (r *Ring) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	n, id := size(s), s.SpanContext().TraceID()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.maxBytes {
		r.dropped++
		return
	}
	e := r.traces[id]
	if e == nil {
		e = r.order.PushBack(&kept{id: id})
		r.traces[id] = e
	}
	r.order.MoveToBack(e)
	t := e.Value.(*kept)
	t.spans = append(t.spans, s)
	t.bytes += n
	r.spans++
	r.bytes += n
	for r.spans > r.maxSpans || r.bytes > r.maxBytes {
		r.evict(t)
	}
}

// evict makes room, but leaves the span that was added last, which is current's.
func (r *Ring) evict(current *kept) {
	e := r.order.Front()
	t := e.Value.(*kept)
	if t != current {
		r.order.Remove(e)
		delete(r.traces, t.id)
		r.count(-len(t.spans), -t.bytes)
		return
	}
	n := size(t.spans[0])
	t.spans[0] = nil
	t.spans = t.spans[1:]
	t.bytes -= n
	t.dropped++
	r.count(-1, -n)
}

func (r *Ring) count(spans, bytes int) {
	r.spans += spans
	r.bytes += bytes
	r.dropped += uint64(-spans)
}

// ForceFlush does nothing.
func (r *Ring) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing: what is kept can still be read.
func (r *Ring) Shutdown(context.Context) error { return nil }

// Traces are all traces kept, in the order in which their last spans ended.
func (r *Ring) Traces() []Trace {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	all := make([]kept, 0, r.order.Len())
	for e := r.order.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*kept).snapshot())
	}
	r.mu.Unlock()
	traces := make([]Trace, len(all))
	for i := range all {
		traces[i] = all[i].trace()
	}
	return traces
}

// Trace is the trace of the id, in hex; ok is false if nothing of it is kept.
func (r *Ring) Trace(id string) (t Trace, ok bool) {
	key, err := trace.TraceIDFromHex(strings.ToLower(id))
	if r == nil || err != nil {
		return Trace{}, false
	}
	r.mu.Lock()
	e := r.traces[key]
	if e == nil {
		r.mu.Unlock()
		return Trace{}, false
	}
	k := e.Value.(*kept).snapshot()
	r.mu.Unlock()
	return k.trace(), true
}

// ringState is how full a ring is.
type ringState struct {
	Traces, Spans, Bytes int
	Dropped              uint64 // spans that had to make room, or were too large
}

// state is how full the ring is now.
func (r *Ring) state() ringState {
	if r == nil {
		return ringState{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return ringState{Traces: r.order.Len(), Spans: r.spans, Bytes: r.bytes, Dropped: r.dropped}
}

// snapshot copies what the ring may change; the spans themselves never change.
func (k *kept) snapshot() kept {
	c := *k
	c.spans = slices.Clone(k.spans)
	return c
}

func (k *kept) trace() Trace {
	slices.SortStableFunc(k.spans, func(a, b sdktrace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	return Trace{ID: k.id.String(), Dropped: k.dropped, Spans: k.spans}
}

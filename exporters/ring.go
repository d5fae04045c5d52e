// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"container/list"
	"context"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/scrub"
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
// full of holes; a single trace that fills the ring loses its oldest spans. Traces of the
// example calls of error groups stay longer, in up to half of the ring, if [Ring.Source] is
// in statshttp.Options.
//
// A span costs a lock and a map look-up when it ends; it is not copied.
// A Ring is safe for concurrent use, and goes on working after Shutdown. Methods that
// read work on nil.
type Ring struct {
	maxSpans, maxBytes int
	scrub              *scrub.Exporter // redacts what is read; nil passes it on as it is

	mu      sync.Mutex
	traces  map[trace.TraceID]*list.Element // of *kept
	order   *list.List                      // the trace that was quiet for longest first
	spans   int
	bytes   int
	dropped uint64
	seen    uint64 // spans that ended
	held    held   // counts in spans and bytes as well
}

var _ sdktrace.SpanProcessor = (*Ring)(nil)

// NewRing makes a ring for that many spans, at least 1. It is bounded to 2 KiB for each of
// them as well, taken together, but no less than 1 MiB and no more than 32 MiB in all.
func NewRing(spans int) *Ring {
	spans = max(1, spans)
	return newRing(spans, max(minRingBytes, min(spans, maxRingBytes/ringBytesPerSpan)*ringBytesPerSpan))
}

func newRing(spans, bytes int) *Ring {
	return &Ring{
		maxSpans: spans, maxBytes: bytes, traces: make(map[trace.TraceID]*list.Element), order: list.New(),
		held: held{maxSpans: spans / 2, maxBytes: bytes / 2, traces: make(map[trace.TraceID]*list.Element), order: list.New()},
	}
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
	r.seen++
	t.addSpan(s, n)
	t.seen = r.seen
	t.failed = t.failed || s.Status().Code == codes.Error
	r.spans++
	r.bytes += n
	for r.spans > r.maxSpans || r.bytes > r.maxBytes {
		if r.order.Len() == 1 && len(t.spans) == 1 { // s itself
			r.removed(r.held.removeOldest())
			continue
		}
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
		r.removed(len(t.spans), t.bytes)
		r.hold(t, t.spans, t.seen)
		return
	}
	first := t.spans[:1]
	n := size(first[0])
	r.removed(1, n)
	t.dropped += 1 - r.hold(t, first, t.seen-uint64(len(t.spans)-1)) // it ended no later than that
	t.bytes -= n
	t.spans[0] = nil
	t.spans = t.spans[1:]
}

// hold keeps those of the evicted spans of a trace that belong to an example call, and returns how many. The last of
// them ended when the ring had seen at spans, or earlier.
func (r *Ring) hold(t *kept, evicted []sdktrace.ReadOnlySpan, at uint64) int {
	if !t.failed {
		return 0
	}
	if r.held.outdated(at, uint64(r.spans/4)) {
		r.removed(r.held.look(r.seen))
	}
	spans, bytes := r.held.takeSpans(t, evicted)
	r.removed(-spans, -bytes)
	for r.held.full() {
		r.removed(r.held.removeOldest())
	}
	return spans
}

// removed counts spans that were dropped.
func (r *Ring) removed(spans, bytes int) {
	r.spans -= spans
	r.bytes -= bytes
	r.dropped += uint64(spans)
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
	all := make([]kept, 0, r.held.order.Len()+r.order.Len())
	for e := r.held.order.Front(); e != nil; e = e.Next() {
		if t := e.Value.(*kept); r.traces[t.id] == nil {
			all = append(all, t.snapshot())
		}
	}
	for e := r.order.Front(); e != nil; e = e.Next() {
		all = append(all, r.find(e.Value.(*kept).id))
	}
	r.mu.Unlock()
	traces := make([]Trace, len(all))
	for i := range all {
		traces[i] = r.scrubbed(all[i].trace())
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
	k := r.find(key)
	r.mu.Unlock()
	if len(k.spans) == 0 {
		return Trace{}, false
	}
	return r.scrubbed(k.trace()), true
}

// scrubbed redacts spans of other libraries. The list is the caller's.
func (r *Ring) scrubbed(t Trace) Trace {
	if r.scrub != nil {
		for i, s := range t.Spans {
			t.Spans[i] = r.scrub.Span(s)
		}
	}
	return t
}

// find copies a trace: what is held of it, and what the ring has. The caller holds the lock.
func (r *Ring) find(id trace.TraceID) (k kept) {
	for _, traces := range []map[trace.TraceID]*list.Element{r.held.traces, r.traces} {
		if e := traces[id]; e != nil {
			c := e.Value.(*kept).snapshot()
			c.spans = append(k.spans, c.spans...)
			c.dropped += k.dropped
			k = c
		}
	}
	return k
}

// ringState is how full a ring is.
type ringState struct {
	Traces, Spans, Bytes int
	Held                 int    // traces of example calls that would have had to make room
	Dropped              uint64 // spans that had to make room, or were too large
}

// state is how full the ring is now.
func (r *Ring) state() ringState {
	if r == nil {
		return ringState{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	state := ringState{
		Traces: r.order.Len(), Spans: r.spans, Bytes: r.bytes, Held: r.held.order.Len(), Dropped: r.dropped,
	}
	for id := range r.held.traces {
		if r.traces[id] == nil {
			state.Traces++
		}
	}
	return state
}

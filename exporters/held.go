// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"container/list"
	"slices"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

const (
	// maxExampleSources is how many recorders are asked for their examples: those of the latest.
	maxExampleSources = 8
	// maxWholeSpans is how many spans a trace may have to be held whole. Of a larger one those are held
	// that lead to an example call, and those directly below it.
	maxWholeSpans = 64
)

// An exampleSource knows which spans are example calls of error groups: a stats.Recorder gives it.
type exampleSource = interface{ ExampleSpans() []toolkit.SpanRef }

// held is the part of a ring that keeps traces of example calls after the ring had to evict them. Which
// those are is only asked a few times while the whole ring is filled anew, see outdated. The ring's lock guards it.
type held struct {
	maxSpans, maxBytes int

	sources []exampleSource
	wanted  map[trace.TraceID]map[trace.SpanID]bool // as of the last look
	looked  uint64                                  // how many spans the ring had seen then
	traces  map[trace.TraceID]*list.Element         // of *kept
	order   *list.List                              // the one held for longest first
	spans   int
	bytes   int
}

func (h *held) addSource(s exampleSource) {
	if !slices.Contains(h.sources, s) {
		h.sources = append(h.sources, s)
		h.sources = h.sources[max(0, len(h.sources)-maxExampleSources):]
	}
}

// outdated reports whether it must be asked again which examples there are before spans are dropped, the last of
// which ended when the ring had seen at spans. A call becomes an example at about the time its span ends,
// which margin allows for.
func (h *held) outdated(at, margin uint64) bool { return len(h.sources) > 0 && at+margin > h.looked }

// look asks which examples there are, and drops what is held of others.
func (h *held) look(seen uint64) (spans, bytes int) {
	h.looked = seen
	h.wanted = make(map[trace.TraceID]map[trace.SpanID]bool)
	for _, source := range h.sources {
		for _, ref := range source.ExampleSpans() {
			if h.wanted[ref.TraceID] == nil {
				h.wanted[ref.TraceID] = make(map[trace.SpanID]bool)
			}
			h.wanted[ref.TraceID][ref.SpanID] = true
		}
	}
	for e := h.order.Front(); e != nil; {
		next := e.Next()
		t := e.Value.(*kept)
		if examples := h.wanted[t.id]; examples == nil || t.partial {
			clear(t.above)
			n, size := t.removeIf(func(s sdktrace.ReadOnlySpan) bool { return !t.leads(s, examples) })
			t.dropped += n
			spans += n
			bytes += size
			if len(t.spans) == 0 {
				h.order.Remove(e)
				delete(h.traces, t.id)
			}
		}
		e = next
	}
	h.spans -= spans
	h.bytes -= bytes
	return spans, bytes
}

// takeSpans holds those of a trace's evicted spans that belong to an example call. It returns how many.
func (h *held) takeSpans(t *kept, evicted []sdktrace.ReadOnlySpan) (spans, bytes int) {
	examples := h.wanted[t.id]
	if examples == nil {
		return 0, 0
	}
	e := h.traces[t.id]
	if e == nil {
		e = h.order.PushBack(&kept{id: t.id, above: make(map[trace.SpanID]bool)})
		h.traces[t.id] = e
	}
	k := e.Value.(*kept)
	all := len(evicted) == len(t.spans)
	k.partial = k.partial || !all || t.dropped > 0 || len(k.spans)+len(evicted) > maxWholeSpans
	for _, s := range evicted {
		if k.leads(s, examples) || !k.partial {
			n := size(s)
			k.addSpan(s, n)
			spans++
			bytes += n
		}
	}
	if all {
		k.dropped += t.dropped + len(evicted) - spans
	}
	if len(k.spans) == 0 {
		h.order.Remove(e)
		delete(h.traces, t.id)
	}
	h.spans += spans
	h.bytes += bytes
	return spans, bytes
}

// leads reports whether a span is an example call, stands above a span that is kept, or directly below an example. Spans
// come in the order in which they ended: after those below them.
func (k *kept) leads(s sdktrace.ReadOnlySpan, examples map[trace.SpanID]bool) bool {
	id, parent := s.SpanContext().SpanID(), s.Parent().SpanID()
	if examples[id] || k.above[id] {
		k.above[parent] = true
		return true
	}
	return examples[parent]
}

func (h *held) full() bool { return h.spans > h.maxSpans || h.bytes > h.maxBytes }

// removeOldest drops the trace that was held for longest.
func (h *held) removeOldest() (spans, bytes int) {
	t := h.order.Remove(h.order.Front()).(*kept)
	delete(h.traces, t.id)
	h.spans -= len(t.spans)
	h.bytes -= t.bytes
	return len(t.spans), t.bytes
}

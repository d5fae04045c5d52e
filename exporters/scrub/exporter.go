// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub

import (
	"context"
	"slices"
	"sync/atomic"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/redact"
)

// An Exporter redacts spans of other libraries before another exporter gets them. Make one with
// [New]. It is safe for concurrent use if the other exporter is.
type Exporter struct {
	next     sdktrace.SpanExporter
	redactor *redact.Redactor
	readers  *readers

	spans, values atomic.Uint64
}

var _ sdktrace.SpanExporter = (*Exporter)(nil)

// New makes an exporter in front of next, which must not be nil unless only [Exporter.Span] is
// called. A nil redactor is [redact.Default].
func New(next sdktrace.SpanExporter, redactor *redact.Redactor) *Exporter {
	if redactor == nil {
		redactor = redact.Default()
	}
	return &Exporter{next: next, redactor: redactor, readers: newReaders(redactor)}
}

// Stats is what an exporter redacted.
type Stats struct {
	Spans  uint64 // spans of which something was redacted
	Values uint64 // texts that were redacted, replaced or cut
}

// Stats are the counts so far.
func (e *Exporter) Stats() Stats { return Stats{e.spans.Load(), e.values.Load()} }

// ExportSpans sends the spans, redacted.
func (e *Exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	list, own := spans, false
	for i, s := range spans {
		clean, changed := e.redacted(s)
		if !changed {
			continue
		}
		if !own {
			list, own = slices.Clone(spans), true
		}
		list[i] = clean
	}
	return e.next.ExportSpans(ctx, list)
}

// Shutdown shuts the other exporter down.
func (e *Exporter) Shutdown(ctx context.Context) error { return e.next.Shutdown(ctx) }

// Span is one span redacted; s itself if nothing has to be removed from it.
func (e *Exporter) Span(s sdktrace.ReadOnlySpan) sdktrace.ReadOnlySpan {
	s, _ = e.redacted(s)
	return s
}

func (e *Exporter) redacted(s sdktrace.ReadOnlySpan) (clean sdktrace.ReadOnlySpan, changed bool) {
	defer func() {
		if recover() != nil {
			clean, changed = emptied(s), true
			e.spans.Add(1)
		}
	}()
	v := visit{exporter: e, left: maxSpan}
	if !v.look(s) {
		return s, false
	}
	e.spans.Add(1)
	e.values.Add(uint64(v.values))
	return v.result, true
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/otlpsize"
)

// An Exporter is a span exporter that mends what another would have refused. Make one with
// [New]. It is safe for concurrent use if the other is.
type Exporter struct {
	next     sdktrace.SpanExporter
	limits   Limits
	resource atomic.Pointer[resources] // the latest one seen

	mended, invalid, cut, dropped, parts atomic.Uint64
}

var _ sdktrace.SpanExporter = (*Exporter)(nil)

// New makes an exporter in front of next. An error names the limit that is wrong.
func New(next sdktrace.SpanExporter, l Limits) (*Exporter, error) {
	if next == nil {
		return nil, errors.New("guard: New: got a nil exporter, want one that sends")
	}
	l, err := l.orDefault()
	if err != nil {
		return nil, err
	}
	return &Exporter{next: next, limits: l}, nil
}

// Stats is what an exporter mended.
type Stats struct {
	Mended  uint64 // spans of which something was changed
	Invalid uint64 // texts that were not valid UTF-8
	Cut     uint64 // texts and lists that were too long
	Dropped uint64 // attributes, events and links that were too many
	Parts   uint64 // batches sent beyond one for each that came in
}

// Stats are the counts so far.
func (e *Exporter) Stats() Stats {
	return Stats{e.mended.Load(), e.invalid.Load(), e.cut.Load(), e.dropped.Load(), e.parts.Load()}
}

// Shutdown shuts the other exporter down.
func (e *Exporter) Shutdown(ctx context.Context) error { return e.next.Shutdown(ctx) }

// ExportSpans sends the spans, mended, in as many parts as it takes. The errors of the
// parts are joined.
func (e *Exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	var errs []error
	var b batch
	list, own := spans, false
	for i, s := range spans {
		fit, n := e.fit(s)
		if fit != nil {
			if !own {
				list, own = slices.Clone(spans), true
			}
			list[i] = fit
		} else {
			fit = s
		}
		if n += b.around(fit); b.size+n > e.limits.Batch && i > b.from {
			errs = append(errs, e.next.ExportSpans(ctx, list[b.from:i]))
			e.parts.Add(1)
			n -= b.last
			b = batch{from: i}
			n += b.around(fit)
		}
		b.size += n
	}
	err := e.next.ExportSpans(ctx, list[b.from:])
	if errs == nil {
		return err
	}
	return errors.Join(append(errs, err)...)
}

// A batch is what is to be sent next.
type batch struct {
	from, size int
	resource   *resource.Resource
	scope      instrumentation.Scope
	begun      bool
	last       int // what around returned
}

// around is what a span adds to the batch besides itself: its resource and its scope, if
// they are not those of the span before.
func (b *batch) around(s sdktrace.ReadOnlySpan) int {
	b.last = 0
	same := b.begun
	if r := s.Resource(); !same || r != b.resource {
		b.resource, same = r, false
		b.last += otlpsize.Resource(r)
	}
	if scope := s.InstrumentationScope(); !same || scope != b.scope {
		b.scope = scope
		b.last += otlpsize.Scope(scope)
	}
	b.begun = true
	return b.last
}

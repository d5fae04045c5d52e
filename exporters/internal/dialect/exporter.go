// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dialect

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/toolspan"
)

// An exporter passes spans on with the attributes of dialects.
type exporter struct {
	sdktrace.SpanExporter
	dialects []table
}

// New returns an exporter that adds the attributes of the dialects to the spans for next. The names are among
// [Names]; others are ignored. Without any it returns next.
func New(next sdktrace.SpanExporter, names []string) sdktrace.SpanExporter {
	var chosen []table
	for _, name := range names {
		if t, ok := find(name); ok {
			chosen = append(chosen, t)
		}
	}
	if chosen == nil {
		return next
	}
	return &exporter{SpanExporter: next, dialects: chosen}
}

// ExportSpans exports the spans. The list is the caller's and not changed.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	list := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		list[i] = e.translate(s)
	}
	return e.SpanExporter.ExportSpans(ctx, list)
}

// translated is a span with further attributes.
type translated struct {
	sdktrace.ReadOnlySpan
	attributes []attribute.KeyValue
}

func (t *translated) Attributes() []attribute.KeyValue { return t.attributes }

// translate returns s with the dialects' attributes if it is a tool call or an agent's run that toolscope
// recorded, and s otherwise. The attributes of other libraries are not redacted, so none of theirs are copied.
func (e *exporter) translate(s sdktrace.ReadOnlySpan) sdktrace.ReadOnlySpan {
	operation := toolspan.Operation(s)
	if operation == "" {
		return s
	}
	given := s.Attributes()
	list := append(make([]attribute.KeyValue, 0, len(given)+len(e.dialects)*maxRows), given...)
	for _, t := range e.dialects {
		list = t.addTo(list, given, operation)
	}
	return &translated{s, list}
}

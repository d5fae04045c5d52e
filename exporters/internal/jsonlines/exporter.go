// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// An Exporter writes spans to the files of a directory. Make one with [New] and put it
// behind a batcher: ExportSpans waits for the disk. It is safe for concurrent use.
type Exporter struct {
	otlp  *otlptrace.Exporter // turns spans into OTLP and hands them to our client
	files *files
}

var _ sdktrace.SpanExporter = (*Exporter)(nil)

// New makes an exporter for a directory, which is made if need be. An error says
// why nothing could be written there, or which option is wrong. No file is made before the
// first span, and no goroutine runs before a file is set aside.
func New(dir string, o Options) (*Exporter, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, errors.New(`jsonlines: New: dir: got "", want a directory`)
	}
	f := newFiles(dir, o)
	if err := f.try(); err != nil {
		return nil, fmt.Errorf("jsonlines: New: dir: got %q, want a directory that can be written: %w", dir, err)
	}
	e := &Exporter{files: f}
	e.otlp, err = otlptrace.New(context.Background(), client{f})
	return e, err
}

// ExportSpans writes a batch. With an error all of it, or the spans that the error
// counts, are not in a file.
func (e *Exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	return e.otlp.ExportSpans(ctx, spans)
}

// Write writes spans that are OTLP already. Errors are those of ExportSpans.
func (e *Exporter) Write(spans []*tracepb.ResourceSpans) error {
	return client{e.files}.UploadTraces(context.Background(), spans)
}

// Shutdown closes the file that is being written, and waits until files set aside
// are compressed, or the context is over. What is not compressed, the last file among it, is
// by a later process, when no process wrote to it for an hour.
// Spans exported afterwards are an error.
func (e *Exporter) Shutdown(ctx context.Context) error { return e.otlp.Shutdown(ctx) }

// Stats are what became of the spans so far.
func (e *Exporter) Stats() Stats {
	e.files.mu.Lock()
	defer e.files.mu.Unlock()
	return e.files.stats
}

// client is where the OTLP exporter hands its spans.
type client struct{ files *files }

var _ otlptrace.Client = client{}

func (client) Start(context.Context) error { return nil }

func (c client) Stop(ctx context.Context) error { return c.files.close(ctx) }

// UploadTraces writes the spans as lines.
func (c client) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	b := encode(spans)
	if err := c.files.write(b); err != nil {
		return fmt.Errorf("jsonlines: %d spans were not written: %w", b.spans+b.failed, err)
	}
	if b.failed > 0 {
		return fmt.Errorf("jsonlines: %d spans were not written: %w", b.failed, b.err)
	}
	return nil
}

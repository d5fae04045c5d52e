// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A Console is a span exporter that draws each trace with [Write] once the local
// root, a span without a parent in this process, has ended. Put it behind a batcher
// with a short delay: writing to a terminal can block. A span that ends
// after its local root is drawn when the console makes room or shuts down. At most 4,096
// spans wait for their root; beyond that the oldest are drawn as they are.
//
// It is safe for concurrent use.
type Console struct {
	options Options

	mu      sync.Mutex
	w       io.Writer
	waiting []Span // in the order in which they ended
	stopped bool
}

const maxWaiting = 4096

var _ sdktrace.SpanExporter = (*Console)(nil)

// NewConsole makes a console that draws on w; a nil w is [io.Discard].
func NewConsole(w io.Writer, options Options) *Console {
	w = cmp.Or(w, io.Discard)
	return &Console{w: w, options: options}
}

// ExportSpans draws the traces that these spans complete. It returns the writer's
// error.
func (c *Console) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	var roots []Span
	for _, s := range spans {
		v := View(s)
		c.waiting = append(c.waiting, v)
		if v.localRoot() {
			roots = append(roots, v)
		}
	}
	var errs []error
	for _, root := range roots {
		errs = append(errs, c.draw(c.takeTrace(root)))
	}
	if over := len(c.waiting) - maxWaiting; over > 0 {
		errs = append(errs, c.drawAll(c.waiting[:over]))
		c.waiting = slices.Clone(c.waiting[over:])
	}
	return errors.Join(errs...)
}

// takeTrace removes root and what is below it from those waiting, and returns it.
func (c *Console) takeTrace(root Span) []Span {
	below := map[string]bool{root.SpanID: true}
	taken := []Span{}
	// Children end before their parents, most of the time: from the end, a parent
	// comes first.
	for i := len(c.waiting) - 1; i >= 0; i-- {
		s := c.waiting[i]
		if s.TraceID == root.TraceID && (s.SpanID == root.SpanID || below[s.ParentID] && !s.RemoteParent) {
			below[s.SpanID] = true
			taken = append(taken, s)
		}
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(s Span) bool { return s.TraceID == root.TraceID && below[s.SpanID] })
	return taken
}

// draw draws spans of one trace below a line with its id.
func (c *Console) draw(spans []Span) error {
	slices.SortStableFunc(spans, func(a, b Span) int { return a.Start.Compare(b.Start) })
	var out bytes.Buffer
	fmt.Fprintf(&out, "trace %s\n", spans[0].TraceID)
	if err := Write(&out, spans, 0, c.options); err != nil {
		return err
	}
	_, err := c.w.Write(out.Bytes())
	return err
}

// drawAll draws spans of several traces, in the order of their first ones.
func (c *Console) drawAll(spans []Span) error {
	var order []string
	traces := make(map[string][]Span)
	for _, s := range spans {
		if _, ok := traces[s.TraceID]; !ok {
			order = append(order, s.TraceID)
		}
		traces[s.TraceID] = append(traces[s.TraceID], s)
	}
	var errs []error
	for _, id := range order {
		errs = append(errs, c.draw(traces[id]))
	}
	return errors.Join(errs...)
}

// Shutdown draws what still waits for its root.
func (c *Console) Shutdown(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	c.stopped = true
	waiting := c.waiting
	c.waiting = nil
	return c.drawAll(waiting)
}

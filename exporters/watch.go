// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolscope/toolscope/exporters/internal/spool"
	"github.com/toolscope/toolscope/stats"
)

// A watch wraps an exporter and counts what becomes of its exports.
type watch struct {
	next sdktrace.SpanExporter
	kind string // otel.component.type
	name string // otel.component.name
	what string // is exported: spans, metrics or log records
	base []attribute.KeyValue

	mu       sync.Mutex
	inflight int64
	since    time.Time // when it last began to export, while it does
	exported uint64
	failed   map[string]uint64       // by error.type
	streak   int                     // exports that failed in a row until now
	last     string                  // error.type of the last failure
	advice   string                  // what is probably wrong with the destination, by that failure
	duration metric.Float64Histogram // nil until the metrics are made: a spool may send before
}

// watched watches an exporter of spans.
func (p *Providers) watched(e sdktrace.SpanExporter, kind string) *watch {
	w := p.watchOf("spans", kind)
	w.next = e
	return w
}

func (p *Providers) watchOf(what, kind string) *watch {
	w := &watch{kind: kind, name: fmt.Sprintf("%s/%d", kind, len(p.watches)), what: what, failed: make(map[string]uint64)}
	w.base = component(w.kind, w.name)
	p.watches = append(p.watches, w)
	return w
}

// ExportSpans exports, and counts what became of it.
func (w *watch) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	return w.through(ctx, len(spans), func() error { return w.next.ExportSpans(ctx, spans) })
}

// through counts what becomes of n spans, or others, that export sends.
func (w *watch) through(ctx context.Context, n int, export func() error) (err error) {
	start, kind, advice := time.Now(), "panic", ""
	w.mu.Lock()
	if w.inflight == 0 {
		w.since = start
	}
	w.inflight += int64(n)
	w.mu.Unlock()
	defer func() { // also for one that panics
		took := time.Since(start)
		w.mu.Lock()
		w.inflight -= int64(n)
		if kind == "" {
			w.exported += uint64(n)
			w.streak = 0
		} else {
			w.failed[kind] += uint64(n)
			w.last, w.advice = kind, advice
			w.streak++
		}
		duration := w.duration
		w.mu.Unlock()
		if duration != nil {
			duration.Record(ctx, took.Seconds(), metric.WithAttributes(withErrorType(w.base, kind)...))
		}
	}()
	err = export()
	kind, advice = exportErrorType(err), spool.Advice(err)
	return err
}

// Shutdown shuts the exporter down.
func (w *watch) Shutdown(ctx context.Context) error { return w.next.Shutdown(ctx) }

// watchState is what a watch has counted.
type watchState struct {
	inflight int64
	since    time.Time
	exported uint64
	failed   map[string]uint64
	streak   int
	last     string
	advice   string
}

func (w *watch) state() watchState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return watchState{w.inflight, w.since, w.exported, maps.Clone(w.failed), w.streak, w.last, w.advice}
}

// exportErrorType is error.type of an export: one of few values. The texts of errors hold
// addresses and what servers answer, and are for the application's error handler.
func exportErrorType(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	if code := status.Code(err); code != codes.Unknown && code != codes.OK {
		return code.String()
	}
	return "_OTHER"
}

func (w *watch) component() stats.Component {
	s := w.state()
	c := stats.Component{Name: w.name,
		Figures: []stats.Figure{{Name: "inflight", Value: float64(s.inflight)}, {Name: "exported", Value: float64(s.exported)}}}
	kinds := make([]string, 0, len(s.failed))
	for kind := range s.failed {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		c.Figures = append(c.Figures, stats.Figure{Name: "failed_" + kind, Value: float64(s.failed[kind])})
	}
	if took := time.Since(s.since); s.inflight > 0 && took > slowExport {
		c.Problems = append(c.Problems,
			fmt.Sprintf("an export of %d %s has been running for %v", s.inflight, w.what, took.Round(time.Second)))
	}
	if s.advice != "" {
		s.last += "): " + s.advice
	} else {
		s.last += ")"
	}
	switch {
	case s.streak == 1:
		c.Problems = append(c.Problems, "the last export failed ("+s.last)
	case s.streak > 1:
		c.Problems = append(c.Problems, fmt.Sprintf("the last %d exports failed (%s", s.streak, s.last))
	}
	return c
}

// observe observes the exporter's metrics, unless the exporter's own package does.
func (w *watch) observe(o *observation) {
	if w.what != "spans" || w.observedBySDK() {
		return
	}
	s := w.state()
	o.addValue(o.inflight, s.inflight, w.base, "")
	o.addValue(o.exported, int64(s.exported), w.base, "")
	for kind, n := range s.failed {
		o.addValue(o.exported, int64(n), w.base, kind)
	}
}

// observedBySDK reports whether the exporter's own package observes its metrics.
func (w *watch) observedBySDK() bool { return sdkObserves() && strings.HasPrefix(w.kind, "otlp_") }

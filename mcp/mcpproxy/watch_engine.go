// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// settings are the options of the proxy; all are set.
type settings struct {
	server        string
	clientSpans   bool
	injectContext bool
	hungAfter     time.Duration
	baseline      *pinBaseline
	acceptTools   bool
	pinTools      bool
}

// engine is what the sessions of a proxy share.
type engine struct {
	settings
	scope      *toolscope.Scope
	observers  []toolkit.Observer
	tracer     trace.Tracer
	metrics    *metrics
	propagator propagator
	redactor   *redact.Redactor
	clean      func(string) string // redacts and truncates a name before it is exported
	notes      *notes
	tap        *tap
	shared     waiting // governed calls of clients that have no session
	earlier    earlierTools
	tasks      tasks
	waiting    atomic.Int64 // bytes of arguments of all governed calls that wait for their next round
	codes      errorCodes

	// These belong to the goroutine of the tap.
	prompts   map[string]bool
	suspended waiting // calls of clients that have no session
	held      int     // bytes of arguments of the calls that run
}

// propagator is how trace context travels.
type propagator interface {
	Inject(ctx context.Context, carrier propagation.TextMapCarrier)
	Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context
}

// maxName bounds exported names, in bytes.
const maxName = 256

func newEngine(scope *toolscope.Scope, o settings) (*engine, error) {
	w := &engine{
		settings: o, scope: scope, observers: scope.Observers(), tap: newTap(),
		propagator: propagation.TraceContext{}, redactor: redact.Default(), prompts: map[string]bool{},
	}
	w.clean = func(s string) string { s, _ = w.redactor.TextMax(s, maxName); return s }
	w.tracer = noop.NewTracerProvider().Tracer(scopeName)
	var err error
	if o := scope.Tracing(); o != nil {
		w.tracer, w.redactor, w.clean = o.TracerProvider().Tracer(scopeName), o.Redactor(), o.Identifier
		if !o.PropagatesNothing() {
			w.propagator = o
		}
		w.metrics, err = newMetrics(o.MeterProvider())
	} else {
		w.metrics, err = newMetrics(metricnoop.NewMeterProvider())
	}
	if err != nil {
		return nil, fmt.Errorf("mcpproxy: %w", err)
	}
	w.notes = &notes{metrics: w.metrics, clean: w.clean, redactor: w.redactor, counts: map[noteKind]uint64{}}
	w.earlier.replace(o.baseline.names())
	return w, nil
}

// framed reports whether frames are read before they are forwarded, which policies and the injection of
// context need.
func (w *engine) framed() bool { return w.injectContext || w.governs() }

// governs reports whether calls may be refused, so that nothing is forwarded that could be a call and was
// not understood.
func (w *engine) governs() bool {
	now := w.scope.Settings()
	return w.pinTools || len(now.Policies) > 0 || len(now.ToolsOff) > 0
}

// extract is the context that a request is handled in: the one that came with it is the parent.
func (w *engine) extract(ctx context.Context, m meta) context.Context {
	if len(m) == 0 {
		return ctx
	}
	return w.propagator.Extract(ctx, m)
}

func (w *engine) errorText(out *outcome) string {
	observer := w.scope.Tracing()
	switch {
	case observer == nil:
	case out.err != nil:
		return observer.ErrorText(out.err)
	case out.message != nil && out.message.Error != nil:
		return observer.ErrorText(out.message.Error)
	}
	return ""
}

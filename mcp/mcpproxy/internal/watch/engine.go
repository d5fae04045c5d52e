// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// Settings are the options of the proxy; all but the functions are set.
type Settings struct {
	Server        string
	Tenant        string
	ClientSpans   bool
	InjectContext bool
	HungAfter     time.Duration
	Baseline      *pins.Baseline
	AcceptTools   bool
	PinTools      bool
	Upstream      func(http.RoundTripper) http.RoundTripper // nil for nothing in front of the transport
	BeforeForward func()
	OnRequest     func(Request)
	OnSession     func(SessionReport)
	OnTools       func(session string, tools []ListedTool)
}

// Engine is what the sessions of a proxy share.
type Engine struct {
	Settings
	Scope      *toolscope.Scope
	Observers  []toolkit.Observer
	tracer     trace.Tracer
	metrics    *metrics
	Propagator propagator
	redactor   *redact.Redactor
	clean      func(string) string // redacts and truncates a name before it is exported
	notes      *notes
	Tap        *frames.Tap
	Shared     Waiting // governed calls of clients that have no session
	Earlier    earlierTools
	Tasks      tasks
	Waiting    atomic.Int64 // bytes of arguments of all governed calls that wait for their next round
	codes      errorCodes

	// These belong to the goroutine of the tap.
	prompts   map[string]bool
	suspended Waiting // calls of clients that have no session
	held      int     // bytes of arguments of the calls that run
}

// propagator is how trace context travels.
type propagator interface {
	Inject(ctx context.Context, carrier propagation.TextMapCarrier)
	Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context
}

// maxName bounds exported names, in bytes.
const maxName = 256

func newEngine(scope *toolscope.Scope, o Settings) (*Engine, error) {
	w := &Engine{
		Settings: o, Scope: scope, Observers: scope.Observers(), Tap: frames.NewTap(),
		Propagator: propagation.TraceContext{}, redactor: redact.Default(), prompts: map[string]bool{},
	}
	w.clean = func(s string) string { s, _ = w.redactor.TextMax(s, maxName); return s }
	w.tracer = noop.NewTracerProvider().Tracer(scopeName)
	var err error
	if o := scope.Tracing(); o != nil {
		p := o.Protocol()
		w.tracer, w.redactor, w.clean = p.TracerProvider().Tracer(scopeName), p.Redactor(), p.Identifier
		if !p.PropagatesNothing() {
			w.Propagator = o
		}
		w.metrics, err = newMetrics(o.Protocol().MeterProvider())
	} else {
		w.metrics, err = newMetrics(metricnoop.NewMeterProvider())
	}
	if err != nil {
		return nil, fmt.Errorf("mcpproxy: %w", err)
	}
	w.notes = &notes{metrics: w.metrics, clean: w.clean, redactor: w.redactor, counts: map[NoteKind]uint64{}}
	w.Earlier.Replace(o.Baseline.Names())
	return w, nil
}

// Framed reports whether frames are read before they are forwarded, which policies and the injection of
// context need.
func (w *Engine) Framed() bool { return w.InjectContext || w.Governs() }

// Governs reports whether calls may be refused, so that nothing is forwarded that could be a call and was
// not understood.
func (w *Engine) Governs() bool {
	now := w.Scope.Settings()
	return w.PinTools || len(now.Policies) > 0 || len(now.ToolsOff) > 0
}

// Extract is the context that a request is handled in: the one that came with it is the parent.
func (w *Engine) Extract(ctx context.Context, m wire.Meta) context.Context {
	if len(m) == 0 {
		return ctx
	}
	return w.Propagator.Extract(ctx, m)
}

func (w *Engine) errorText(out *outcome) string {
	observer := w.Scope.Tracing()
	switch {
	case observer == nil:
	case out.err != nil:
		return observer.Protocol().ErrorText(out.err)
	case out.message != nil && out.message.Error != nil:
		return observer.Protocol().ErrorText(out.message.Error)
	}
	return ""
}

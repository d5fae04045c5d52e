// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/spans"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/tracing"
)

// watcher is one middleware's memory.
type watcher struct {
	config
	server     bool // whether it handles requests, or sends them
	kind       trace.SpanKind
	scope      *toolscope.Scope
	observer   *tracing.Observer // nil if the scope makes neither spans nor metrics
	tracer     trace.Tracer
	metrics    *metrics
	propagator propagator
	clean      func(string) string // what a name passes before it leaves
	sessions   *sync.Map           // of mcp.Session to *session
	calls      callAttributes
	sent       *sentCalls // of the scope's clients
	rounds     rounds
	prompts    names // that a peer listed or answered
	codes      names
	unscoped   atomic.Bool // whether it was reported that policies miss a session
}

// newWatcher makes the memory of a client's or a server's middleware. The two of one
// endpoint share what they know of its sessions.
func newWatcher(scope *toolscope.Scope, server bool, sessions *sync.Map, o Options) *watcher {
	w := &watcher{
		config: newConfig(o), server: server, kind: trace.SpanKindClient, scope: scope,
		observer: scope.Tracing(), sessions: sessions, sent: sentCallsOf(scope),
	}
	w.propagator = propagatorOf(w.observer)
	var tracers trace.TracerProvider = tracenoop.NewTracerProvider()
	var meters metric.MeterProvider = metricnoop.NewMeterProvider()
	w.clean = func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") } // it goes nowhere
	if w.observer != nil {
		p := w.observer.Protocol()
		tracers, meters, w.clean = p.TracerProvider(), p.MeterProvider(), p.Identifier
	}
	w.tracer = tracers.Tracer(scopeName)
	side := "client"
	if server {
		w.kind, side = trace.SpanKindServer, keys.SideServer
	}
	var err error
	if w.metrics, err = newMetrics(meters, side, w.clean); err != nil {
		otel.Handle(err) // the other instruments work
	}
	return w
}

// callSpec is what the spans of this middleware's calls have in common.
func (w *watcher) callSpec() *spans.Spec {
	spec := &spans.Spec{Operation: methodCallTool, Kind: w.kind}
	if w.server {
		spec.Side = keys.SideServer
	}
	return spec
}

// maxPrompts bounds how many names of prompts are distinguished in metrics and span names.
const maxPrompts = 1024

// operate runs one operation other than a tool's call in a span of its own.
func (w *watcher) operate(
	ctx context.Context, method string, req mcp.Request, start []trace.SpanStartOption,
	next func(context.Context) (mcp.Result, error),
) (res mcp.Result, err error) {
	r := w.describe(method, req, w.known(req.GetSession()))
	name, knownPrompt := method, r.prompt != "" && w.prompts.has(r.prompt)
	if knownPrompt {
		name += " " + w.clean(r.prompt)
	}
	began := time.Now()
	start = append(start, trace.WithSpanKind(w.kind), trace.WithTimestamp(began), trace.WithAttributes(w.attributes(&r)...))
	ctx, span := w.tracer.Start(ctx, name, start...)
	returned := false
	defer func() {
		end := time.Now()
		st := w.statusOf(err, "_OTHER")
		if !returned { // a panic, or Goexit, which goes on
			st = status{errorType: "panic"}
		}
		if method == methodInitialize && returned && err == nil {
			answer, _ := res.(*mcp.InitializeResult)
			w.initialized(req.GetSession(), began, r.http, answer)
			r.version = version(req, w.known(req.GetSession()))
		}
		if returned && err == nil {
			w.learnPrompts(&r, res)
			if !knownPrompt && r.prompt != "" && w.prompts.has(r.prompt) {
				knownPrompt = true
				span.SetName(method + " " + w.clean(r.prompt))
			}
		}
		l := labels{method: method, errorType: st.errorType, statusCode: st.code, version: r.version, http: r.http}
		if knownPrompt {
			l.prompt = r.prompt
		}
		w.metrics.record(ctx, end.Sub(began), l, w.networkOf(r.http))
		w.finish(span, &r, req, res, err, st)
		span.End(trace.WithTimestamp(end))
	}()
	res, err = next(ctx)
	returned = true
	return res, err
}

// finish tells the span how an operation ended.
func (w *watcher) finish(span trace.Span, r *request, req mcp.Request, res mcp.Result, err error, st status) {
	if !span.IsRecording() {
		return
	}
	if st.code != "" {
		span.SetAttributes(keys.StatusCode.String(st.code))
	}
	if r.method == methodInitialize && r.version != revision.Unknown {
		span.SetAttributes(keys.ProtocolVersion.String(r.version.String()))
	}
	if st.errorType != "" {
		span.SetAttributes(keys.ErrorType.String(st.errorType))
		span.SetStatus(codes.Error, w.observer.Protocol().ErrorText(err))
	}
	if w.observer.Content() {
		w.addContent(span, req, res)
	}
}

// learnPrompts remembers the names of prompts that a peer knows.
func (w *watcher) learnPrompts(r *request, res mcp.Result) {
	switch res := res.(type) {
	case *mcp.GetPromptResult:
		w.prompts.addName(r.prompt, maxPrompts)
	case *mcp.ListPromptsResult:
		if res == nil {
			return
		}
		for _, p := range res.Prompts {
			if p != nil && utf8.ValidString(p.Name) {
				w.prompts.addName(p.Name, maxPrompts)
			}
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/spans"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/toolkit"
)

// Client is a middleware for who sends requests and notifications: it makes their spans
// (of kind CLIENT) and metrics, and sends the context along. It is meant for
// AddSendingMiddleware of a *mcp.Client, and of a *mcp.Server, which sends
// notifications and asks for sampling and elicitation.
//
// A tools/call is a call that the scope's policies govern and its statistics count, unless
// it is made for a call of the scope already: then it is part of that call, whose span
// carries the protocol's attributes ([Options].SeparateSpans makes one of its own). It is
// made for a call if it has the same tool name, or the end of it after a separator, as
// in "files__read" for "read".
//
// A tool's name reaches span names and metrics once a complete tools/list of the session has it. Other names are
// tracing.UnknownTool there, even if the server answers them with success, because models make names up; the
// span has the redacted name as toolscope.tool.requested_name. So list the server's tools once after you connect,
// as an agent does anyway, or let [Options].Listing do it.
//
// A nil scope, and one that is off, passes all on.
func Client(scope *toolscope.Scope, o Options) mcp.Middleware {
	return sending(scope, new(sync.Map), o)
}

func sending(scope *toolscope.Scope, sessions *sync.Map, o Options) mcp.Middleware {
	if scope == nil {
		return func(next mcp.MethodHandler) mcp.MethodHandler { return next }
	}
	w := newWatcher(scope, false, sessions, o)
	if w.observer != nil {
		w.observer.Protocol().ShareCalls()
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if w.scope.Off() || isNil(req) {
				return next(ctx, method, req)
			}
			return w.send(ctx, method, req, next)
		}
	}
}

func (w *watcher) send(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	var s *session
	if cs, ok := req.GetSession().(*mcp.ClientSession); ok && !strings.HasPrefix(method, "notifications/") {
		if s = w.known(cs); s == nil {
			s = w.remember(cs, w.newClientSession())
		}
	}
	if params, ok := req.GetParams().(*mcp.CallToolParams); ok && params != nil && method == methodCallTool && s != nil {
		return w.sendCall(ctx, s, params, req, next)
	}
	res, err := w.operate(ctx, method, req, nil, func(ctx context.Context) (mcp.Result, error) {
		return next(ctx, method, w.inject(ctx, method, req))
	})
	if list, ok := res.(*mcp.ListToolsResult); ok && err == nil && list != nil && s != nil {
		params, _ := req.GetParams().(*mcp.ListToolsParams)
		s.tools.page(params == nil || params.Cursor == "", list)
	}
	return res, err
}

func (w *watcher) newClientSession() *session {
	s := &session{tools: &toolTable{client: true}}
	s.call = w.newCaller(s.tools.lookup)
	return s
}

// sendCall sends a tools/call: as a part of the call it is made for, or as one of its own.
func (w *watcher) sendCall(
	ctx context.Context, s *session, params *mcp.CallToolParams, req mcp.Request, next mcp.MethodHandler,
) (mcp.Result, error) {
	if cs, ok := req.GetSession().(*mcp.ClientSession); ok && w.listing {
		s.tools.refreshClient(ctx, params.Name, cs)
	}
	x := &exchange{watcher: w, request: w.describe(methodCallTool, req, s), req: req, next: next, name: params.Name, tools: s.tools}
	if args, err := argumentsOf(params.Arguments); err == nil {
		x.args, x.known = args, true
	}
	if span, tool, ok := spans.OuterCall(ctx); ok && (madeFor(tool, params.Name) || saidPartOf(ctx, params.Name)) {
		if w.separate {
			return w.sendSeparate(ctx, x)
		}
		return w.sendMerged(ctx, x, span)
	}
	args := x.args
	ctx = x.mayHaveRounds(ctx, args, params.RequestState, params.InputResponses)
	if w.observer != nil { // else no observer takes the spec, but for a call inside this one
		spec := w.callSpec()
		spec.Attributes, spec.End = w.attributes(&x.request), x.end
		ctx = spans.With(ctx, x.spanSpec(spec))
	}
	r := s.call(ctx, x)
	x.endRound(args, r)
	return r.result()
}

// sendMerged makes the call part of an outer one. Where that came by a protocol itself, its
// span goes on telling of how it came, not of where a proxy sent it.
func (w *watcher) sendMerged(ctx context.Context, x *exchange, span trace.Span) (mcp.Result, error) {
	began := time.Now()
	r := x.carryOut(ctx)
	st := w.statusOf(r.failure(), "_OTHER")
	w.metrics.record(ctx, time.Since(began), x.labels(x.innerLabel(ctx), st), w.networkOf(x.request.http))
	if span.IsRecording() && spans.From(ctx) == nil {
		span.SetAttributes(w.attributes(&x.request)...)
		if st.code != "" {
			span.SetAttributes(keys.StatusCode.String(st.code))
		}
	}
	return r.result()
}

// sendSeparate gives the call a span of its own below an outer one, which is the one that is
// counted and governed.
func (w *watcher) sendSeparate(ctx context.Context, x *exchange) (mcp.Result, error) {
	began := time.Now()
	label := x.innerLabel(ctx)
	name := w.clean(label)
	attrs := append(w.attributes(&x.request), keys.Operation.String("execute_tool"), keys.ToolName.String(name))
	if label != x.name {
		attrs = append(attrs, keys.RequestedName.String(w.clean(x.name)))
	}
	ctx, span := w.tracer.Start(
		ctx, methodCallTool+" "+name, trace.WithSpanKind(w.kind), trace.WithTimestamp(began), trace.WithAttributes(attrs...),
	)
	var r reply
	returned := false
	defer func() {
		end := time.Now()
		st := status{errorType: "panic"}
		if returned {
			st = w.statusOf(r.failure(), "_OTHER")
		}
		w.metrics.record(ctx, end.Sub(began), x.labels(label, st), w.networkOf(x.request.http))
		w.finish(span, &x.request, x.req, nil, r.failure(), st)
		span.End(trace.WithTimestamp(end))
	}()
	r = x.carryOut(ctx)
	returned = true
	return r.result()
}

// innerLabel is the name of a call that is part of another one, as it may appear in a span name or a metric:
// a listed tool's, or the end of the outer tool's. [PartOf] alone says nothing about who chose the name.
func (x *exchange) innerLabel(ctx context.Context) string {
	if _, tool, ok := spans.OuterCall(ctx); ok && madeFor(tool, x.name) {
		return x.name
	}
	return x.tools.label(x.name)
}

// madeFor reports whether a call of name is what an outer call of tool is about.
func madeFor(tool *toolkit.Definition, name string) bool {
	if tool == nil || name == "" {
		return false
	}
	outer, found := strings.CutSuffix(tool.Name, name)
	return found && (outer == "" || strings.ContainsRune("_-./:", rune(outer[len(outer)-1])))
}

// argumentsOf are a call's arguments as JSON.
func argumentsOf(v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return v, nil
	}
	return json.Marshal(v)
}

// labels are the metric's of a call to the tool of that name, which is one of few.
func (x *exchange) labels(tool string, st status) labels {
	return labels{
		method: methodCallTool, tool: tool, errorType: st.errorType, statusCode: st.code, version: x.request.version,
		http: x.request.http,
	}
}

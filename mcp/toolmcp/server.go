// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/toolscope/toolscope/internal/spans"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/toolkit"
)

// Server is a middleware for who handles requests and notifications: it makes their
// spans (of kind SERVER) and metrics, below the context that came with them. It is meant
// for AddReceivingMiddleware of a *mcp.Server, and of a *mcp.Client, which handles
// sampling and elicitation.
//
// A tools/call is a call that the scope's policies govern and its statistics count. What a
// policy refuses is a result with isError, so that the model reads why. The
// middleware lists the server's tools when it does not know a name, at most once a second, for
// which such a call waits 2 seconds at most, and again after a minute, while calls go on.
//
// A nil scope, and one that is off, passes all on.
func Server(scope *toolscope.Scope, o Options) mcp.Middleware {
	return receiving(scope, new(sync.Map), o)
}

func receiving(scope *toolscope.Scope, sessions *sync.Map, o Options) mcp.Middleware {
	if scope == nil {
		return func(next mcp.MethodHandler) mcp.MethodHandler { return next }
	}
	w := newWatcher(scope, true, sessions, o)
	w.sent.handled.Store(true)
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		tools := new(toolTable)
		call := w.newCaller(tools.lookup)
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if w.scope.Off() || isNil(req) {
				return next(ctx, method, req)
			}
			if params, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && params != nil && method == methodCallTool {
				tools.refresh(ctx, params.Name, req.GetSession(), next)
				return w.receiveCall(ctx, call, params, req, next)
			}
			return w.receive(ctx, method, req, next)
		}
	}
}

func (w *watcher) receive(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	ctx, links, root := w.incoming(ctx, method, req)
	var start []trace.SpanStartOption
	if len(links) > 0 {
		start = append(start, trace.WithLinks(links...))
	}
	if root {
		start = append(start, trace.WithNewRoot())
	}
	return w.operate(ctx, method, req, start, func(ctx context.Context) (res mcp.Result, err error) {
		if !w.noRecover {
			defer func() {
				if v := recover(); v != nil {
					trace.SpanFromContext(ctx).SetAttributes(keys.Recovered.Bool(true))
					res, err = nil, &panicError{toolkit.PanicError{Value: v, Stack: debug.Stack()}, method}
				}
			}()
		}
		return next(ctx, method, req)
	})
}

// panicError is the panic of a handler as an error that the SDK answers with.
type panicError struct {
	toolkit.PanicError
	method string
}

func (e *panicError) Error() string {
	return fmt.Sprintf("internal error: the handler of %s panicked", e.method)
}

// Unwrap gives the code that is answered, and what the panic is.
func (e *panicError) Unwrap() []error {
	return []error{&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Error()}, &e.PanicError}
}

func (w *watcher) receiveCall(
	ctx context.Context, call caller, params *mcp.CallToolParamsRaw, req mcp.Request, next mcp.MethodHandler,
) (res mcp.Result, err error) {
	known := w.known(req.GetSession())
	x := &exchange{
		watcher: w, request: w.describe(methodCallTool, req, known), req: req, next: next, name: params.Name,
		args: params.Arguments, known: true,
	}
	ctx, links, root := w.incoming(ctx, methodCallTool, req)
	ctx, x.elsewhere = w.sent.uncounted(ctx)
	ctx = x.mayHaveRounds(ctx, params.Arguments, params.RequestState, params.InputResponses)
	ctx, x.fault = w.inSession(ctx, req, known)
	if w.observer != nil {
		spec := w.callSpec()
		spec.Attributes, spec.Links, spec.NewRoot, spec.End = w.attributes(&x.request), links, root, x.end
		ctx = spans.With(ctx, x.spanSpec(spec))
	}
	if !w.noRecover {
		defer func() { // of a policy: what a tool panicked with ends in run, so that policies see a result
			if v := recover(); v != nil {
				res, err = x.complete(callToolResult(toolkit.Failure(&toolkit.PanicError{Value: v, Stack: debug.Stack()}))), nil
			}
		}()
	}
	r := call(ctx, x)
	x.endRound(params.Arguments, r)
	return r.result()
}

// incoming is the context that a request is handled with: the one that came in _meta is
// the parent, and the transport's own (of an HTTP server, say) a link. With a public
// endpoint what came is a link, and the trace is new.
//
// To a session over HTTP the SDK gives the context of the request that opened it, which
// is over and no parent: what its own request's headers say stands in its place.
func (w *watcher) incoming(
	ctx context.Context, method string, req mcp.Request,
) (_ context.Context, links []trace.Link, root bool) {
	ambient := trace.SpanContextFromContext(ctx)
	outer := ctx
	if headers := laterHeaders(method, req); headers != nil {
		outer = w.propagator.Extract(trace.ContextWithSpanContext(ctx, trace.SpanContext{}), propagation.HeaderCarrier(headers))
		if own := trace.SpanContextFromContext(outer); own.IsValid() {
			ambient = own
		}
	}
	inner := outer
	if values, ok := metaOf(req); ok {
		inner = w.propagator.Extract(outer, &meta{values: values})
	}
	came := trace.SpanContextFromContext(inner)
	if w.public {
		if came.IsValid() && !came.Equal(ambient) {
			links = append(links, trace.Link{SpanContext: came})
		}
		if ambient.IsValid() {
			links = append(links, trace.Link{SpanContext: ambient})
		}
		return ctx, links, true
	}
	if ambient.IsValid() && !came.Equal(ambient) {
		links = append(links, trace.Link{SpanContext: ambient})
	}
	return inner, links, false
}

// laterHeaders are the headers of an HTTP request that belongs to a session which an
// earlier one opened; nil if it does not.
func laterHeaders(method string, req mcp.Request) http.Header {
	extra := req.GetExtra()
	if extra == nil || extra.Header == nil || method == methodInitialize || req.GetSession().ID() == "" {
		return nil
	}
	return extra.Header
}

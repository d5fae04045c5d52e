// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
)

// Instrument is the option of a server whose tools the scope observes and governs. A nil scope
// changes nothing.
func Instrument(scope *toolscope.Scope) server.ServerOption {
	if scope == nil {
		return func(*server.MCPServer) {}
	}
	return func(s *server.MCPServer) {
		tools := &registered{server: s}
		govern := toolscope.Must(toolscope.FuncMiddleware[execute](scope, adapter(tools)))
		s.Use(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			handle := govern(func(ctx context.Context, r mcp.CallToolRequest) outcome {
				result, err := next(ctx, r)
				return outcome{result, err}
			})
			return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				tools.meet(ctx, r.Params.Name)
				o := handle(incoming(ctx, scope, r), r)
				return o.result, o.err
			}
		})
		observeUnknown(s, scope)
	}
}

// Session is the session that a request of ctx belongs to: the context's own, else that of the
// protocol; nil if there is none.
func Session(ctx context.Context) *toolkit.Session {
	if s := toolkit.SessionFrom(ctx); s != nil {
		return s
	}
	client := server.ClientSessionFromContext(ctx)
	if client == nil || client.SessionID() == "" {
		return nil
	}
	return &toolkit.Session{ID: client.SessionID()}
}

// incoming is the context of a call: its session, the caller's span and what its own span says.
func incoming(ctx context.Context, scope *toolscope.Scope, r mcp.CallToolRequest) context.Context {
	if s := Session(ctx); s != nil && toolkit.SessionFrom(ctx) == nil {
		ctx = toolkit.WithSession(ctx, *s)
	}
	tracing := scope.Tracing()
	if tracing == nil || scope.Off() {
		return ctx
	}
	if r.Params.Meta != nil && len(r.Params.Meta.AdditionalFields) > 0 {
		ctx = tracing.Extract(ctx, carrier(r.Params.Meta.AdditionalFields))
	}
	spec := &spans.Spec{
		Operation: "tools/call", Side: keys.SideServer, Kind: trace.SpanKindServer,
		Attributes: []attribute.KeyValue{keys.Method.String(string(mcp.MethodToolsCall))},
		// A tool that asks for input is called again with the answers, which is the same call.
		Continues: r.Params.RequestState != "" || len(r.Params.InputResponses) > 0,
		Uncounted: func(e *toolkit.Ended) bool { return e.Result.Suspended },
	}
	if client := server.ClientSessionFromContext(ctx); client != nil && client.SessionID() != "" {
		spec.Attributes = append(spec.Attributes,
			keys.SessionID.String(tracing.Protocol().Identifier(client.SessionID())))
	}
	return spans.With(ctx, spec)
}

// carrier reads the context that came in _meta.
type carrier map[string]any

var _ propagation.TextMapCarrier = carrier(nil)

// Get returns a text, or "".
func (c carrier) Get(key string) string {
	text, _ := c[key].(string)
	return text
}

// Set does nothing: what came is only read.
func (c carrier) Set(string, string) {}

// Keys are the names of all fields.
func (c carrier) Keys() []string {
	all := make([]string, 0, len(c))
	for key := range c {
		all = append(all, key)
	}
	return all
}

// observeUnknown records calls of tools that the server refuses before its middlewares.
func observeUnknown(s *server.MCPServer, scope *toolscope.Scope) {
	callbacks := toolscope.Must(scope.Callbacks(toolkit.NoTools, toolscope.ObserveOnly()))
	hooks := s.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(s)
	}
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
		request, ok := message.(*mcp.CallToolRequest)
		if !ok || method != mcp.MethodToolsCall || !errors.Is(err, server.ErrToolNotFound) {
			return
		}
		call := callOf(*request)
		_, running := callbacks.Begin(incoming(ctx, scope, *request), call)
		running.Record().Note(func(d *toolkit.Disposition) { d.Outcome = toolkit.OutcomeRefused })
		running.End(toolkit.Result{}, &toolkit.Error{
			Kind: toolkit.ErrUnknownTool, Tool: call.Name, Message: fmt.Sprintf("no tool %q", call.Name), Cause: err,
		})
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 servers of older revisions ask for what the newest deprecates, and are served.

package manager

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// maxRequests is how many requests of a server are handled at a time.
const maxRequests = 64

// newClient makes the client of a server: it offers what the host offers.
func (s *server) newClient() *mcp.Client {
	o := &s.m.options
	c := &mcp.ClientOptions{
		Logger:                      slog.New(slog.DiscardHandler),
		Capabilities:                &mcp.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { s.ask(readTools) },
		PromptListChangedHandler:    func(context.Context, *mcp.PromptListChangedRequest) { s.ask(readPrompts) },
		ResourceListChangedHandler:  func(context.Context, *mcp.ResourceListChangedRequest) { s.ask(readResources) },
		ResourceUpdatedHandler:      s.resourceUpdated,
		LoggingMessageHandler:       s.logged,
		ProgressNotificationHandler: s.progressed,
	}
	if len(o.Roots) > 0 {
		c.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	if f := o.Sampling; f != nil {
		c.CreateMessageHandler = func(ctx context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return ask(ctx, s, "sampling/createMessage", r.Params, f)
		}
	}
	if f := o.SamplingWithTools; f != nil {
		c.CreateMessageWithToolsHandler = func(ctx context.Context,
			r *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return ask(ctx, s, "sampling/createMessage", r.Params, f)
		}
	}
	if f := o.Elicitation; f != nil {
		if o.ElicitURL {
			c.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{},
				URL: &mcp.URLElicitationCapabilities{}}
		}
		c.ElicitationHandler = func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if err := checkForm(r.Params.RequestedSchema); err != nil {
				return nil, err
			}
			return ask(ctx, s, "elicitation/create", r.Params, f)
		}
	}
	client := mcp.NewClient(o.Client, c)
	client.AddRoots(o.Roots...)
	client.AddReceivingMiddleware(s.guard())
	if o.Scope != nil {
		instrument := o.Instrument
		instrument.Transport = s.described()
		toolmcp.Instrument(client, o.Scope, instrument)
	}
	client.AddSendingMiddleware(forgetResources)
	return client
}

// described stands for the server's transport, for what spans say of it.
func (s *server) described() mcp.Transport {
	switch s.conf.kind() {
	case "stdio":
		return &mcp.CommandTransport{}
	case "http", "sse":
		return &mcp.StreamableClientTransport{Endpoint: s.conf.URL}
	}
	return nil
}

// ask has the host answer a server's request. Its context ends with the connection, and its
// panic is an error.
func ask[P, R any](ctx context.Context, s *server, method string, params P,
	f func(context.Context, string, P) (R, error)) (res R, err error) {
	s.mu.Lock()
	serving := s.serving
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if serving != nil {
		defer context.AfterFunc(serving, cancel)()
	}
	defer func() {
		if recover() != nil { // its value may hold anything
			err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
				Message: "internal error: the application's handler of " + method + " panicked"}
		}
	}()
	return f(ctx, s.conf.Name, params)
}

// guard refuses what the host does not offer, and too many requests at a time.
func (s *server) guard() mcp.Middleware {
	var running atomic.Int64
	o := &s.m.options
	offers := map[string]bool{
		"sampling/createMessage": o.Sampling != nil || o.SamplingWithTools != nil,
		"elicitation/create":     o.Elicitation != nil,
		"roots/list":             len(o.Roots) > 0,
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if strings.HasPrefix(method, "notifications/") {
				return next(ctx, method, req)
			}
			if offered, known := offers[method]; known && !offered {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + ": this host does not offer it"}
			}
			defer running.Add(-1)
			if running.Add(1) > maxRequests {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
					Message: fmt.Sprintf("%s: got more than %d requests at a time, want at most as many", method, maxRequests)}
			}
			return next(ctx, method, req)
		}
	}
}

// maxFormDepth is how deep a form's schema may be: the protocol has flat objects of
// primitives, and lists of choices in them.
const maxFormDepth = 8

// checkForm refuses a schema that refers to others: {"$ref": "#"} has the SDK's validator
// call itself until the process ends.
func checkForm(schema any) error {
	if !plainForm(schema, 0) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestedSchema: got references or deep " +
			"nesting, want a flat object of primitive properties"}
	}
	return nil
}

func plainForm(v any, depth int) bool {
	if depth > maxFormDepth {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if strings.HasPrefix(name, "$") && name != "$schema" && name != "$comment" || !plainForm(value, depth+1) {
				return false
			}
		}
	case []any:
		for _, value := range v {
			if !plainForm(value, depth+1) {
				return false
			}
		}
	}
	return true
}

func (s *server) resourceUpdated(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
	if tell := s.m.options.OnResource; tell != nil && r.Params != nil {
		uri := r.Params.URI
		s.m.events.put(len(uri), func() { tell(s.conf.Name, uri) })
	}
}

func (s *server) logged(_ context.Context, r *mcp.LoggingMessageRequest) {
	if tell := s.m.options.OnLog; tell != nil && r.Params != nil {
		message := *r.Params
		text, err := json.Marshal(message.Data)
		if err != nil {
			return
		}
		s.m.events.put(len(text)+len(message.Logger), func() { tell(s.conf.Name, message) })
	}
}

// await asks for a call's progress until the function it returns is called.
func (s *server) await(call toolkit.Call, params *mcp.CallToolParams) (done func()) {
	token := strconv.FormatUint(s.tokens.Add(1), 10)
	s.awaited.Store(token, toolkit.Call{ID: call.ID, Name: call.Name})
	params.SetProgressToken(token)
	return func() { s.awaited.Delete(token) }
}

func (s *server) progressed(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	tell := s.m.options.OnProgress
	if tell == nil || r.Params == nil {
		return
	}
	token, _ := r.Params.ProgressToken.(string)
	v, ok := s.awaited.Load(token)
	if !ok { // of a call that is over, or of none
		return
	}
	p := mcp.ProgressNotificationParams{Progress: r.Params.Progress, Total: r.Params.Total, Message: r.Params.Message}
	s.m.events.put(len(p.Message), func() { tell(s.conf.Name, v.(toolkit.Call), p) })
}

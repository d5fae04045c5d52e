// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
)

// schemas that do not compile, or that end nowhere.
var schemas = []string{
	`{"type":"object","$ref":"#"}`, `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`, `{"type":"object",` +
		`"properties":{"a":{"$ref":"#/nowhere"}}}`,
	`{"type":"object","properties":{"a":{"pattern":"("}}}`, `{"type":"object","$ref":"https:` +
		`//example.invalid/schema.json"}`, `{"type":"object","properties":7}`,
	`{"type":"object","allOf":[{"$ref":"#"}]}`, `{"type":"object","required":"a"}`, `{"type":"object","minProperties":-1}`,
}

// foreignRegistry is a registry of the application's own, by name and schema: toolkit.Registry refuses some of these schemas.
type foreignRegistry map[string]string

func (r foreignRegistry) Definitions() (all []toolkit.Definition) {
	for name := range r {
		all = append(all, *r.Lookup(name))
	}
	return all
}

func (r foreignRegistry) Lookup(name string) *toolkit.Definition {
	schema, ok := r[name]
	if !ok {
		return nil
	}
	return &toolkit.Definition{Name: name, InputSchema: json.RawMessage(schema)}
}

func (foreignRegistry) Handle(context.Context, toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: "ran"}, nil
}

// TestSchemasThatDoNotCompile serves and validates tools with schemas that no validator
// takes: nothing hangs or ends the process, and the other tools work.
func TestSchemasThatDoNotCompile(t *testing.T) {
	registry := foreignRegistry{"fine": `{"type":"object"}`}
	for i, schema := range schemas {
		registry[fmt.Sprint("odd", i)] = schema
	}
	server, err := toolmcp.NewServer(nil, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	clients, errC := validate.New(validate.Options{})
	servers, errS := validate.New(validate.Options{})
	if err := errors.Join(errC, errS); err != nil {
		t.Fatal(err)
	}
	c, s := newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{clients}}),
		newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{servers}})
	cs := connect(t, server, c, s, legacy)
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(schemas)+1 {
		t.Fatalf("got %d tools and %v", len(list.Tools), err)
	}
	for _, tool := range list.Tools {
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: map[string]any{"a": 1, "A": 1}})
		if err != nil || tool.Name == "fine" && res.IsError {
			t.Errorf("%s: got %+v and %v", tool.Name, res, err)
		}
	}
}

// TestLargeResults passes on 100 MiB, of which spans show their few KiB. The SDK's
// transports take 16 MiB, so the middlewares are called without one.
func TestLargeResults(t *testing.T) {
	const size = 100 << 20
	result := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", size)}},
		StructuredContent: map[string]any{"text": strings.Repeat("y", size/10)},
	}
	resource := &mcp.ReadResourceResult{
		Contents: []*mcp.ResourceContents{{URI: "test://large", Text: result.Content[0].(*mcp.TextContent).Text}},
	}
	next := func(_ context.Context, method string, _ mcp.Request) (mcp.Result, error) {
		if method == "resources/read" {
			return resource, nil
		}
		return result, nil
	}
	c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
	session := connect(t, newServer(), nil, nil, legacy)
	for _, call := range []struct {
		of     *telemetry
		handle mcp.MethodHandler
		method string
		req    mcp.Request
	}{
		{c, toolmcp.Client(c.Scope, toolmcp.Options{})(next), "tools/call", &mcp.ClientRequest[mcp.Params]{
			Session: session, Params: &mcp.CallToolParams{Name: "large"},
		}},
		{s, toolmcp.Server(s.Scope, toolmcp.Options{})(next), "tools/call", &mcp.CallToolRequest{
			Session: new(mcp.ServerSession), Params: &mcp.CallToolParamsRaw{Name: "large"},
		}},
		{c, toolmcp.Client(c.Scope, toolmcp.Options{})(next), "resources/read", &mcp.ClientRequest[mcp.Params]{
			Session: session, Params: &mcp.ReadResourceParams{URI: "test://large"},
		}},
		{s, toolmcp.Server(s.Scope, toolmcp.Options{})(next), "resources/read", &mcp.ReadResourceRequest{
			Session: new(mcp.ServerSession), Params: &mcp.ReadResourceParams{URI: "test://large"},
		}},
	} {
		got, err := call.handle(t.Context(), call.method, call.req)
		if want, _ := next(t.Context(), call.method, nil); got != want || err != nil {
			t.Errorf("%s: got %T and %v, want the identical result", call.method, got, err)
		}
	}
	for _, h := range []*telemetry{c, s} {
		if n := len(h.spans.Ended()); n != 2 {
			t.Errorf("got %d spans, want 2", n)
		}
		for _, span := range h.spans.Ended() {
			for key, v := range attributes(span.Attributes()) {
				if len(v) > 8192 {
					t.Errorf("%s: %s: got %d bytes", span.Name(), key, len(v))
				}
			}
		}
	}
}

// TestSharedResults runs identical calls at once through policies that share answers, on
// each side and by each revision: the SDK and the callers write to what they are given.
func TestSharedResults(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		for _, side := range []string{"client", "server"} {
			t.Run(revision+" "+side, func(t *testing.T) {
				stored, err := cache.New(cache.Options{})
				if err != nil {
					t.Fatal(err)
				}
				duplicates, err := dedupe.New(dedupe.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var runs atomic.Int64
				server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
				mcp.AddTool(
					server,
					&mcp.Tool{Name: "read", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}},
					func(_ context.Context, _ *mcp.CallToolRequest, in echoIn) (*mcp.CallToolResult, echoOut, error) {
						runs.Add(1)
						return &mcp.CallToolResult{Meta: mcp.Meta{"of": "the tool"}}, echoOut{in.Text}, nil
					},
				)
				h := newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{duplicates, stored}})
				client, one := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil), toolkit.Session{ID: "one"}
				if side == "client" {
					toolmcp.Instrument(client, h.Scope, toolmcp.Options{})
				} else {
					toolmcp.Instrument(server, h.Scope, toolmcp.Options{
						Session: func(mcp.Request) *toolkit.Session { return &one },
					})
				}
				cs := dial(t, client, server, revision)
				if _, err := cs.ListTools(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				ctx := toolkit.WithSession(t.Context(), one)
				var calls sync.WaitGroup
				for range 32 {
					calls.Go(func() {
						res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "read", Arguments: echoIn{"x"}})
						if err != nil || res.IsError || res.Meta["of"] != "the tool" ||
							res.StructuredContent.(map[string]any)["echo"] != "x" ||
							res.Content[0].(*mcp.TextContent).Text != `{"echo":"x"}` {
							t.Errorf("got %+v and %v", res, err)
							return
						}
						res.Meta["of"], res.IsError, res.Content[0] = "the caller", true, nil // it is the caller's
						res.StructuredContent.(map[string]any)["echo"] = "written"
					})
				}
				calls.Wait()
				if runs.Load() != 1 {
					t.Errorf("the tool ran %d times, want once", runs.Load())
				}
			})
		}
	}
}

// TestListThatHangs checks that calls go on while the server's own list of tools does not
// come, and that they are known by their names once it does.
func TestListThatHangs(t *testing.T) {
	server, s := newServer(), newTelemetry(t, toolscope.Options{})
	release, lists := make(chan struct{}), atomic.Int64{}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				lists.Add(1)
				<-release
			}
			return next(ctx, method, req)
		}
	})
	cs := connect(t, server, nil, s, legacy)
	call := func() {
		t.Helper()
		if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil ||
			res.IsError {
			t.Fatalf("got %+v and %v", res, err)
		}
	}
	for range 3 {
		call()
	}
	close(release)
	until(t, "the tool known", func() bool {
		call()
		return strings.Contains(strings.Join(s.names(), " "), "tools/call echo")
	})
	if n := lists.Load(); n != 1 {
		t.Errorf("got %d lists, want one", n)
	}
}

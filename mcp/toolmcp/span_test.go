// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// TestToolCall runs one call over each revision, and checks both spans, their link, and
// both metrics.
func TestToolCall(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		t.Run(revision, func(t *testing.T) {
			p := newPeers(t, revision)
			ctx := t.Context()
			if _, err := p.ListTools(ctx, nil); err != nil {
				t.Fatal(err)
			}
			res, err := p.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"hi"}})
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := json.Marshal(res.StructuredContent); string(text) != `{"echo":"hi"}` {
				t.Errorf("got %s", text)
			}
			client, server := p.client.span(t, "tools/call echo"), p.server.span(t, "tools/call echo")
			if client.SpanKind() != trace.SpanKindClient || server.SpanKind() != trace.SpanKindServer {
				t.Errorf("got the kinds %v and %v", client.SpanKind(), server.SpanKind())
			}
			if server.Parent().SpanID() != client.SpanContext().SpanID() ||
				server.SpanContext().TraceID() != client.SpanContext().TraceID() {
				t.Error("the server's span is no child of the client's")
			}
			for _, s := range []map[string]string{attributes(client.Attributes()), attributes(server.Attributes())} {
				want(
					t,
					"span",
					s,
					"mcp.method.name",
					"tools/call",
					"gen_ai.tool.name",
					"echo",
					"gen_ai.operation.name",
					"execute_tool",
					"mcp.protocol.version",
					revision,
					"error.type",
					"",
					"rpc.response.status_code",
					"",
					"toolscope.outcome",
					"executed",
					"gen_ai.tool.call.arguments",
					`{"text":"hi"}`,
				)
			}
			for i, point := range []map[string]string{
				p.client.point(t, "mcp.client.operation.duration", "tools/call"),
				p.server.point(t, "mcp.server.operation.duration", "tools/call"),
			} {
				want(
					t,
					[]string{"client", "server"}[i],
					point,
					"gen_ai.tool.name",
					"echo",
					"gen_ai.operation.name",
					"execute_tool",
					"mcp.protocol.version",
					revision,
					"error.type",
					"",
				)
			}
			if bounds := p.server.points(t, "mcp.server.operation.duration")[0].Bounds; !slices.Equal(
				bounds,
				[]float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300},
			) {
				t.Errorf("got the buckets %v", bounds)
			}
			if n := p.server.Stats().Snapshot(window).Tool("echo"); n == nil {
				t.Error("the server's statistics do not know the tool")
			}
			want(
				t,
				"tools/list",
				attributes(p.client.span(t, "tools/list").Attributes()),
				"gen_ai.operation.name",
				"",
				"mcp.method.name",
				"tools/list",
			)
		})
	}
}

// TestErrors checks status and error.type by the rule of each side.
func TestErrors(t *testing.T) {
	p := newPeers(t, legacy)
	ctx := t.Context()
	if _, err := p.ListTools(ctx, nil); err != nil {
		t.Fatal(err)
	}
	call := func(name string) {
		_, _ = p.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: echoIn{"x"}})
	}
	for _, name := range []string{"fails", "panics", "made_up"} {
		call(name)
	}
	for _, c := range []struct {
		side, span           string
		status               codes.Code
		errorType, code, not string
	}{
		{"client", "tools/call fails", codes.Error, "tool_error", "", ""},
		{"server", "tools/call fails", codes.Error, "tool_error", "", ""},
		{"client", "tools/call panics", codes.Error, "tool_error", "", "the value"},
		{"server", "tools/call panics", codes.Error, "panic", "", ""},
		{"client", "tools/call _unknown", codes.Error, "-32602", "-32602", ""},
		{"server", "tools/call _unknown", codes.Unset, "", "-32602", ""},
	} {
		side := p.client
		if c.side == "server" {
			side = p.server
		}
		s := side.span(t, c.span)
		want(t, c.side+" "+c.span, attributes(s.Attributes()), "error.type", c.errorType, "rpc.response.status_code", c.code)
		if s.Status().Code != c.status {
			t.Errorf("%s %s: got status %v, want %v", c.side, c.span, s.Status(), c.status)
		}
		if c.not != "" && strings.Contains(s.Status().Description, c.not) {
			t.Errorf("%s %s: got the status %q", c.side, c.span, s.Status().Description)
		}
	}
	for _, point := range p.client.points(t, "mcp.client.operation.duration") {
		if a := attributes(point.Attributes.ToSlice()); strings.Contains(a["gen_ai.tool.name"], "made_up") {
			t.Errorf("a made up name is a label: %v", a)
		}
	}
}

// TestOtherMethods checks prompts, resources and notifications: names, content, codes.
func TestOtherMethods(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		t.Run(revision, func(t *testing.T) {
			p := newPeers(t, revision)
			ctx := t.Context()
			secret := "gh" + "p_" + strings.Repeat("a1B2", 9)
			if _, err := p.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": secret}}); err != nil {
				t.Fatal(err)
			}
			if _, err := p.GetPrompt(ctx, &mcp.GetPromptParams{Name: "broken"}); err == nil ||
				strings.Contains(err.Error(), "runtime") {
				t.Errorf("got %v, want an internal error", err)
			}
			if _, err := p.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://a"}); err != nil {
				t.Fatal(err)
			}
			if _, err := p.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://missing"}); err == nil {
				t.Fatal("got no error for a resource that is not there")
			}
			for _, side := range []*telemetry{p.client, p.server} {
				s := attributes(side.span(t, "prompts/get greet").Attributes())
				want(
					t,
					"prompts/get",
					s,
					"gen_ai.prompt.name",
					"greet",
					"mcp.method.name",
					"prompts/get",
					"gen_ai.operation.name",
					"",
					"mcp.protocol.version",
					revision,
				)
				if s["toolscope.mcp.params"] == "" ||
					strings.Contains(s["toolscope.mcp.params"]+s["toolscope.mcp.result"], secret) {
					t.Errorf("got %q and %q, want both redacted", s["toolscope.mcp.params"], s["toolscope.mcp.result"])
				}
				want(
					t,
					"broken",
					attributes(side.span(t, "prompts/get").Attributes()),
					"rpc.response.status_code",
					"-32603",
					"error.type",
					"-32603",
				)
				resource := attributes(side.span(t, "resources/read").Attributes())
				want(t, "resources/read", resource, "mcp.resource.uri", "test://a")
				if !strings.Contains(resource["toolscope.mcp.result"], "body") {
					t.Errorf("got the resource %q", resource["toolscope.mcp.result"])
				}
			}
			if revision == legacy {
				want(t, "initialize", attributes(p.server.span(t, "initialize").Attributes()), "mcp.protocol.version", legacy)
				if p.client.span(t, "notifications/initialized").SpanKind() != trace.SpanKindClient {
					t.Error("a notification sent is no CLIENT span")
				}
			} else {
				p.server.span(t, "server/discover")
			}
		})
	}
}

// TestServerAsksClient checks elicitation: the server is CLIENT and the client SERVER,
// and what is answered is redacted.
func TestServerAsksClient(t *testing.T) {
	server := newServer()
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "asks"},
		func(ctx context.Context, r *mcp.CallToolRequest, _ echoIn) (*mcp.CallToolResult, any, error) {
			_, err := r.Session.Elicit(
				ctx,
				&mcp.ElicitParams{
					Message:         "your word?",
					RequestedSchema: json.RawMessage(`{"type":"object","properties":{"password":{"type":"string"}}}`),
				},
			)
			return nil, nil, err
		},
	)
	c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
	cs := connect(t, server, c, s, legacy)
	if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "asks", Arguments: echoIn{}}); err != nil || res.IsError {
		t.Fatal(err, res)
	}
	asked, answered := s.span(t, "elicitation/create"), c.span(t, "elicitation/create")
	if asked.SpanKind() != trace.SpanKindClient || answered.SpanKind() != trace.SpanKindServer ||
		answered.Parent().SpanID() != asked.SpanContext().SpanID() {
		t.Errorf("got %v and %v, want CLIENT and below it SERVER", asked.SpanKind(), answered.SpanKind())
	}
	if asked.Parent().SpanID() != s.span(t, "tools/call asks").SpanContext().SpanID() {
		t.Error("what the tool asks is not below its span")
	}
	if a := attributes(asked.Attributes()); strings.Contains(a["toolscope.mcp.result"], "swordfish") ||
		!strings.Contains(a["toolscope.mcp.result"], "accept") {
		t.Errorf("got %q", a["toolscope.mcp.result"])
	}
	if len(s.points(t, "mcp.client.operation.duration")) == 0 || len(c.points(t, "mcp.server.operation.duration")) == 0 {
		t.Error("the other direction has no metrics")
	}
}

// TestParametersAreCopied checks that the caller's parameters are not written to, and
// that what was in _meta arrives, but for another trace's context.
func TestParametersAreCopied(t *testing.T) {
	var got map[string]any
	server := newServer()
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/call" {
				got = req.GetParams().GetMeta()
			}
			return next(ctx, method, req)
		}
	})
	cs := connect(t, server, newTelemetry(t, toolscope.Options{}), nil, legacy)
	params := &mcp.CallToolParams{
		Name:      "echo",
		Arguments: map[string]any{"text": "x"},
		Meta:      mcp.Meta{"mine": "1", "traceparent": "an old one", "tracestate": "of=it"},
	}
	if _, err := cs.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if len(params.Meta) != 3 || params.Meta["traceparent"] != "an old one" {
		t.Errorf("the caller's _meta was written to: %v", params.Meta)
	}
	if _, same := params.Arguments.(map[string]any); !same {
		t.Errorf("the caller's arguments were written to: %T", params.Arguments)
	}
	if got["mine"] != "1" || !strings.HasPrefix(got["traceparent"].(string), "00-") || got["tracestate"] != nil {
		t.Errorf("got _meta %v", got)
	}
}

// TestAmbientContextIsALink checks the parent of a request that came over a transport
// with a span of its own, and a public endpoint.
func TestAmbientContextIsALink(t *testing.T) {
	for _, public := range []bool{false, true} {
		server := newServer()
		c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
		toolmcp.Instrument(server, s.Scope, toolmcp.Options{PublicEndpoint: public})
		ambient := trace.NewSpanContext(
			trace.SpanContextConfig{TraceID: trace.TraceID{7}, SpanID: trace.SpanID{7}, TraceFlags: trace.FlagsSampled},
		)
		server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				return next(trace.ContextWithSpanContext(ctx, ambient), method, req)
			}
		})
		cs := connect(t, server, c, nil, legacy)
		list(t, cs)
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil {
			t.Fatal(err)
		}
		span, parent := s.span(t, "tools/call echo"), c.span(t, "tools/call echo").SpanContext()
		var links []trace.SpanID
		for _, l := range span.Links() {
			links = append(links, l.SpanContext.SpanID())
		}
		if public {
			if span.Parent().IsValid() || !slices.Contains(links, parent.SpanID()) || !slices.Contains(links, ambient.SpanID()) {
				t.Errorf("public: got the parent %v and links %v", span.Parent().SpanID(), links)
			}
			continue
		}
		if span.Parent().SpanID() != parent.SpanID() || !slices.Equal(links, []trace.SpanID{ambient.SpanID()}) {
			t.Errorf(
				"got the parent %v and links %v, want %v and %v",
				span.Parent().SpanID(),
				links,
				parent.SpanID(),
				ambient.SpanID(),
			)
		}
	}
}

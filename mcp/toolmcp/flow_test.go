// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 peers of older revisions send what the newest deprecates, and it is to be seen.

package toolmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// host is a client that answers all that a server may ask, and counts what it gets.
func host(told *atomic.Int64, secret string) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{
				Model:   "m",
				Role:    "assistant",
				Content: &mcp.TextContent{Text: "the token is " + secret},
			}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "token": secret}}, nil
		},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { told.Add(1) },
		ResourceUpdatedHandler:      func(context.Context, *mcp.ResourceUpdatedNotificationRequest) { told.Add(1) },
		LoggingMessageHandler:       func(context.Context, *mcp.LoggingMessageRequest) { told.Add(1) },
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { told.Add(1) },
	}
}

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 seconds", what)
		}
	}
}

// TestBothWays lets a tool ask its client for all that there is to ask, tell it all there is
// to tell, and checks that each is a CLIENT span of the server below the tool's, and a
// SERVER span of the client below that, with nothing secret on it.
func TestBothWays(t *testing.T) {
	secret := "gh" + "p_" + strings.Repeat("c3D4", 9)
	var told atomic.Int64
	server := newServerWith(&mcp.ServerOptions{
		SubscribeHandler:        func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler:      func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { told.Add(1) },
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"me", secret}}}, nil
		},
	})
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "talks"},
		func(ctx context.Context, r *mcp.CallToolRequest, _ echoIn) (*mcp.CallToolResult, any, error) {
			_, sampled := r.Session.CreateMessage(
				ctx,
				&mcp.CreateMessageParams{
					MaxTokens: 9,
					Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "use " + secret}}},
				},
			)
			_, elicited := r.Session.Elicit(
				ctx,
				&mcp.ElicitParams{
					Message: "is it " + secret + "?",
					RequestedSchema: json.RawMessage(
						`{"type":"object","properties":{"name":{"type":"string"},"token":{"type":"string"}}}`,
					),
				},
			)
			_, listed := r.Session.ListRoots(ctx, nil)
			return nil, nil, errors.Join(
				sampled,
				elicited,
				listed,
				r.Session.Ping(ctx, nil),
				r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "error", Data: map[string]any{"token": secret}}),
				r.Session.NotifyProgress(
					ctx,
					&mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Message: secret, Progress: 1},
				),
			)
		},
	)
	c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
	client := mcp.NewClient(&mcp.Implementation{Name: "host"}, host(&told, secret))
	toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
	toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
	cs := dial(t, client, server, legacy)
	ctx := t.Context()
	if err := cs.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
		t.Fatal(err)
	}
	if err := cs.Subscribe(ctx, &mcp.SubscribeParams{URI: "test://a"}); err != nil {
		t.Fatal(err)
	}
	params := &mcp.CallToolParams{Name: "talks", Arguments: echoIn{}}
	params.SetProgressToken("p")
	if res, err := cs.CallTool(ctx, params); err != nil || res.IsError {
		t.Fatalf("got %v and %v", res, err)
	}
	if _, err := cs.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{
		Type: "ref/prompt", Name: "greet",
	}, Argument: mcp.CompleteParamsArgument{Name: "token", Value: secret}}); err != nil {
		t.Fatal(err)
	}
	if err := server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://a"}); err != nil {
		t.Fatal(err)
	}
	if err := cs.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: "test://a"}); err != nil {
		t.Fatal(err)
	}
	client.AddRoots(&mcp.Root{URI: "file:///a"})
	server.RemoveTools("fails")
	until(t, "notifications", func() bool { return told.Load() == 5 })

	tool := s.span(t, "tools/call talks")
	for _, method := range []string{
		"sampling/createMessage", "elicitation/create", "roots/list", "ping", "notifications/message",
		"notifications/progress",
	} {
		asked, answered := s.span(t, method), c.span(t, method)
		if asked.SpanKind() != trace.SpanKindClient || asked.Parent().SpanID() != tool.SpanContext().SpanID() {
			t.Errorf(
				"%s: got a %v span of the server below %v, want a CLIENT span below the tool's",
				method,
				asked.SpanKind(),
				asked.Parent().SpanID(),
			)
		}
		if answered.SpanKind() != trace.SpanKindServer || answered.Parent().SpanID() != asked.SpanContext().SpanID() {
			t.Errorf(
				"%s: got a %v span of the client below %v, want a SERVER span below the server's",
				method,
				answered.SpanKind(),
				answered.Parent().SpanID(),
			)
		}
		want(t, method, s.point(t, "mcp.client.operation.duration", method), "error.type", "", "mcp.protocol.version", legacy)
		want(t, method, c.point(t, "mcp.server.operation.duration", method), "error.type", "", "mcp.protocol.version", legacy)
	}
	for _, method := range []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe",
		"completion/complete", "notifications/roots/l" +
			"ist_changed"} {
		if sent, got := c.span(t, method), s.span(t, method); got.Parent().SpanID() != sent.SpanContext().SpanID() &&
			method != "notifications/roots/list_changed" {
			t.Errorf("%s: the server's span is not below the client's", method)
		}
	}
	for _, method := range []string{"notifications/resources/updated", "notifications/tools/list_changed"} {
		s.span(t, method)
		c.span(t, method)
	}
	want(t, "subscribe", attributes(s.span(t, "resources/subscribe").Attributes()), "mcp.resource.uri", "test://a")
	want(t, "updated", attributes(c.span(t, "notifications/resources/updated").Attributes()), "mcp.resource.uri", "test://a")
	for _, h := range []*telemetry{c, s} {
		for _, span := range h.spans.Ended() {
			if span.Status().Code == codes.Error {
				t.Errorf("%s: got %v", span.Name(), span.Status())
			}
			for key, v := range attributes(span.Attributes()) {
				if strings.Contains(v, secret[4:24]) {
					t.Errorf("%s: %s shows the secret: %s", span.Name(), key, v)
				}
			}
		}
	}
	for name, attribute := range map[string]string{
		"sampling/createMessage": "toolscope.mcp.params", "elicitation/create": "toolscope.mcp.params",
		"completion/complete": "toolscope.mcp.result",
	} {
		if v := attributes(s.span(t, name).Attributes())[attribute]; !strings.Contains(v, "[REDACTED:") {
			t.Errorf("%s: %s: got %q, want it, redacted", name, attribute, v)
		}
	}
}

// TestCancellation checks both sides of a call that its caller gives up.
func TestCancellation(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		server, running := newServer(), make(chan struct{})
		mcp.AddTool(
			server,
			&mcp.Tool{Name: "waits"},
			func(ctx context.Context, _ *mcp.CallToolRequest, _ echoIn) (*mcp.CallToolResult, any, error) {
				close(running)
				<-ctx.Done()
				return nil, nil, ctx.Err()
			},
		)
		c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
		cs := connect(t, server, c, s, revision)
		if _, err := cs.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-running; cancel() }()
		if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "waits", Arguments: echoIn{}}); !errors.Is(
			err,
			context.Canceled,
		) {
			t.Fatalf("got %v", err)
		}
		for _, h := range []*telemetry{c, s} {
			want(
				t,
				"cancelled",
				attributes(h.span(t, "tools/call waits").Attributes()),
				"error.type",
				"canceled",
				"toolscope.outcome",
				"executed",
			)
		}
		want(t, "cancelled", c.point(t, "mcp.client.operation.duration", "tools/call"), "error.type", "canceled")
	}
}

// TestInputRequired checks tools that answer with requests of their own: a round each
// where the revision knows that, the first one suspended, and one call where the SDK asks by
// itself.
func TestInputRequired(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		server := newServer()
		server.AddTool(
			&mcp.Tool{Name: "asks", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if got, ok := r.Params.InputResponses["name"].(*mcp.ElicitResult); ok {
					return &mcp.CallToolResult{
						Content: []mcp.Content{&mcp.TextContent{Text: got.Content["name"].(string) + r.Params.RequestState}},
					}, nil
				}
				return &mcp.CallToolResult{
					RequestState: "!",
					InputRequests: mcp.InputRequestMap{
						"name": &mcp.ElicitParams{Message: "who?", RequestedSchema: json.RawMessage(`{"type":"object"}`)},
					},
				}, nil
			},
		)
		var told atomic.Int64
		c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
		client := mcp.NewClient(&mcp.Implementation{Name: "host"}, host(&told, "x"))
		toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
		toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
		cs := dial(t, client, server, revision)
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "asks"})
		if err != nil || res.IsError || res.Content[0].(*mcp.TextContent).Text != "Ada!" {
			t.Fatalf("%s: got %+v and %v", revision, res, err)
		}
		s.span(t, "tools/call asks")
		var suspended []string
		for _, span := range s.spans.Ended() {
			if span.Name() == "tools/call asks" {
				a := attributes(span.Attributes())
				want(t, revision, a, "error.type", "", "toolscope.outcome", "executed")
				suspended = append(suspended, a["toolscope.suspended"])
			}
		}
		rounds := map[string]string{legacy: "", stateless: "true,"}[revision]
		if got := strings.Join(suspended, ","); got != rounds {
			t.Errorf("%s: got the rounds %q suspended, want %q", revision, got, rounds)
		}
	}
}

// TestPanickingHandlers checks that no handler of either side ends the process or the
// session, that the peer is not shown what it panicked with, and that the span is.
func TestPanickingHandlers(t *testing.T) {
	server := newServerWith(&mcp.ServerOptions{
		CompletionHandler:       func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) { panic("boom") },
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { panic("boom") },
		SubscribeHandler:        func(context.Context, *mcp.SubscribeRequest) error { panic("boom") },
		UnsubscribeHandler:      func(context.Context, *mcp.UnsubscribeRequest) error { panic("boom") },
	})
	server.AddResource(
		&mcp.Resource{URI: "test://panics", Name: "p"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { panic("boom") },
	)
	var asked error
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "asks"},
		func(ctx context.Context, r *mcp.CallToolRequest, _ echoIn) (*mcp.CallToolResult, any, error) {
			_, asked = r.Session.Elicit(
				ctx,
				&mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(`{"type":"object"}`)},
			)
			return nil, nil, r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1})
		},
	)
	client := mcp.NewClient(&mcp.Implementation{Name: "host"}, &mcp.ClientOptions{
		ElicitationHandler:          func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { panic("boom") },
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { panic("boom") },
	})
	c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
	toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
	toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
	cs := dial(t, client, server, legacy)
	ctx := t.Context()
	_, completed := cs.Complete(
		ctx,
		&mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"},
			Argument: mcp.CompleteParamsArgument{Name: "who", Value: "m"},
		},
	)
	_, read := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://panics"})
	client.AddRoots(&mcp.Root{URI: "file:///a"})
	_, called := cs.CallTool(ctx, &mcp.CallToolParams{Name: "asks", Arguments: echoIn{}})
	for what, err := range map[string]error{"completion": completed, "resource": read, "subscribe": cs.Subscribe(
		ctx, &mcp.SubscribeParams{URI: "test://a"},
	), "elicitation": asked} {
		if err == nil || strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: got %v, want an internal error without the panic's value", what, err)
		}
	}
	if called != nil {
		t.Errorf("the session has ended: %v", called)
	}
	for h, methods := range map[*telemetry][]string{s: {"completion/complete", "resources/read", "resources/subscribe",
		"notifications/roots/l" +
			"ist_changed"}, c: {"elicitation/create", "notifications/progress"}} {
		for _, method := range methods {
			want(t, method, attributes(h.span(t, method).Attributes()), "toolscope.mcp.recovered", "true", "error.type", "-32603")
		}
	}
}

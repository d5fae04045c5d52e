// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 peers of older revisions send what the newest deprecates, and it is to be seen.

package toolmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// All methods of the SDK by who sends them, in any revision, with sessions only, and without
// only, by the names of their spans. notifications/cancelled, which the SDK sends and handles
// outside of middlewares, is missing, and subscriptions/listen, which ends with its connection.
var (
	byClient = []string{
		"tools/list", "tools/call echo", "prompts/list", "prompts/get greet", "resources/list", "resources/templates/list",
		"resources/read", "completion/complete greet",
	}
	byClientInSessions = []string{
		"initialize", "notifications/initialized", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
		"notifications/progress", "notifications/roots/l" +
			"ist_changed",
	}
	byClientWithout    = []string{"server/discover"}
	byServerWithout    = []string{"notifications/subscriptions/acknowledged"}
	byServerInSessions = []string{
		"ping", "roots/list", "sampling/createMessage", "elicitation/create", "notifications/message", "notifications/progress",
		"notifications/elicitati" +
			"on/complete",
		"notifications/resources/updated", "notifications/tools/list_changed", "notifications/prompts/l" +
			"ist_changed", "notifications/resources/list_changed",
	}
)

// TestEveryMethod lets both sides send all that the SDK can send, by each of its revisions, and
// checks that each is a CLIENT span of who sends it, a SERVER span below that of who
// handles it, and a recording of both.
func TestEveryMethod(t *testing.T) {
	for _, revision := range mcp.SupportedProtocolVersions() {
		t.Run(revision, func(t *testing.T) {
			c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
			server, client := newTalker(), mcp.NewClient(&mcp.Implementation{Name: "host"}, host(new(atomic.Int64), "x"))
			toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
			toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
			cs := dial(t, client, server, revision)
			sendAll(t, cs)
			sentByClient, sentByServer := slices.Concat(byClient, byClientInSessions), byServerInSessions
			if revision == stateless {
				sentByClient, sentByServer = slices.Concat(byClient, byClientWithout), byServerWithout
			} else {
				sendAllInSession(t, client, server, cs)
			}
			for _, sent := range []struct {
				from, to *telemetry
				methods  []string
			}{{c, s, sentByClient}, {s, c, sentByServer}} {
				for _, name := range sent.methods {
					sender, receiver := ofKind(
						t,
						sent.from,
						name,
						trace.SpanKindClient,
					), ofKind(
						t,
						sent.to,
						name,
						trace.SpanKindServer,
					)
					if receiver.Parent().SpanID() != sender.SpanContext().SpanID() {
						t.Errorf(
							"%s: the SERVER span is below %v, want %v",
							name,
							receiver.Parent().SpanID(),
							sender.SpanContext().SpanID(),
						)
					}
					for instrument, h := range map[string]*telemetry{"mcp.client.operation.duration": sent.from, "mcp.server.operati" +
						"on.duration": sent.to} {
						want(
							t,
							instrument+" of "+name,
							pointOf(t, h, instrument, name),
							"error.type",
							"",
							"mcp.protocol.version",
							revision,
						)
					}
				}
			}
		})
	}
}

// newTalker is a server that offers all there is, with a tool that asks and tells its client
// all there is to ask and to tell within a call.
func newTalker() *mcp.Server {
	server := newServerWith(&mcp.ServerOptions{
		SubscribeHandler:            func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler:          func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		RootsListChangedHandler:     func(context.Context, *mcp.RootsListChangedRequest) {},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationServerRequest) {},
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"me"}}}, nil
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
					Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}},
				},
			)
			_, elicited := r.Session.Elicit(
				ctx,
				&mcp.ElicitParams{
					Message: "who?",
					RequestedSchema: json.RawMessage(
						`{"type":"object","properties":{"name":{"type":"string"},"token":{"type":"string"}}}`,
					),
				},
			)
			_, listed := r.Session.ListRoots(ctx, nil)
			return nil, nil, errors.Join(sampled, elicited, listed, r.Session.Ping(ctx, nil),
				r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "error", Data: "x"}),
				r.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: "e"}),
				r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1}))
		},
	)
	return server
}

// sendAll sends what a client may send by each revision.
func sendAll(t *testing.T, cs *mcp.ClientSession) {
	t.Helper()
	ctx := t.Context()
	_, tools := cs.ListTools(ctx, nil)
	_, called := cs.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}})
	_, prompts := cs.ListPrompts(ctx, nil)
	_, prompt := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"})
	_, resources := cs.ListResources(ctx, nil)
	_, templates := cs.ListResourceTemplates(ctx, nil)
	_, read := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://a"})
	_, completed := cs.Complete(
		ctx,
		&mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"},
			Argument: mcp.CompleteParamsArgument{Name: "who", Value: "m"},
		},
	)
	if err := errors.Join(tools, called, prompts, prompt, resources, templates, read, completed); err != nil {
		t.Fatal(err)
	}
}

// sendAllInSession sends, and lets the server send, what there is only in sessions.
func sendAllInSession(t *testing.T, client *mcp.Client, server *mcp.Server, cs *mcp.ClientSession) {
	t.Helper()
	ctx := t.Context()
	if err := errors.Join(
		cs.Ping(ctx, nil), cs.SetLoggingLevel(
			ctx, &mcp.SetLoggingLevelParams{Level: "debug"},
		), cs.Subscribe(ctx, &mcp.SubscribeParams{URI: "test://a"}),
		cs.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1}),
	); err != nil {
		t.Fatal(err)
	}
	if res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "talks", Arguments: echoIn{}}); err != nil || res.IsError {
		t.Fatalf("got %+v and %v", res, err)
	}
	if err := server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://a"}); err != nil {
		t.Fatal(err)
	}
	if err := cs.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: "test://a"}); err != nil {
		t.Fatal(err)
	}
	client.AddRoots(&mcp.Root{URI: "file:///a"})
	server.RemoveTools("fails")
	server.RemovePrompts("broken")
	server.RemoveResources("test://a")
}

// ofKind is the ended span of that name and kind, which is waited for: notifications come when
// they come.
func ofKind(t *testing.T, h *telemetry, name string, kind trace.SpanKind) (found sdktrace.ReadOnlySpan) {
	t.Helper()
	until(t, kind.String()+" "+name, func() bool {
		for _, span := range h.spans.Ended() {
			if span.Name() == name && span.SpanKind() == kind {
				found = span
			}
		}
		return found != nil
	})
	return found
}

// pointOf are the labels of the recording that belongs to spans of that name.
func pointOf(t *testing.T, h *telemetry, instrument, span string) map[string]string {
	t.Helper()
	for _, p := range h.points(t, instrument) {
		a := attributes(p.Attributes.ToSlice())
		if strings.TrimSpace(a["mcp.method.name"]+" "+a["gen_ai.tool.name"]+a["gen_ai.prompt.name"]) == span {
			return a
		}
	}
	t.Errorf("%s: got no recording of %s", instrument, span)
	return nil
}

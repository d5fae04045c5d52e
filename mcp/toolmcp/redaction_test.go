// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/stats"
)

// leaky is a server whose tools, prompt and resource say a secret in all places that there are,
// and send data.
func leaky(secret string, data []byte) *mcp.Server {
	server := newServer()
	tool := func(name string, answer func(string) (*mcp.CallToolResult, any, error)) {
		mcp.AddTool(
			server,
			&mcp.Tool{Name: name},
			func(_ context.Context, _ *mcp.CallToolRequest, in echoIn) (*mcp.CallToolResult, any, error) {
				return answer(in.Text)
			},
		)
	}
	tool("text", func(s string) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the token is " + s}}}, nil, nil
	})
	tool("structured", func(s string) (*mcp.CallToolResult, any, error) { return nil, map[string]any{"list": []any{s}}, nil })
	tool("parts", func(s string) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Meta: mcp.Meta{"token": s}, Content: []mcp.Content{
			&mcp.ImageContent{
				Data:     data,
				MIMEType: "image/png",
			}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://" + s, Text: s}},
			&mcp.ResourceLink{URI: "https://ada:" + s + "@example.com/", Name: s},
		}}, nil, nil
	})
	tool("fault", func(s string) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("the token " + s + " was refused")
	})
	tool("panic", func(s string) (*mcp.CallToolResult, any, error) { panic("with " + s) })
	server.AddPrompt(
		&mcp.Prompt{Name: "refuses"},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, fmt.Errorf("no prompt for %s", r.Params.Arguments["who"])
		},
	)
	server.AddResource(
		&mcp.Resource{URI: "test://secret", Name: "s"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{
				Contents: []*mcp.ResourceContents{
					{URI: "test://secret", Text: "password: " + secret},
					{URI: "test://blob", Blob: data},
				},
			}, nil
		},
	)
	return server
}

// TestNothingSecretLeaves plants a secret in what requests and their answers carry, and looks for
// it, and for the data of images and blobs, in all that spans, metrics and statistics of both
// sides say. What else they carry is there.
func TestNothingSecretLeaves(t *testing.T) {
	secret, data := "gh"+"p_"+strings.Repeat("e5F6", 9), []byte("the data of the image")
	for _, revision := range []string{legacy, stateless} {
		t.Run(revision, func(t *testing.T) {
			c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
			cs := connect(t, leaky(secret, data), c, s, revision)
			list(t, cs)
			ctx := t.Context()
			tools := []string{"text", "structured", "parts", "fault", "panic"}
			for _, name := range tools {
				if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: echoIn{secret}}); err != nil {
					t.Fatal(name, err)
				}
			}
			_, greeted := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": secret}})
			_, refused := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: "refuses", Arguments: map[string]string{"who": secret}})
			_, read := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://secret"})
			_, missing := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://" + secret})
			if greeted != nil || read != nil || refused == nil || missing == nil {
				t.Fatal(greeted, refused, read, missing)
			}
			for side, h := range map[string]*telemetry{"client": c, "server": s} {
				for _, name := range tools {
					if a := attributes(h.span(t, "tools/call "+name).Attributes()); !strings.Contains(
						a["gen_ai.tool.call.arguments"],
						"[REDACTED:",
					) {
						t.Errorf("%s: %s: got the arguments %q, want them redacted", side, name, a["gen_ai.tool.call.arguments"])
					}
				}
				if a := attributes(h.span(t, "tools/call structured").Attributes()); !strings.HasPrefix(
					a["gen_ai.tool.call.result"],
					`{"list":["[REDACTED:`,
				) {
					t.Errorf("%s: got the structured content %q", side, a["gen_ai.tool.call.result"])
				}
				said := everything(t, h)
				encoded, _ := json.Marshal(data)
				for _, hidden := range []string{secret[4:24], string(data), strings.Trim(string(encoded), `"`)} {
					if at := strings.Index(said, hidden); at >= 0 {
						t.Errorf("%s: it leaves: …%s…", side, said[max(0, at-200):at+30])
					}
				}
			}
		})
	}
}

// everything is what a peer's spans, metrics and statistics say, as text.
func everything(t *testing.T, h *telemetry) string {
	t.Helper()
	var b strings.Builder
	for _, span := range h.spans.Ended() {
		fmt.Fprintln(&b, span.Name(), span.Attributes(), span.Status(), span.Links(), span.SpanContext().TraceState())
		for _, e := range span.Events() {
			fmt.Fprintln(&b, e.Name, e.Attributes)
		}
	}
	var metrics metricdata.ResourceMetrics
	if err := h.metrics.Collect(context.Background(), &metrics); err != nil {
		t.Fatal(err)
	}
	for _, scope := range metrics.ScopeMetrics {
		for _, m := range scope.Metrics {
			fmt.Fprintln(&b, m.Name, m.Data)
			if h, ok := m.Data.(metricdata.Histogram[float64]); ok {
				for _, p := range h.DataPoints {
					fmt.Fprintln(&b, p.Attributes.ToSlice())
				}
			}
		}
	}
	text, err := json.Marshal(h.Stats().Snapshot(window))
	if err != nil {
		t.Fatal(err)
	}
	recent, err := json.Marshal(h.Stats().Recent(stats.Filter{}))
	if err != nil {
		t.Fatal(err)
	}
	b.Write(text)
	b.Write(recent)
	return b.String()
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/export"
)

// full is a definition with every field set.
var full = toolkit.Definition{
	Name: "full", Title: "A title", Description: "Does <all>.",
	InputSchema:  json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`),
	OutputSchema: json.RawMessage(`{"type":"object","properties":{"echo":{"type":"string"}}}`),
	Type:         toolkit.ToolDatastore, Category: "files", Risk: toolkit.RiskHigh,
	ReadOnly: toolkit.No, Idempotent: toolkit.No, Destructive: toolkit.Yes, OpenWorld: toolkit.No,
	RequiresApproval: true, Timeout: 1500 * time.Millisecond, RateLimit: toolkit.RateLimit{MaxCalls: 3, Window: time.Minute},
	CacheTTL: -1, Cost: 0.25, Resources: []string{"files"}, Volatile: []string{"request_id"},
}

// TestDefinitionsLoseNothing maps definitions to the protocol's form, over its JSON, and
// back.
func TestDefinitionsLoseNothing(t *testing.T) {
	odd := toolkit.Definition{
		Name:      "odd",
		Timeout:   -1,
		RateLimit: toolkit.RateLimit{MaxCalls: 1, Window: 1500 * time.Microsecond},
	}
	hints := toolkit.Definition{Name: "hints", ReadOnly: toolkit.Yes, InputSchema: json.RawMessage(`{"type":"object"}`)}
	precise := toolkit.Definition{Name: "precise", Timeout: 1234567}
	for _, def := range []toolkit.Definition{full, odd, hints, precise, {Name: "bare"}} {
		text, err := json.Marshal(toolmcp.ToolOf(def))
		if err != nil {
			t.Fatal(err)
		}
		var tool mcp.Tool
		if err := json.Unmarshal(text, &tool); err != nil {
			t.Fatal(err)
		}
		got, err := toolmcp.DefinitionOf(&tool)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*toolkit.Definition{&got, &def} {
			d.InputSchema, d.OutputSchema = normal(t, d.InputSchema), normal(t, d.OutputSchema)
		}
		if !reflect.DeepEqual(got, def) {
			t.Errorf("got  %+v\nwant %+v\nby %s", got, def, text)
		}
	}
}

// normal is JSON with its members in order.
func normal(t *testing.T, text json.RawMessage) json.RawMessage {
	t.Helper()
	if text == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(v)
	return out
}

func TestDefinitionOfRefuses(t *testing.T) {
	for name, tool := range map[string]*mcp.Tool{
		"nil": nil, "no name": {}, "control": {Name: "a\x1b[2Jb"}, "long": {Name: strings.Repeat("a", 129)},
		"harness": {Name: "x", Meta: mcp.Meta{"harness": "text"}}, "risk": {Name: "x", Meta: mcp.Meta{
			"harness": map[string]any{"riskLevel": "extreme"},
		}},
		"cost": {Name: "x", Meta: mcp.Meta{"harness": map[string]any{"costPerCall": -1.0}}}, "schema": {Name: "x", InputSchema: "text"},
		"rate": {Name: "x", Meta: mcp.Meta{"harness": map[string]any{"rateLimit": map[string]any{"maxCalls": 3}}}},
	} {
		if _, err := toolmcp.DefinitionOf(tool); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	huge := &mcp.Tool{Name: "x", Meta: mcp.Meta{"harness": map[string]any{"timeout": math.MaxFloat64}}}
	if def, err := toolmcp.DefinitionOf(huge); err != nil || def.Timeout != math.MaxInt64 {
		t.Errorf("huge: got %v and %v, want the longest duration", def.Timeout, err)
	}
}

// TestNewServer serves a registry with every kind of result, and calls it.
func TestNewServer(t *testing.T) {
	registry := new(toolkit.Registry)
	rich := toolkit.Result{Output: "text", Parts: []toolkit.Part{
		{
			Kind:        toolkit.PartImage,
			Data:        []byte{1, 2},
			MIMEType:    "image/png",
			Annotations: json.RawMessage(`{"audience":["user"]}`),
		},
		{Kind: toolkit.PartText, Text: "more", Meta: json.RawMessage(`{"a":"b"}`)},
		{Kind: toolkit.PartResource, URI: "test://a", MIMEType: "text/plain", Text: "body"},
		{Kind: toolkit.PartResourceLink, URI: "test://b", Name: "b", Title: "B"},
		{Kind: toolkit.PartAudio, Data: []byte{3}, MIMEType: "audio/wav"},
		{Kind: toolkit.PartStructured, JSON: json.RawMessage(`{"echo":"x"}`)},
	}}
	err := registry.Register(
		toolkit.ToolFunc(full, func(context.Context, toolkit.Call) (toolkit.Result, error) { return rich, nil }),
		toolkit.ToolFunc(toolkit.Definition{Name: "fails"}, func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Tool: "fails", Message: "no"}
		}),
		toolkit.ToolFunc(
			toolkit.Definition{Name: "untyped", InputSchema: json.RawMessage(` {"properties":{}}`)},
			func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
				return toolkit.Result{Output: string(c.Arguments)}, nil
			},
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	server, err := toolmcp.NewServer(nil, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
	cs := connect(t, server, c, s, stateless)
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 3 {
		t.Fatalf("got %v and %v", list, err)
	}
	for _, tool := range list.Tools {
		if def, err := toolmcp.DefinitionOf(tool); err != nil ||
			tool.Name == "full" && (def.Category != "files" || def.OutputSchema == nil || def.RequiresApproval != true) {
			t.Errorf("%s: got %+v and %v", tool.Name, def, err)
		}
	}
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "full"})
	if err != nil || len(res.Content) != 6 || res.StructuredContent.(map[string]any)["echo"] != "x" {
		t.Fatalf("got %+v and %v", res, err)
	}
	if text := res.Content[2].(*mcp.TextContent); text.Text != "more" || text.Meta["a"] != "b" {
		t.Errorf("got %+v", text)
	}
	if image := res.Content[1].(*mcp.ImageContent); image.MIMEType != "image/png" || len(image.Data) != 2 ||
		image.Annotations.Audience[0] != "user" {
		t.Errorf("got %+v", image)
	}
	want(
		t,
		"full",
		attributes(s.span(t, "tools/call full").Attributes()),
		"gen_ai.tool.type",
		"datastore",
		"toolscope.outcome",
		"executed",
	)
	if res, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "fails"}); err != nil || !res.IsError {
		t.Errorf("got %+v and %v", res, err)
	}
	want(t, "fails", attributes(s.span(t, "tools/call fails").Attributes()), "error.type", "invalid_arguments")
	if res, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "untyped", Arguments: map[string]any{"a": 1}}); err != nil ||
		res.Content[0].(*mcp.TextContent).Text != `{"a":1}` {
		t.Errorf("got %+v and %v", res, err)
	}
}

// TestHarnessStandsBeside checks the extension on the wire.
func TestHarnessStandsBeside(t *testing.T) {
	registry := new(toolkit.Registry)
	if err := registry.Register(toolkit.ToolFunc(full, nil)); err != nil {
		t.Fatal(err)
	}
	server, err := toolmcp.NewServer(nil, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wire []byte
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if method == "tools/list" {
				wire, _ = json.Marshal(res)
			}
			return res, err
		}
	})
	cs := connect(t, server, nil, nil, stateless)
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []struct {
			Harness map[string]any `json:"harness"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(wire, &list); err != nil {
		t.Fatal(err)
	}
	exported, _ := export.MCP([]toolkit.Definition{full})
	var ours []struct {
		Harness map[string]any `json:"harness"`
	}
	if err := json.Unmarshal(exported, &ours); err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 1 || !reflect.DeepEqual(list.Tools[0].Harness, ours[0].Harness) {
		t.Errorf("got %s, want the harness of %s", wire, exported)
	}
}

func TestNewServerRefuses(t *testing.T) {
	if _, err := toolmcp.NewServer(nil, nil, nil); err == nil {
		t.Error("no registry: got no error")
	}
	for name, def := range map[string]toolkit.Definition{
		"array": {Name: "x", InputSchema: json.RawMessage(`{"type":"array"}`)},
		"header": {Name: "x", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"object",` +
			`"x-mcp-header":"A"}}}`)},
		"name": {Name: "a b"},
	} {
		err := toolmcp.AddTools(mcp.NewServer(&mcp.Implementation{Name: "x"}, nil), []toolkit.Definition{def}, nil)
		if err == nil || errors.Unwrap(err) == nil && !strings.Contains(err.Error(), "AddTools") {
			t.Errorf("%s: got %v, want an error that names the tool", name, err)
		}
	}
}

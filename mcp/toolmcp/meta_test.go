// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// said is what a tool says in its result's _meta, anew for each call: the SDK writes to it.
func said() map[string]any {
	return map[string]any{"of": "the tool", "nested": map[string]any{"list": []any{"x", true}}}
}

// newTalkative has a tool that says something in _meta.
func newTalkative() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "talk"},
		func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, echoOut, error) {
			return &mcp.CallToolResult{Meta: said()}, echoOut{"x"}, nil
		},
	)
	return server
}

// own is _meta without what the protocol says in it.
func own(m mcp.Meta) map[string]any {
	list := map[string]any{}
	for key, v := range m {
		if key != mcp.MetaKeyServerInfo {
			list[key] = v
		}
	}
	return list
}

// TestMetaIsKept checks what the caller finds in a result's _meta where a policy of either
// side changes something else of it, changes that, or answers itself.
func TestMetaIsKept(t *testing.T) {
	change := func(f func(*toolkit.Result)) middleware.Policy {
		return middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler {
			return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				res, err := next(ctx, call)
				f(&res)
				return res, err
			}
		})
	}
	policy := map[string]json.RawMessage{"of": json.RawMessage(`"the policy"`)}
	answer := middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "no", Meta: policy}, nil
		}
	})
	for name, c := range map[string]struct {
		policy middleware.Policy
		want   map[string]any
	}{
		"unchanged": {change(func(*toolkit.Result) {}), said()},
		"output":    {change(func(r *toolkit.Result) { r.Output += "!" }), said()},
		"a part": {change(
			func(r *toolkit.Result) { r.Parts = append(r.Parts, toolkit.Part{Kind: toolkit.PartText, Text: "!"}) },
		), said()},
		"only _meta": {change(func(r *toolkit.Result) { r.Meta = policy }), map[string]any{"of": "the policy"}},
		"removed":    {change(func(r *toolkit.Result) { r.Meta = nil }), map[string]any{}},
		"no JSON": {change(
			func(r *toolkit.Result) { r.Meta = map[string]json.RawMessage{"a": json.RawMessage(`{`)} },
		), map[string]any{}},
		"its own":      {answer, map[string]any{"of": "the policy"}},
		"the protocol": {change(func(r *toolkit.Result) { text, _ := json.Marshal(r.Meta); r.Output = string(text) }), said()},
	} {
		for _, revision := range []string{legacy, stateless} {
			for _, side := range []string{"client", "server"} {
				t.Run(name+"/"+revision+"/"+side, func(t *testing.T) {
					h := newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{c.policy}})
					var cs *mcp.ClientSession
					if side == "client" {
						cs = connect(t, newTalkative(), h, nil, revision)
					} else {
						cs = connect(t, newTalkative(), nil, h, revision)
					}
					res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "talk"})
					if err != nil {
						t.Fatal(err)
					}
					if got := own(res.Meta); !reflect.DeepEqual(got, c.want) {
						t.Errorf("got %v, want %v", got, c.want)
					}
					if text := res.Content[0].(*mcp.TextContent).Text; name == "the protocol" &&
						text != `{"nested":{"list":["x",true]},"of":"the tool"}` {
						t.Errorf("the policy was shown %s, want what the tool said alone", text)
					}
				})
			}
		}
	}
}

// TestMetaIsServed checks that what a registry's tool says in _meta reaches the client, and
// that it goes through toolscope's form and back.
func TestMetaIsServed(t *testing.T) {
	registry := new(toolkit.Registry)
	err := registry.Register(
		toolkit.ToolFunc(toolkit.Definition{Name: "talk"}, func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolmcp.ResultOf(&mcp.CallToolResult{Meta: mcp.Meta{"of": "the tool", mcp.MetaKeyServerInfo: "another"}}), nil
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	server, err := toolmcp.NewServer(&mcp.Implementation{Name: "ours"}, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs := connect(t, server, nil, nil, stateless)
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "talk"})
	if err != nil || !reflect.DeepEqual(own(res.Meta), map[string]any{"of": "the tool"}) {
		t.Fatalf("got %+v and %v", res, err)
	}
	if info, ok := res.Meta[mcp.MetaKeyServerInfo].(map[string]any); !ok || info["name"] != "ours" {
		t.Errorf("got the server %v, want ours", res.Meta[mcp.MetaKeyServerInfo])
	}
}

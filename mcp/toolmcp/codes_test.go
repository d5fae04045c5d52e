// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/codes"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// typed is an error that says its own error.type.
type typed string

func (e typed) Error() string     { return "an error of type " + string(e) }
func (e typed) ErrorType() string { return string(e) }

// TestCodes checks status, error.type and rpc.response.status_code of each side for the errors
// that a request can end with: what is the caller's fault by its code is no failure of who
// handled it.
func TestCodes(t *testing.T) {
	code := func(n int64) error { return &jsonrpc.Error{Code: n, Message: "said"} }
	for _, c := range []struct {
		err                    error
		client, server         string // error.type; "" is no failure
		clientCode, serverCode string
	}{
		{code(-32700), "-32700", "", "-32700", "-32700"},
		{code(-32600), "-32600", "", "-32600", "-32600"},
		{code(-32601), "-32601", "", "-32601", "-32601"},
		{code(-32602), "-32602", "", "-32602", "-32602"},
		{code(-32002), "-32002", "", "-32002", "-32002"},
		{code(-32603), "-32603", "-32603", "-32603", "-32603"},
		{code(-32000), "-32000", "-32000", "-32000", "-32000"},
		{code(-32042), "-32042", "-32042", "-32042", "-32042"},
		{code(7), "7", "7", "7", "7"},
		{fmt.Errorf("wrapped: %w", code(-32602)), "-32602", "", "-32602", "-32602"},
		{context.Canceled, "canceled", "canceled", "", ""},
		{context.DeadlineExceeded, "timeout", "timeout", "", "0"}, // 0 is what the SDK answers then
		{typed("quota"), "quota", "quota", "", "0"},
		{errors.New("the pipe is broken"), "_OTHER", "_OTHER", "", "0"},
	} {
		h, session := newTelemetry(t, toolscope.Options{}), connect(t, newServer(), nil, nil, legacy)
		next := func(context.Context, string, mcp.Request) (mcp.Result, error) { return nil, c.err }
		for _, side := range []struct {
			name, errorType, code string
			middleware            mcp.Middleware
			req                   mcp.Request
		}{
			{"client", c.client, c.clientCode, toolmcp.Client(h.Scope, toolmcp.Options{}), &mcp.ClientRequest[mcp.Params]{
				Session: session, Params: &mcp.ReadResourceParams{URI: "test://x"},
			}},
			{"server", c.server, c.serverCode, toolmcp.Server(h.Scope, toolmcp.Options{}), &mcp.ReadResourceRequest{
				Session: new(mcp.ServerSession), Params: &mcp.ReadResourceParams{URI: "test://x"},
			}},
		} {
			what := fmt.Sprintf("%s of %v", side.name, c.err)
			before := len(h.spans.Ended())
			if _, err := side.middleware(next)(t.Context(), "resources/read", side.req); err != c.err {
				t.Errorf("%s: got %v, want the identical error", what, err)
			}
			span := h.spans.Ended()[before]
			want(t, what, attributes(span.Attributes()), "error.type", side.errorType, "rpc.response.status_code", side.code)
			want(
				t,
				what,
				h.point(t, "mcp."+side.name+".operation.duration", "resources/read"),
				"error.type",
				side.errorType,
				"rpc.response.status_code",
				side.code,
			)
			if status := span.Status(); status.Code == codes.Ok || (status.Code == codes.Error) != (side.errorType != "") ||
				side.errorType != "" && status.Description != c.err.Error() {
				t.Errorf("%s: got the status %v", what, status)
			}
		}
	}
}

// TestCodesOfTools is the same of a tool whose handler returns the error as such, which the SDK
// answers with as an error of the protocol: a server's tool that says no more failed by itself.
func TestCodesOfTools(t *testing.T) {
	for name, c := range map[string]struct {
		err            error
		server, client string
		code           string
	}{
		"invalid":  {&jsonrpc.Error{Code: -32602, Message: "said"}, "", "-32602", "-32602"},
		"internal": {&jsonrpc.Error{Code: -32603, Message: "said"}, "-32603", "-32603", "-32603"},
		"own":      {&jsonrpc.Error{Code: 7, Message: "said"}, "7", "7", "7"},
		"plain":    {errors.New("no"), "tool_error", "0", "0"},
		"typed":    {typed("quota"), "quota", "0", "0"},
		"deadline": {context.DeadlineExceeded, "timeout", "0", "0"},
	} {
		for _, revision := range []string{legacy, stateless} {
			t.Run(name+"/"+revision, func(t *testing.T) {
				server, client, s := newServer(), newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
				server.AddTool(
					&mcp.Tool{Name: "refuses", InputSchema: map[string]any{"type": "object"}},
					func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, c.err },
				)
				cs := connect(t, server, client, s, revision)
				if _, err := cs.ListTools(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "refuses"}); err == nil {
					t.Fatal("got no error")
				}
				for side, kind := range map[string]string{"client": c.client, "server": c.server} {
					h := map[string]*telemetry{"client": client, "server": s}[side]
					span := h.span(t, "tools/call refuses")
					want(t, side, attributes(span.Attributes()), "error.type", kind, "rpc.response.status_code", c.code)
					want(
						t,
						side,
						h.point(t, "mcp."+side+".operation.duration", "tools/call"),
						"error.type",
						kind,
						"rpc.response.status_code",
						c.code,
					)
					if status := span.Status(); status.Code == codes.Ok || (status.Code == codes.Error) != (kind != "") ||
						kind != "" && status.Description != c.err.Error() {
						t.Errorf("%s: got the status %v, want %q", side, status, c.err)
					}
				}
			})
		}
	}
}

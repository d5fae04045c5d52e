// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// TestBothSidesKeepTheReasonOfAFailure: a tool's fault says no more than its kind, its result does.
func TestBothSidesKeepTheReasonOfAFailure(t *testing.T) {
	structured := toolkit.Part{Kind: toolkit.PartStructured, JSON: []byte(`{"reason":"disk full"}`)}
	for name, c := range map[string]struct {
		res    toolkit.Result
		reason string
	}{
		"text":               {toolkit.Result{Output: "disk full", Fault: toolkit.ErrTool}, "disk full"},
		"text, of a kind":    {toolkit.Result{Output: "no answer in 5s", Fault: toolkit.ErrTimeout}, "no answer in 5s"},
		"structured content": {toolkit.Result{Parts: []toolkit.Part{structured}, Fault: toolkit.ErrTool}, `{"reason":"disk full"}`},
	} {
		t.Run(name, func(t *testing.T) {
			server, client, served := mcp.NewServer(
				&mcp.Implementation{Name: "test"},
				nil,
			), newTelemetry(
				t,
				toolscope.Options{},
			), newTelemetry(
				t,
				toolscope.Options{},
			)
			tool := func(context.Context, toolkit.Call) (toolkit.Result, error) { return c.res, nil }
			if err := toolmcp.AddTools(server, []toolkit.Definition{{Name: "backup"}}, tool); err != nil {
				t.Fatal(err)
			}
			session := connect(t, server, client, served, legacy)
			if _, err := session.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "backup"}); err != nil || !res.IsError {
				t.Fatalf("got %v and %v, want a failed result", res, err)
			}
			for side, h := range map[string]*telemetry{"client": client, "server": served} {
				if got := h.span(t, "tools/call backup").Status().Description; got != c.reason {
					t.Errorf("%s: got status %q, want %q", side, got, c.reason)
				}
				if all := h.Stats().Snapshot(window).Errors; len(all) != 1 || all[0].Example != c.reason {
					t.Errorf("%s: got groups %v, want one of %q", side, all, c.reason)
				}
			}
		})
	}
}

// TestAPanicOfAServersToolHasItsStack: on the span of the server, which recovers it.
func TestAPanicOfAServersToolHasItsStack(t *testing.T) {
	p := newPeers(t, legacy)
	if _, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "panics", Arguments: echoIn{"x"}}); err != nil {
		t.Fatal(err)
	}
	stack := attributes(p.server.span(t, "tools/call panics").Attributes())["exception.stacktrace"]
	if !strings.Contains(stack, "newServerWith") || !strings.HasPrefix(stack, "goroutine ") {
		t.Errorf("got the stack %q, want one with the tool", stack)
	}
}

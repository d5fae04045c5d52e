// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// answersAny makes a server answer each call of a name that starts with "made_up" with success.
func answersAny(server *mcp.Server) {
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && method == "tools/call" &&
				strings.HasPrefix(p.Name, "made_up") {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
			}
			return next(ctx, method, req)
		}
	})
}

// cardinality is how many different tool names the telemetry shows, in metrics, span names and
// statistics.
func (h *telemetry) cardinality(t *testing.T) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, metric := range []string{"mcp.client.operation.duration", "gen_ai.execute_tool.duration", "toolscope.tool.run.duration"} {
		tools := map[string]bool{}
		for _, p := range h.points(t, metric) {
			if name := attributes(p.Attributes.ToSlice())["gen_ai.tool.name"]; name != "" {
				tools[name] = true
			}
		}
		found[metric] = len(tools)
	}
	spans := map[string]bool{}
	for _, name := range h.names() {
		if strings.Contains(name, "tools/call ") || strings.Contains(name, "execute_tool ") {
			spans[name] = true
		}
	}
	found["span names"] = len(spans)
	found["statistics"] = len(h.Stats().Snapshot(window).Tools)
	return found
}

// A model makes up 400 names of tools. A client that has not listed the server's tools shows all of them
// under one name, whether the server rejects them or answers each with success; so does one that has
// listed them.
func TestMadeUpNames(t *testing.T) {
	const calls = 400
	for _, lists := range []bool{false, true} {
		for _, hostile := range []bool{false, true} {
			for _, revision := range []string{legacy, stateless} {
				t.Run(fmt.Sprintf("lists %v hostile %v %s", lists, hostile, revision), func(t *testing.T) {
					server, c := newServer(), newTelemetry(t, toolscope.Options{})
					if hostile {
						answersAny(server)
					}
					cs := connect(t, server, c, nil, revision)
					if lists {
						if _, err := cs.ListTools(t.Context(), nil); err != nil {
							t.Fatal(err)
						}
					}
					for i := range calls {
						_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: fmt.Sprint("made_up_", i), Arguments: echoIn{}})
					}
					for what, n := range c.cardinality(t) {
						if n > 1 {
							t.Errorf("%s: got %d names, want 1", what, n)
						}
					}
					if t.Failed() {
						return
					}
					s := attributes(c.span(t, "tools/call _unknown").Attributes())
					want(t, "span", s, "toolscope.tool.requested_name", "made_up_0", "gen_ai.tool.name", "_unknown")
				})
			}
		}
	}
}

// A registered tool that calls whatever tool its arguments name says by PartOf that the call is its own. The
// name is still the model's.
func TestMadeUpNamesInACall(t *testing.T) {
	for _, options := range []toolmcp.Options{{}, {SeparateSpans: true}} {
		server, c := newServer(), newTelemetry(t, toolscope.Options{})
		answersAny(server)
		cs := connectWith(t, server, c, nil, legacy, options)
		def := &toolkit.Definition{Name: "any"}
		execute := c.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			name := string(call.Arguments[1 : len(call.Arguments)-1])
			_, err := cs.CallTool(toolmcp.PartOf(ctx, name), &mcp.CallToolParams{Name: name, Arguments: echoIn{}})
			return toolkit.Result{Output: "done"}, err
		}, toolkit.Lookup(func(string) *toolkit.Definition { return def }))
		for i := range 400 {
			if _, err := execute(t.Context(), toolkit.Call{Name: "any", Arguments: fmt.Appendf(nil, `"made_up_%d"`, i)}); err != nil {
				t.Fatal(err)
			}
		}
		for what, n := range c.cardinality(t) {
			if n > 2 { // any and _unknown
				t.Errorf("separate spans %t: %s: got %d names, want at most 2", options.SeparateSpans, what, n)
			}
		}
	}
}

// A client that never lists tools still counts, times and explains each call: only the name is missing
// from labels, and it is on the span. A failure of such a call is the tool's, not one of an unknown tool.
func TestCallsWithoutAList(t *testing.T) {
	server, c := newServer(), newTelemetry(t, toolscope.Options{})
	cs := connect(t, server, c, nil, legacy)
	for _, name := range []string{"echo", "echo", "fails"} {
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: echoIn{"hi"}}); err != nil {
			t.Fatal(err)
		}
	}
	requested := map[string]int{}
	for _, s := range c.spans.Ended() {
		if s.Name() != "tools/call _unknown" {
			continue
		}
		a := attributes(s.Attributes())
		requested[a["toolscope.tool.requested_name"]]++
		errorType := ""
		if a["toolscope.tool.requested_name"] == "fails" {
			errorType = "tool_error"
		}
		want(
			t,
			s.Name(),
			a,
			"toolscope.outcome",
			"executed",
			"error.type",
			errorType,
			"gen_ai.tool.call.arguments",
			`{"text":"hi"}`,
		)
	}
	if requested["echo"] != 2 || requested["fails"] != 1 {
		t.Errorf("got the names %v on spans, want each call's", requested)
	}
	if s := c.Stats().Snapshot(window).Tool("_unknown"); s == nil || s.Executed.Count() != 3 || s.Errors() != 1 {
		t.Errorf("got the statistics %+v, want 3 executed calls, 1 of them failed", s)
	}
}

// With the option the client lists the tools by itself, once for many made-up names, and the first call already
// has its tool's name. Without it the client sends nothing but the calls.
func TestWithListing(t *testing.T) {
	for _, listing := range []bool{false, true} {
		for _, connect := range []connecting{dial, dialHTTP} {
			for _, revision := range []string{legacy, stateless} {
				server, c := newServer(), newTelemetry(t, toolscope.Options{})
				client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
				var options toolmcp.Options
				if listing {
					options.Listing = true
				}
				toolmcp.Instrument(client, c.Scope, options)
				cs := connect(t, client, server, revision)
				for _, name := range []string{"echo", "made_up_1", "made_up_2", "made_up_3"} {
					_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: echoIn{}})
				}
				lists, named := 0, 0
				for _, name := range c.names() {
					switch name {
					case "tools/list":
						lists++
					case "tools/call echo":
						named++
					}
				}
				if want := map[bool]int{true: 1}[listing]; lists != want || named != want {
					t.Errorf("listing %v, %s: got %d lists and %d calls by name, want %d", listing, revision, lists, named, want)
				}
			}
		}
	}
}

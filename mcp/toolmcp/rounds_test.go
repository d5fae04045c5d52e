// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/tracing"
)

// newAsking has a tool that asks for input until it has got it in two rounds, and then answers; "fails" fails then.
func newAsking() *mcp.Server {
	server := newServer()
	for _, name := range []string{"asks", "asks_and_fails"} {
		server.AddTool(
			&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				round := len(r.Params.RequestState) // one character for each
				if round < 2 {
					question := mcp.InputRequestMap{
						"name": &mcp.ElicitParams{Message: "who?", RequestedSchema: json.RawMessage(`{"type":"object"}`)},
					}
					// A result that asks for input is no failure, whatever it says.
					return &mcp.CallToolResult{
						IsError:       round == 1,
						RequestState:  r.Params.RequestState + "!",
						InputRequests: question,
					}, nil
				}
				return &mcp.CallToolResult{
					IsError: name == "asks_and_fails",
					Content: []mcp.Content{&mcp.TextContent{Text: "done"}},
				}, nil
			},
		)
	}
	return server
}

// rounds are the spans of a tool's calls in the order in which they ended.
func (h *telemetry) rounds(tool string) (spans []sdktrace.ReadOnlySpan) {
	for _, s := range h.spans.Ended() {
		if s.Name() == "tools/call "+tool {
			spans = append(spans, s)
		}
	}
	return spans
}

// callRounds makes a call as a client does that answers the server's questions itself, until there is a result or the
// rounds are used up.
func callRounds(t *testing.T, ctx context.Context, cs *mcp.ClientSession, tool string, rounds int) {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"n": 1}}
	for range rounds {
		res, err := cs.CallTool(ctx, params)
		if err != nil {
			t.Fatal(err)
		}
		if !res.NeedsInput() {
			return
		}
		params = &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"n": 1}, RequestState: res.RequestState,
			InputResponses: mcp.InputResponseMap{"name": &mcp.ElicitResult{Action: "accept"}}}
	}
}

// One call of a tool that asks for input twice is one call in metrics and statistics of each side, with the outcome of
// its last round. Each round is a span and a request; those after the first are linked to it, and none that asks is
// a failure.
func TestRounds(t *testing.T) {
	for _, transport := range []struct {
		name string
		dial connecting
	}{{"memory", dial}, {"http", dialHTTP}} {
		for _, by := range []string{"the SDK", "the client"} { // who answers the questions
			for _, tool := range []string{"asks", "asks_and_fails"} {
				t.Run(fmt.Sprintf("%s by %s over %s", tool, by, transport.name), func(t *testing.T) {
					c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
					server := newAsking()
					client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
						MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: by == "the client"},
						ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
							return &mcp.ElicitResult{Action: "accept"}, nil
						},
					})
					toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
					toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
					cs := transport.dial(t, client, server, stateless)
					list(t, cs)
					ctx, agent := c.StartAgent(t.Context(), tracing.Agent{Name: "planner"})
					callRounds(t, ctx, cs, tool, 3)
					agent.End(nil)

					requests := uint64(1) // of the client's middleware
					if by == "the client" {
						requests = 3
					}
					want := onTheAgentsSide(1)
					want["mcp.client.operation.duration"] = requests
					c.wantRecorded(t, "client", tool, want)
					want = onTheServer(1)
					want["mcp.server.operation.duration server"] = 3
					s.wantRecorded(t, "server", tool, want)
					failed := uint64(strings.Count(tool, "fails"))
					for side, h := range map[string]*telemetry{"client": c, "server": s} {
						if got := h.Stats().Snapshot(window).Tool(tool); got == nil || got.Calls() != 1 ||
							got.Errors() != failed ||
							got.InFlight != 0 {
							t.Errorf("%s: got the statistics %+v, want 1 call, %d failed", side, got, failed)
						}
						spans := h.rounds(tool)
						if side == "client" && len(spans) != int(requests) || side == "server" && len(spans) != 3 {
							t.Errorf("%s: got %d spans", side, len(spans))
							continue
						}
						for i, span := range spans {
							last := i == len(spans)-1
							if red := span.Status().Code == codes.Error; red != (last && failed == 1) {
								t.Errorf("%s: round %d: got the status %v", side, i+1, span.Status())
							}
							a := attributes(span.Attributes())
							if (a["toolscope.suspended"] == "true") == last {
								t.Errorf("%s: round %d: got suspended %q", side, i+1, a["toolscope.suspended"])
							}
							linked := slices.ContainsFunc(span.Links(), func(l sdktrace.Link) bool {
								return l.SpanContext.SpanID() == spans[0].SpanContext().SpanID()
							})
							if number := a["toolscope.mcp.round"]; linked != (i > 0) || i > 0 && number != fmt.Sprint(i+1) {
								t.Errorf("%s: round %d: got it linked %v and numbered %q", side, i+1, linked, number)
							}
						}
					}
					for _, p := range c.intPoints(t, "gen_ai.invoke_agent.tool_calls") {
						if p != 1 {
							t.Errorf("got %d calls of the agent, want 1", p)
						}
					}
				})
			}
		}
	}
}

// A call whose client never answers is counted when its session ends, or by the bound on those that wait: none is lost.
func TestRoundsThatAreNotCarriedOn(t *testing.T) {
	c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
	server := newAsking()
	client := mcp.NewClient(
		&mcp.Implementation{Name: "test"},
		&mcp.ClientOptions{MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}},
	)
	toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
	toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
	ours, theirs := mcp.NewInMemoryTransports()
	ss, err := server.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := client.Connect(t.Context(), ours, &mcp.ClientSessionOptions{ProtocolVersion: stateless})
	if err != nil {
		t.Fatal(err)
	}
	list(t, cs)
	for i := range 3 {
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "asks", Arguments: map[string]any{"n": i}}); err != nil {
			t.Fatal(err)
		}
	}
	// Input that no call has asked for is a call of its own.
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "asks", RequestState: "other"}); err != nil {
		t.Fatal(err)
	}
	if err := cs.Close(); err != nil {
		t.Fatal(err)
	}
	_ = ss.Wait()
	for side, h := range map[string]*telemetry{"client": c, "server": s} {
		want := map[string]map[string]uint64{"client": onTheAgentsSide(4), "server": onTheServer(4)}[side]
		h.wantRecorded(t, side, "asks", want)
		until(t, "the statistics", func() bool {
			got := h.Stats().Snapshot(window).Tool("asks")
			return got != nil && got.Calls() == 4 && got.Suspended == 3 && got.Errors() == 0 && got.InFlight == 0
		})
	}
}

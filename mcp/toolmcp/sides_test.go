// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
)

// The metrics that show calls of tools.
var callMetrics = []string{
	"gen_ai.execute_tool.duration", "toolscope.tool.run.duration",
	"mcp.client.operation.duration", "mcp.server.operation.duration",
}

// recorded is how often a scope recorded calls of a tool, by metric and side: "gen_ai.execute_tool.duration agent".
func (h *telemetry) recorded(t *testing.T, tool string) map[string]uint64 {
	t.Helper()
	found := map[string]uint64{}
	for _, metric := range callMetrics {
		for _, p := range h.points(t, metric) {
			if a := attributes(p.Attributes.ToSlice()); a["gen_ai.tool.name"] == tool {
				found[strings.TrimSpace(metric+" "+a["toolscope.side"])] += p.Count
			}
		}
	}
	return found
}

// onTheAgentsSide, onTheServer and onBoth are what n calls are recorded as.
func onTheAgentsSide(n uint64) map[string]uint64 {
	return map[string]uint64{
		"gen_ai.execute_tool.duration agent": n,
		"toolscope.tool.run.duration agent":  n,
		"mcp.client.operation.duration":      n,
	}
}

func onTheServer(n uint64) map[string]uint64 {
	return map[string]uint64{"toolscope.tool.run.duration server": n, "mcp.server.operation.duration server": n}
}

func onBoth(n uint64) map[string]uint64 {
	both := onTheAgentsSide(n)
	maps.Copy(both, onTheServer(n))
	return both
}

// wantRecorded compares when the last recording has been made, which may come after the answer.
func (h *telemetry) wantRecorded(t *testing.T, what, tool string, want map[string]uint64) {
	t.Helper()
	var got map[string]uint64
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if got = h.recorded(t, tool); maps.Equal(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: got the recordings %v, want %v", what, got, want)
			return
		}
	}
}

// One call of a tool is one recording of gen_ai.execute_tool.duration, on the side of the agent, whichever side else
// records it; and each side's time differs from the other's by its metric or by toolscope.side.
func TestSides(t *testing.T) {
	const calls = 3
	for _, transport := range []struct {
		name string
		dial connecting
	}{{"memory", dial}, {"http", dialHTTP}} {
		for _, revision := range []string{legacy, stateless} {
			for _, sides := range []string{"client", "server", "both", "shared"} {
				t.Run(fmt.Sprintf("%s %s %s", sides, transport.name, revision), func(t *testing.T) {
					c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
					server, client := newServer(), mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
					wantClient, wantServer := onTheAgentsSide(calls), onTheServer(calls)
					switch sides {
					case "client":
						toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
						wantServer = nil
					case "server":
						toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
						wantClient = nil
					case "both":
						toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
						toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
					case "shared":
						toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
						toolmcp.Instrument(server, c.Scope, toolmcp.Options{})
						wantClient, wantServer = onBoth(calls), nil
					}
					cs := transport.dial(t, client, server, revision)
					if _, err := cs.ListTools(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					for range calls {
						if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil {
							t.Fatal(err)
						}
					}
					c.wantRecorded(t, "client's scope", "echo", wantClient)
					s.wantRecorded(t, "server's scope", "echo", wantServer)
					counted := func(h *telemetry) uint64 {
						if tool := h.Stats().Snapshot(window).Tool("echo"); tool != nil {
							return tool.Calls()
						}
						return 0
					}
					wantStats := map[string][2]uint64{
						"client": {calls, 0}, "server": {0, calls}, "both": {calls, calls}, "shared": {calls, 0},
					}[sides]
					if got := [2]uint64{counted(c), counted(s)}; got != wantStats {
						t.Errorf("got %d calls in the two scopes' statistics, want %d", got, wantStats)
					}
				})
			}
		}
	}
}

// A call that is made inside another one is recorded by the outer one, on the agent's side.
func TestSidesOfMergedCalls(t *testing.T) {
	for _, options := range []toolmcp.Options{{}, {SeparateSpans: true}} {
		c := newTelemetry(t, toolscope.Options{})
		cs := connectWith(t, newServer(), c, nil, legacy, options)
		if _, err := cs.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		def := &toolkit.Definition{Name: "echo"}
		execute := c.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: call.Arguments})
			return toolkit.Result{Output: "done"}, err
		}, toolkit.Lookup(func(string) *toolkit.Definition { return def }))
		if _, err := execute(t.Context(), toolkit.Call{Name: "echo", Arguments: []byte(`{"text":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		c.wantRecorded(t, fmt.Sprint("separate spans ", options.SeparateSpans), "echo", onTheAgentsSide(1))
	}
}

// A gateway handles a call and makes it of another server. It is no agent's side: it records the call as a server
// and the request that it sends, and the agent's client counts the call.
func TestSidesOfAGateway(t *testing.T) {
	agent, gateway, far := newTelemetry(
		t,
		toolscope.Options{},
	), newTelemetry(
		t,
		toolscope.Options{},
	), newTelemetry(
		t,
		toolscope.Options{},
	)
	onward := connect(t, newServer(), gateway, far, legacy)
	if _, err := onward.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "gateway"}, nil)
	server.AddTool(
		&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return onward.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: r.Params.Arguments})
		},
	)
	cs := connect(t, server, agent, gateway, stateless)
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil {
		t.Fatal(err)
	}
	agent.wantRecorded(t, "agent", "echo", onTheAgentsSide(1))
	between := onTheServer(1)
	between["mcp.client.operation.duration"] = 1
	gateway.wantRecorded(t, "gateway", "echo", between)
	far.wantRecorded(t, "server", "echo", onTheServer(1))
}

// Three attempts of a client are one call of the agent and three of the server.
func TestSidesOfRetries(t *testing.T) {
	again, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTool}, Attempts: 3, BaseDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int64
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "flaky", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, echoIn) (*mcp.CallToolResult, any, error) {
			if runs.Add(1) < 3 {
				return nil, nil, errors.New("not yet")
			}
			return nil, nil, nil
		},
	)
	c, s := newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{again}}), newTelemetry(t, toolscope.Options{})
	cs := connect(t, server, c, s, legacy)
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "flaky", Arguments: echoIn{}}); err != nil || res.IsError {
		t.Fatalf("got %+v and %v", res, err)
	}
	c.wantRecorded(t, "client", "flaky", onTheAgentsSide(1))
	s.wantRecorded(t, "server", "flaky", onTheServer(3))
}

// What became of a call is a label on the protocol's metrics as well, so that a server that is measured alone can
// tell hits and refusals from calls that ran; and its spans say that they are a server's.
func TestOutcomesOfAServer(t *testing.T) {
	s := newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{newCache(t), deny("echo")}})
	server, _ := newCounting()
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "echo"},
		func(context.Context, *mcp.CallToolRequest, echoIn) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		},
	)
	cs := connect(t, server, nil, s, legacy)
	for _, name := range []string{"count", "count", "echo"} {
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{}}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	until(t, "the recordings", func() bool {
		got = nil
		for _, p := range s.points(t, "mcp.server.operation.duration") {
			if a := attributes(p.Attributes.ToSlice()); a["mcp.method.name"] == "tools/call" {
				got = append(got, fmt.Sprint(a["gen_ai.tool.name"], " ", a["toolscope.outcome"], " ", p.Count))
			}
		}
		return len(got) == 3
	})
	slices.Sort(got)
	if want := []string{"count cache_hit 1", "count executed 1", "echo refused 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	want(t, "span", attributes(s.span(t, "tools/call count").Attributes()), "toolscope.side", "server")
}

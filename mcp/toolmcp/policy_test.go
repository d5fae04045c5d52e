// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

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
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

// deny refuses calls of one tool.
func deny(name string) middleware.Policy {
	return middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.Name == name {
				return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not today"})
			}
			return next(ctx, call)
		}
	})
}

// TestPoliciesGovernBothSides checks that a refusal reaches no tool, is a result that the
// model can read, and is on the one span.
func TestPoliciesGovernBothSides(t *testing.T) {
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			var c, s *telemetry
			if side == "client" {
				c, s = newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{deny("echo")}}), nil
			} else {
				c, s = nil, newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{deny("echo")}})
			}
			cs := connect(t, newServer(), c, s, legacy)
			list(t, cs)
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}})
			if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "not today") {
				t.Fatalf("got %+v and %v", res, err)
			}
			h := c
			if h == nil {
				h = s
			}
			span := h.span(t, "tools/call echo")
			want(
				t,
				side,
				attributes(span.Attributes()),
				"toolscope.outcome",
				"refused",
				"error.type",
				"permission_denied",
				"mcp.method.name",
				"tools/call",
			)
			if span.Status().Code != codes.Error {
				t.Errorf("got the status %v", span.Status())
			}
			want(
				t,
				side,
				h.point(t, "mcp."+side+".operation.duration", "tools/call"),
				"error.type",
				"permission_denied",
				"gen_ai.tool.name",
				"echo",
			)
		})
	}
}

// TestCacheOnServer checks that a stored answer is the same answer, and that the tool ran
// once for one session.
func TestCacheOnServer(t *testing.T) {
	store, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int64
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "count", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in echoIn) (*mcp.CallToolResult, echoOut, error) {
			runs.Add(1)
			return &mcp.CallToolResult{Meta: mcp.Meta{"of": "the tool"}}, echoOut{in.Text}, nil
		},
	)
	s := newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{store}})
	cs := connect(t, server, nil, s, legacy)
	for range 3 {
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "count", Arguments: echoIn{"x"}})
		if err != nil || res.StructuredContent.(map[string]any)["echo"] != "x" || res.Meta["of"] != "the tool" {
			t.Fatalf("got %+v and %v", res, err)
		}
	}
	if runs.Load() != 1 {
		t.Errorf("the tool ran %d times, want once", runs.Load())
	}
}

// TestMergedWithAnOuterCall checks that a call of the application that is carried out by a tools/call is
// one span with the attributes of both, which the server's span is below.
func TestMergedWithAnOuterCall(t *testing.T) {
	for _, separate := range []bool{false, true} {
		c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
		cs := connectWith(t, newServer(), c, s, legacy, toolmcp.Options{SeparateSpans: separate})
		list(t, cs)
		def := &toolkit.Definition{Name: "files__echo"}
		execute := c.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			// of another name: a call of its own
			if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "fails", Arguments: echoIn{"other"}}); err != nil {
				return toolkit.Result{}, err
			}
			res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: call.Arguments})
			if err != nil {
				return toolkit.Result{}, err
			}
			return toolkit.Result{Output: res.Content[0].(*mcp.TextContent).Text}, nil
		}, toolkit.Lookup(func(string) *toolkit.Definition { return def }))
		res, err := execute(t.Context(), toolkit.Call{Name: "files__echo", Arguments: []byte(`{"text":"x"}`)})
		if err != nil || res.Output != `{"echo":"x"}` {
			t.Fatal(res.Output, err)
		}
		outer, inner := c.span(t, "execute_tool files__echo"), s.span(t, "tools/call echo")
		other := c.span(t, "tools/call fails")
		if other.Parent().SpanID() != outer.SpanContext().SpanID() || other.SpanKind() != trace.SpanKindClient {
			t.Error("the call of another tool is no CLIENT span below the outer one")
		}
		a := attributes(outer.Attributes())
		if separate {
			own := c.span(t, "tools/call echo")
			want(t, "separate", a, "mcp.method.name", "")
			want(
				t,
				"separate",
				attributes(own.Attributes()),
				"mcp.method.name",
				"tools/call",
				"gen_ai.tool.name",
				"echo",
				"toolscope.outcome",
				"",
			)
			if own.Parent().SpanID() != outer.SpanContext().SpanID() || inner.Parent().SpanID() != own.SpanContext().SpanID() ||
				own.SpanKind() != trace.SpanKindClient {
				t.Error("separate: want execute_tool, below it CLIENT, below it SERVER")
			}
			continue
		}
		want(
			t,
			"merged",
			a,
			"mcp.method.name",
			"tools/call",
			"gen_ai.tool.name",
			"files__echo",
			"toolscope.outcome",
			"executed",
			"mcp.protocol.version",
			legacy,
		)
		if inner.Parent().SpanID() != outer.SpanContext().SpanID() {
			t.Error("the server's span is not below the outer one")
		}
		for _, name := range c.names() {
			if name == "tools/call echo" {
				t.Error("merged: got a CLIENT span, want none")
			}
		}
		if c.Stats().Snapshot(window).Tool("echo") != nil {
			t.Error("the merged call was counted twice")
		}
	}
}

// TestNoRecover checks that the option lets a panic go on, as it was.
func TestNoRecover(t *testing.T) {
	s := newTelemetry(t, toolscope.Options{})
	handler := toolmcp.Server(
		s.Scope,
		toolmcp.Options{NoRecover: true},
	)(
		func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("on") },
	)
	for _, method := range []string{"tools/call", "prompts/get"} {
		func() {
			defer func() {
				if v := recover(); v != "on" {
					t.Errorf("%s: got the panic %v, want it to go on", method, v)
				}
			}()
			var req mcp.Request = &mcp.CallToolRequest{Session: new(mcp.ServerSession), Params: &mcp.CallToolParamsRaw{Name: "x"}}
			if method != "tools/call" {
				req = &mcp.GetPromptRequest{Session: new(mcp.ServerSession), Params: &mcp.GetPromptParams{Name: "x"}}
			}
			_, _ = handler(t.Context(), method, req)
		}()
	}
	want(t, "panic", attributes(s.span(t, "prompts/get").Attributes()), "error.type", "panic")
	want(
		t,
		"panic",
		attributes(s.span(t, "tools/call _unknown").Attributes()),
		"error.type",
		"panic",
		"toolscope.ending",
		"panicked",
	)
}

// TestPassesOnUnchanged checks nil and switched off scopes, and identical values.
func TestPassesOnUnchanged(t *testing.T) {
	result, failure := &mcp.CallToolResult{Content: []mcp.Content{}}, errors.New("x")
	inner := func(context.Context, string, mcp.Request) (mcp.Result, error) { return result, nil }
	req := &mcp.CallToolRequest{Session: new(mcp.ServerSession), Params: &mcp.CallToolParamsRaw{Name: "x"}}
	off := newTelemetry(t, toolscope.Options{Settings: toolscope.Settings{Off: true}})
	for name, m := range map[string]mcp.Middleware{
		"nil client": toolmcp.Client(nil, toolmcp.Options{}), "nil server": toolmcp.Server(nil, toolmcp.Options{}),
		"off": toolmcp.Server(off.Scope, toolmcp.Options{}), "on": toolmcp.Server(newTelemetry(t, toolscope.Options{}).Scope,
			toolmcp.Options{}),
		"no telemetry": toolmcp.Server(
			newTelemetry(t, toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true}).Scope, toolmcp.Options{},
		),
	} {
		if got, err := m(inner)(t.Context(), "tools/call", req); got != mcp.Result(result) || err != nil {
			t.Errorf("%s: got %v and %v, want the identical result", name, got, err)
		}
		fails := m(func(context.Context, string, mcp.Request) (mcp.Result, error) { return nil, failure })
		if got, err := fails(t.Context(), "tools/call", req); got != nil || err != failure {
			t.Errorf("%s: got %v and %v, want the identical error", name, got, err)
		}
	}
	if n := len(off.spans.Ended()); n != 0 {
		t.Errorf("off: got %d spans", n)
	}
}

// TestSessionDuration checks that a session with a handshake is measured once, on both
// sides, and that nothing is kept of it.
func TestSessionDuration(t *testing.T) {
	p := newPeers(t, legacy)
	if err := p.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for name, side := range map[string]*telemetry{"mcp.client.session.duration": p.client, "mcp.server.session.duration": p.server} {
		var points []metricdata.HistogramDataPoint[float64]
		until(t, name, func() bool { // one that is just being recorded has a count of 0
			points = side.points(t, name)
			return len(points) > 0 && points[0].Count > 0
		})
		if len(points) != 1 || points[0].Count != 1 {
			t.Errorf("%s: got %v, want one recording", name, points)
		}
		want(
			t,
			name,
			attributes(points[0].Attributes.ToSlice()),
			"mcp.protocol.version",
			legacy,
			"mcp.method.name",
			"",
			"error.type",
			"",
		)
	}
}

// TestPoliciesAnswer checks what a client reads, and what the server's span tells, where
// policies of the server answer.
func TestPoliciesAnswer(t *testing.T) {
	loops, err := loop.New(loop.Options{Default: loop.Thresholds{Stop: 6}})
	if err != nil {
		t.Fatal(err)
	}
	limits, err := timeout.New(timeout.Options{Tools: map[string]time.Duration{"slow": 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := approve.New(
		approve.Options{
			Askers: []approve.Asker{approve.AskerFunc(func(_ context.Context, r approve.Request) (approve.Answer, error) {
				return approve.Answer{
					Approved: strings.Contains(string(r.Arguments), "please"),
					By:       "Ada",
					Note:     "say please",
				}, nil
			})},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	err = registry.Register(
		toolkit.ToolFunc(
			toolkit.Definition{Name: "careful", RequiresApproval: true},
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				return toolkit.Result{Output: "done"}, nil
			},
		),
		toolkit.ToolFunc(toolkit.Definition{Name: "slow"}, func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			<-ctx.Done()
			return toolkit.Result{}, ctx.Err()
		}),
		toolkit.ToolFunc(
			toolkit.Definition{Name: "poll", ReadOnly: toolkit.Yes},
			func(context.Context, toolkit.Call) (toolkit.Result, error) {
				return toolkit.Result{Output: "not yet"}, nil
			},
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{legacy, stateless} {
		server, err := toolmcp.NewServer(nil, registry, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{loops, asked, limits}})
		one := toolkit.Session{ID: revision}
		cs := connectWith(
			t,
			server,
			nil,
			s,
			revision,
			toolmcp.Options{Session: func(mcp.Request) *toolkit.Session { return &one }},
		)
		var text string
		for _, c := range []struct {
			tool, arguments, errorType string
			times                      int
		}{
			{"careful", `{"say":"now"}`, "approval_denied", 1}, {"careful", `{"say":"please"}`, "", 1},
			{"slow", `{}`, "timeout", 1}, {"poll", `{}`, "loop_detected", 20}, {"nothing", `{}`, "-32602", 1},
		} {
			var last *mcp.CallToolResult
			for range c.times {
				if last, err = cs.CallTool(
					t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)},
				); err != nil {
					break
				}
			}
			if (c.errorType == "-32602") != (err != nil) || err == nil && last.IsError != (c.errorType != "") {
				t.Errorf("%s %s: got %+v and %v", c.tool, c.arguments, last, err)
				continue
			}
			if err == nil {
				if said, _ := json.Marshal(last); strings.Contains(
					string(said),
					`"resultType":"complete"`,
				) != (revision == stateless) {
					t.Errorf("%s by %s: got %s", c.tool, revision, said)
				}
				text += last.Content[0].(*mcp.TextContent).Text + "\n"
				found := false
				for _, span := range s.spans.Ended() {
					a := attributes(span.Attributes())
					found = found || span.Name() == "tools/call "+c.tool && a["error.type"] == c.errorType
				}
				if !found {
					t.Errorf("%s: got no span with error.type %q", c.tool, c.errorType)
				}
			}
		}
		if !strings.Contains(text, "say please") || !strings.Contains(text, "20ms") {
			t.Errorf("got the answers %s", text)
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package conventions_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
	"github.com/toolscope/toolscope/workflow"
)

// world is one process with everything that emits telemetry.
type world struct {
	spans   *tracetest.SpanRecorder
	reader  *sdkmetric.ManualReader
	sink    *recordSink
	options toolscope.Options
	ends    []func(context.Context) error
}

// A recordSink keeps log records.
type recordSink struct {
	mu      sync.Mutex
	records []sdklog.Record
}

func (s *recordSink) OnEmit(_ context.Context, r *sdklog.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r.Clone())
	return nil
}

func (*recordSink) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }
func (*recordSink) Shutdown(context.Context) error                         { return nil }
func (*recordSink) ForceFlush(context.Context) error                       { return nil }

func newWorld(t *testing.T, content bool) *world {
	t.Helper()
	w := &world{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader(), sink: new(recordSink)}
	events := exporters.Events{Exceptions: true, ExperimentalDecisions: true}.Processor(
		sdklog.NewLoggerProvider(sdklog.WithProcessor(w.sink)))
	w.options = toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans), sdktrace.WithSpanProcessor(events)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.reader)),
		Content:        tracing.ContentOff,
	}
	if content {
		w.options.Content = tracing.ContentOn
	}
	return w
}

func (w *world) scope(t *testing.T, policies ...middleware.Policy) *toolscope.Scope {
	t.Helper()
	o := w.options
	o.Policies = policies
	scope, err := toolscope.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.ends = append(w.ends, scope.Shutdown)
	return scope
}

// local makes calls of a wrapped registry in runs of agents.
func (w *world) local(t *testing.T) {
	again, err1 := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrOverloaded}, Attempts: 3, BaseDelay: time.Millisecond})
	stored, err2 := cache.New(cache.Options{StaleFor: time.Hour})
	gate, err3 := permit.New(permit.Options{})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	scope := w.scope(t, again, stored, gate)
	overloaded := tooltest.Step{Err: &toolkit.Error{Kind: toolkit.ErrOverloaded, Message: "try again"}}
	command := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Record.Note(func(s *toolkit.Disposition) { s.Process = &toolkit.Process{Executable: "git", ExitCode: 1} })
		return toolkit.Result{Output: "exit code 1"}, nil
	}
	skill := toolkit.SkillArguments{Name: "skill"}
	file := toolkit.SkillArguments{Name: "skill", Resource: "path"}
	read := toolkit.Yes
	registry := new(toolkit.Registry)
	err := registry.Register(
		tooltest.Echo(toolkit.Definition{Name: "echo", Description: "Echoes.", ReadOnly: read, CacheTTL: time.Nanosecond}),
		tooltest.Failing(toolkit.Definition{Name: "fail", ReadOnly: read, CacheTTL: -1}, errors.New("disk is full")),
		tooltest.Panicking(toolkit.Definition{Name: "crash", ReadOnly: read, CacheTTL: -1}, "boom"),
		tooltest.Scripted(toolkit.Definition{Name: "flaky", ReadOnly: read, CacheTTL: -1}, overloaded, tooltest.Text("ok")),
		tooltest.Echo(toolkit.Definition{Name: "load_skill", ReadOnly: read, CacheTTL: -1, Skill: skill}),
		tooltest.Echo(toolkit.Definition{Name: "read_skill", ReadOnly: read, CacheTTL: -1, Skill: file}),
		toolkit.ToolFunc(toolkit.Definition{Name: "run", ReadOnly: read, CacheTTL: -1}, command))
	if err != nil {
		t.Fatal(err)
	}
	handle := scope.WrapRegistry(registry)
	ctx, run := scope.StartAgent(t.Context(), tracing.Agent{
		Name: "planner", Description: "Plans.", Model: "m-1", Conversation: "c-1", Session: "s-1", Prompt: "go",
	})
	for _, name := range []string{"echo", "echo", "fail", "crash", "flaky", "load_skill", "read_skill", "run", "made_up"} {
		func() {
			defer func() { _ = recover() }()
			_, _ = handle(ctx, toolkit.Call{ID: "call-" + name, Name: name, Arguments: []byte(`{"skill":"pdf","path":"a.md"}`)})
		}()
	}
	set, err := workflow.New(workflow.Options{
		Handler: handle, Tools: registry, Scope: scope,
		Definitions: map[string]workflow.Definition{
			"release": {Steps: []workflow.Step{{ID: "a", Call: "echo"}}},
			"revoke":  {Steps: []workflow.Step{{ID: "a", Call: "fail"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Register(set.Tools()...); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"release", "revoke"} {
		_, _ = handle(ctx, toolkit.Call{ID: "call-" + name, Name: name})
	}
	run.InferenceCall()
	run.AddUsage(10, 20)
	run.End(nil)
	_, failed := scope.StartAgent(t.Context(), tracing.Agent{})
	failed.End(errors.New("gave up"))
}

// remote makes requests of an MCP client, by a proxy, to a server, over HTTP.
func (w *world) remote(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "weather"}, nil)
	server.AddTool(&mcp.Tool{Name: "look", Description: "Looks.", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sunny"}}}, nil
		})
	server.AddTool(&mcp.Tool{Name: "fail", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no network"}}}, nil
		})
	server.AddPrompt(&mcp.Prompt{Name: "ask"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, errors.New("no such thing")
	})
	server.AddResource(&mcp.Resource{Name: "map", URI: "test://map"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://map", Text: "a"}}}, nil
		})
	toolmcp.Instrument(server, w.scope(t), toolmcp.Options{})
	back := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(back.Close)
	proxied := w.proxy(t, back.URL)
	client := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: proxied}
	toolmcp.Instrument(client, w.scope(t), toolmcp.Options{Transport: transport})
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.ends = append(w.ends, func(context.Context) error { return session.Close() })
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := session.ListPrompts(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"look", "fail", "made_up"} {
		_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{"a": 1}})
	}
	_, _ = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask"})
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://map"}); err != nil {
		t.Fatal(err)
	}
}

// proxy runs an instrumented proxy in front of a server and returns its address.
func (w *world) proxy(t *testing.T, target string) string {
	t.Helper()
	watcher, err := mcpproxy.New(w.scope(t), mcpproxy.Options{Server: "weather"})
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- watcher.Serve(ctx, l, to) }()
	w.ends = append(w.ends, func(ctx context.Context) error {
		err := watcher.Settle(ctx)
		stop()
		err = errors.Join(err, <-ended)
		watcher.Close()
		return err
	})
	return "http://" + l.Addr().String()
}

// close ends everything and returns what was emitted.
func (w *world) close(t *testing.T) ([]sdktrace.ReadOnlySpan, []metricdata.Metrics, []sdklog.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w.shutdown(ctx, t)
	var all metricdata.ResourceMetrics
	if err := w.reader.Collect(ctx, &all); err != nil {
		t.Fatal(err)
	}
	var metrics []metricdata.Metrics
	for _, scope := range all.ScopeMetrics {
		metrics = append(metrics, scope.Metrics...)
	}
	return w.spans.Ended(), metrics, w.sink.records
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/stats"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// telemetry is one peer's scope over the real SDK, with what it exported.
type telemetry struct {
	*toolscope.Scope
	spans   *tracetest.SpanRecorder
	metrics *sdkmetric.ManualReader
}

func newTelemetry(t testing.TB, o toolscope.Options) *telemetry {
	t.Helper()
	h := &telemetry{spans: tracetest.NewSpanRecorder(), metrics: sdkmetric.NewManualReader()}
	var err error
	o.TracerProvider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(h.spans))
	o.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(h.metrics))
	h.Scope, err = toolscope.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// span is the ended span of that name. Ending it may come after the answer, so it is
// waited for.
func (h *telemetry) span(t testing.TB, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		for _, s := range h.spans.Ended() {
			if s.Name() == name {
				return s
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("got the spans %q, want %q", h.names(), name)
		}
	}
}

func (h *telemetry) names() (names []string) {
	for _, s := range h.spans.Ended() {
		names = append(names, s.Name())
	}
	return names
}

// points are the attributes of the data points of one histogram.
func (h *telemetry) points(t testing.TB, name string) (list []metricdata.HistogramDataPoint[float64]) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := h.metrics.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == name {
				list = append(list, m.Data.(metricdata.Histogram[float64]).DataPoints...)
			}
		}
	}
	return list
}

// point is the one data point of a method.
func (h *telemetry) point(t testing.TB, name, method string) map[string]string {
	t.Helper()
	var found map[string]string
	for _, p := range h.points(t, name) {
		if a := attributes(p.Attributes.ToSlice()); a["mcp.method.name"] == method {
			if found != nil {
				t.Fatalf("%s: got two data points of %s: %v and %v", name, method, found, a)
			}
			found = a
		}
	}
	if found == nil {
		t.Fatalf("%s: got no data point of %s", name, method)
	}
	return found
}

func attributes(list []attribute.KeyValue) map[string]string {
	m := make(map[string]string, len(list))
	for _, kv := range list {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

// want compares some attributes; "" wants an absent one.
func want(t testing.TB, what string, got map[string]string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if v, ok := got[pairs[i]]; v != pairs[i+1] || ok && pairs[i+1] == "" {
			t.Errorf("%s: %s: got %q, want %q", what, pairs[i], v, pairs[i+1])
		}
	}
}

type echoIn struct {
	Text string `json:"text"`
}

type echoOut struct {
	Echo string `json:"echo"`
}

// newServer has a tool of each ending, a prompt and a resource.
func newServer() *mcp.Server { return newServerWith(nil) }

func newServerWith(options *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, options)
	mcp.AddTool(
		s,
		&mcp.Tool{Name: "echo", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in echoIn) (*mcp.CallToolResult, echoOut, error) {
			return nil, echoOut{in.Text}, nil
		},
	)
	mcp.AddTool(
		s,
		&mcp.Tool{Name: "fails"},
		func(context.Context, *mcp.CallToolRequest, echoIn) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("the disk is full")
		},
	)
	mcp.AddTool(
		s,
		&mcp.Tool{Name: "panics"},
		func(context.Context, *mcp.CallToolRequest, echoIn) (*mcp.CallToolResult, any, error) {
			panic("the value of the panic")
		},
	)
	s.AddPrompt(
		&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who"}}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{
				Messages: []*mcp.PromptMessage{
					{Role: "user", Content: &mcp.TextContent{Text: "hello " + r.Params.Arguments["who"]}},
				},
			}, nil
		},
	)
	s.AddPrompt(
		&mcp.Prompt{Name: "broken"},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { panic("broken") },
	)
	s.AddResource(
		&mcp.Resource{URI: "test://a", Name: "a"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{
				Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: "body"}},
			}, nil
		},
	)
	return s
}

// list lists the server's tools, as agents do once they have connected.
func list(t testing.TB, cs *mcp.ClientSession) {
	t.Helper()
	if _, err := cs.ListTools(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

// peers are a client and a server that talk in memory.
type peers struct {
	client, server *telemetry
	*mcp.ClientSession
}

// connect instruments both with the zero options and connects them.
func connect(t testing.TB, server *mcp.Server, c, s *telemetry, revision string) *mcp.ClientSession {
	t.Helper()
	return connectWith(t, server, c, s, revision, toolmcp.Options{})
}

// connectWith instruments both and connects them.
func connectWith(t testing.TB, server *mcp.Server, c, s *telemetry, revision string, o toolmcp.Options) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{
				Action:  "accept",
				Content: map[string]any{"password": "swordfish-" + strings.Repeat("9", 6)},
			}, nil
		},
	})
	if c != nil {
		toolmcp.Instrument(client, c.Scope, o)
	}
	if s != nil {
		toolmcp.Instrument(server, s.Scope, o)
	}
	return dial(t, client, server, revision)
}

// dial connects what is instrumented already.
func dial(t testing.TB, client *mcp.Client, server *mcp.Server, revision string) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	ss, err := server.Connect(context.Background(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := client.Connect(context.Background(), ours, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cs.Close(); err != nil {
			t.Error(err)
		}
		_ = ss.Wait()
	})
	return cs
}

// dialHTTP connects over streamable HTTP on loopback. The SDK's handler speaks the revision
// without sessions only if it is set to have none.
func dialHTTP(t testing.TB, client *mcp.Client, server *mcp.Server, revision string) *mcp.ClientSession {
	t.Helper()
	return dialHandler(
		t,
		client,
		mcp.NewStreamableHTTPHandler(
			func(*http.Request) *mcp.Server { return server },
			&mcp.StreamableHTTPOptions{Stateless: revision == stateless},
		),
		http.DefaultTransport,
		revision,
	)
}

// dialHandler connects to a handler of HTTP requests.
func dialHandler(
	t testing.TB,
	client *mcp.Client,
	handler http.Handler,
	requests http.RoundTripper,
	revision string,
) *mcp.ClientSession {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		s.Close()
	})
	transport := &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: requests}}
	cs, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cs.Close(); err != nil {
			t.Error(err)
		}
	})
	return cs
}

func newPeers(t testing.TB, revision string) *peers {
	t.Helper()
	p := &peers{client: newTelemetry(t, toolscope.Options{}), server: newTelemetry(t, toolscope.Options{})}
	p.ClientSession = connect(t, newServer(), p.client, p.server, revision)
	return p
}

// window is all that was ever recorded.
var window stats.Window

// The revisions with a handshake and without.
const (
	legacy    = "2025-11-25"
	stateless = "2026-07-28"
)

// intPoints are the sums of the data points of one histogram of integers.
func (h *telemetry) intPoints(t testing.TB, name string) (sums []int64) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := h.metrics.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if histogram, ok := m.Data.(metricdata.Histogram[int64]); ok && m.Name == name {
				for _, p := range histogram.DataPoints {
					sums = append(sums, p.Sum)
				}
			}
		}
	}
	return sums
}

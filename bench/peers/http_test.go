// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/stacklok/toolhive/pkg/mcp"
	"github.com/stacklok/toolhive/pkg/telemetry"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/toolscope/toolscope/bench"
)

// nowhere is a response that is thrown away.
type nowhere struct{ header http.Header }

func (w *nowhere) Header() http.Header         { return w.header }
func (w *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (w *nowhere) WriteHeader(int)             {}

// answer is the tool behind HTTP.
var answer = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte(bench.Output))
})

var target = &url.URL{Scheme: "http", Host: "bench", Path: "/mcp"}

func request(body []byte) *http.Request {
	return &http.Request{
		Method: http.MethodPost, URL: target, Host: "bench", RemoteAddr: "10.0.0.1:1", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Content-Type": {"application/json"},
		}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// serving is a handler asked once, with a request made anew, and with a context.
func serving(h http.Handler, ctx context.Context) func() {
	body := fmt.Appendf(
		nil,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
		bench.ToolName,
		bench.Call.Arguments,
	)
	return func() { h.ServeHTTP(&nowhere{http.Header{}}, request(body).WithContext(ctx)) }
}

// overHTTP are those that wrap a handler of HTTP: the same without them is to be taken off.
func overHTTP(b *testing.B) {
	ctx := context.Background()
	tracers := bench.Tracers(bench.SDKBatcher)
	b.Cleanup(func() { _ = tracers.Shutdown(ctx) })
	meters := bench.Meters()
	measure(b, "http-bare", serving(answer, ctx))
	measure(
		b,
		"otelhttp",
		serving(
			otelhttp.NewHandler(
				answer,
				"tools/call",
				otelhttp.WithTracerProvider(tracers),
				otelhttp.WithMeterProvider(meters),
				otelhttp.WithPropagators(propagation.TraceContext{}),
			),
			ctx,
		),
	)
	// ToolHive's telemetry works on a request that was read before; that is not counted.
	var read context.Context
	mcp.ParsingMiddleware(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { read = r.Context() }),
	).ServeHTTP(
		&nowhere{http.Header{}},
		request(
			fmt.Appendf(
				nil,
				`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
				bench.ToolName,
				bench.Call.Arguments,
			),
		),
	)
	if mcp.GetParsedMCPRequest(read) == nil {
		b.Fatal("ToolHive did not read the request")
	}
	watched := telemetry.NewHTTPMiddleware(
		telemetry.Config{TracingEnabled: true, MetricsEnabled: true},
		tracers,
		meters,
		"bench",
		"streamable-http",
	)(
		answer,
	)
	measure(b, "toolhive", serving(watched, read))
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/DataDog/dd-trace-go/v2/ddtrace/tracer"
	"github.com/DataDog/dd-trace-go/v2/llmobs"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/bench"
)

// datadog is Datadog's LLM tool span around the tool, as its integration of the official MCP
// SDK documents it: the same calls of the package llmobs, and the same two marshals. The
// integration's own module could not be had. It records arguments and result as they are.
func datadog(b *testing.B) {
	b.Setenv("DD_INSTRUMENTATION_TELEMETRY_ENABLED", "false")
	b.Setenv("DD_REMOTE_CONFIGURATION_ENABLED", "false")
	b.Setenv("DD_RUNTIME_METRICS_V2_ENABLED", "false")
	b.Setenv("DD_CRASHTRACKING_ENABLED", "false")
	agent := new(agent)
	err := tracer.Start(
		tracer.WithHTTPClient(&http.Client{Transport: agent}),
		tracer.WithAgentAddr("127.0.0.1:9"),
		tracer.WithLogStartup(false),
		tracer.WithService(
			"bench",
		),
		tracer.WithLLMObsEnabled(true),
		tracer.WithLLMObsMLApp("bench"),
		tracer.WithLLMObsAgentlessEnabled(false),
	)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(tracer.Stop)
	tool := llmTool(func(context.Context, string, mcp.Request) (mcp.Result, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: bench.Output}}}, nil
	})
	request := &mcp.CallToolRequest{
		Params: &mcp.CallToolParamsRaw{Name: bench.ToolName, Arguments: bench.Call.Arguments},
	}
	measure(b, "datadog", func() {
		if _, err := tool(context.Background(), "tools/call", request); err != nil {
			b.Error(err)
		}
	})
	if agent.requests.Load() == 0 {
		b.Error("the tracer sent nothing")
	}
}

// llmTool is the middleware.
func llmTool(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		call := request.(*mcp.CallToolRequest)
		span, ctx := llmobs.StartToolSpan(ctx, call.Params.Name, llmobs.WithIntegration("modelcontextprotocol/go-sdk"))
		res, err := next(ctx, method, request)
		span.Annotate(
			llmobs.WithAnnotatedTags(
				map[string]string{"mcp_tool": call.Params.Name, "mcp_tool_kind": "server", "mcp_method": method},
			),
		)
		in, errIn := json.Marshal(struct {
			Method string     `json:"method"`
			Params mcp.Params `json:"params"`
		}{method, request.GetParams()})
		out, errOut := json.Marshal(res)
		span.AnnotateTextIO(string(in), string(out))
		if err := errors.Join(err, errIn, errOut); err != nil {
			span.Finish(llmobs.WithError(err))
		} else {
			span.Finish()
		}
		return res, err
	}
}

// agent answers the tracer's requests within the process: nothing leaves it.
type agent struct{ requests atomic.Int64 }

func (a *agent) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	a.requests.Add(1)
	body := `{}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/info"):
		body = `{"version":"7.60.0","endpoints":["/v0.4/traces","/v0.5/traces","/evp_proxy/v2/"],"client_drop_p0s":false}`
	case strings.Contains(r.URL.Path, "/traces"):
		body = `{"rate_by_service":{}}`
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Content-Type": {"application/json"},
		}, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r,
	}, nil
}

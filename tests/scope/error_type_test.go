// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// typedError is an error whose error.type is a text of its own.
type typedError struct{ text string }

func (typedError) Error() string       { return "it failed" }
func (e typedError) ErrorType() string { return e.text }

// exportedBy is a scope whose exported data can be searched.
type exportedBy struct {
	*toolscope.Scope
	spans  *tracetest.InMemoryExporter
	reader *sdkmetric.ManualReader
	audit  string
}

func newExportedBy(t *testing.T, policies ...middleware.Policy) *exportedBy {
	t.Helper()
	e := &exportedBy{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader(),
		audit: filepath.Join(t.TempDir(), "audit.jsonl")}
	log, err := audit.Open(e.audit, audit.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	e.Scope, err = toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(e.spans)), Policies: policies,
		MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(e.reader)), Observers: []toolkit.Observer{log},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// texts are all data that the scope exports, by where.
func (e *exportedBy) texts(t *testing.T, tool string) map[string]string {
	t.Helper()
	all := map[string]string{}
	var spans strings.Builder
	for _, s := range e.spans.GetSpans() {
		fmt.Fprintf(&spans, "%s %+v %+v %+v\n", s.Name, s.Attributes, s.Events, s.Status)
		for _, a := range s.Attributes {
			fmt.Fprintln(&spans, a.Key, a.Value.String())
		}
	}
	all["spans"] = spans.String()
	var metrics metricdata.ResourceMetrics
	if err := e.reader.Collect(t.Context(), &metrics); err != nil {
		t.Fatal(err)
	}
	all["metrics"] = fmt.Sprintf("%+v", metrics)
	text, err := os.ReadFile(e.audit)
	if err != nil {
		t.Fatal(err)
	}
	all["audit"] = string(text)
	server := httptest.NewServer(e.HTTPHandler())
	defer server.Close()
	for _, path := range []string{"/", "/api/v1/summary", "/api/v1/tools", "/api/v1/errors", "/api/v1/sessions",
		"/api/v1/calls", "/api/v1/snapshot", "/api/v1/tools/" + tool, "/healthz"} {
		answer, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || path != "/api/v1/tools/"+tool && answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %s, %v", path, answer.Status, err)
		}
		answer.Body.Close()
		all[path] = string(body)
	}
	return all
}

// tokens are secrets of forms that the redactor knows, of the shape of an identifier.
var tokens = map[string]string{
	"GitHub": "ghp_" + strings.Repeat("aB3x", 9), "OpenAI": "sk-proj-" + strings.Repeat("aB3xK9", 8),
	"AWS":   "AKIA" + "QYLPMN5HHHFPZAM2",
	"Slack": "xoxb" + "-123456789012-1234567890123-" + strings.Repeat("aB3xK9", 4),
}

// TestASecretIsNoErrorType fails calls with error types that are tokens, in each way an application can.
func TestASecretIsNoErrorType(t *testing.T) {
	again, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, BaseDelay: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	def := toolkit.Definition{Name: "q", Description: "d", ReadOnly: toolkit.HintOf(true)}
	for form, token := range tokens {
		for _, policies := range [][]middleware.Policy{nil, {again}} {
			e := newExportedBy(t, policies...)
			var fault, failure error
			call := e.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
				return toolkit.Result{Fault: fault}, failure
			}, toolkit.Lookup(func(string) *toolkit.Definition { return &def }))
			for _, c := range []struct{ fault, failure error }{
				{nil, typedError{token}}, {typedError{token}, nil}, {toolkit.Kind(token), nil}, {nil, toolkit.Kind(token)},
				{nil, &toolkit.Error{Kind: toolkit.Kind(token)}}, {nil, errors.Join(errors.New("x"), typedError{token})},
			} {
				fault, failure = c.fault, c.failure
				_, _ = call(t.Context(), toolkit.Call{Name: "q"})
			}
			_, run := e.StartAgent(t.Context(), tracing.Agent{Name: "a"})
			run.End(typedError{token})
			for where, text := range e.texts(t, "q") {
				if i := strings.Index(text, token); i >= 0 {
					t.Errorf("%s in %s: …%s", form, where, text[max(0, i-60):min(len(text), i+len(token))])
				}
			}
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters"
)

// TestJSONLinesAreOTLP sends each line of exporters.Options.JSONLines to Jaeger as it is, after one
// session was forgotten, and reads the spans back.
func TestJSONLinesAreOTLP(t *testing.T) {
	server := startJaeger(t)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	providers, err := exporters.Setup(ctx, exporters.Options{
		ServiceName: "lines",
		JSONLines:   []exporters.JSONLines{{Dir: dir}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tracer := providers.TracerProvider.Tracer("lines")
	elsewhere := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{7}, SpanID: trace.SpanID{7}})
	for _, session := range []string{"stays", "goes", "stays"} {
		in, agent := tracer.Start(
			ctx,
			"invoke_agent "+session,
			trace.WithAttributes(attribute.String("toolscope.session.id", session)),
		)
		_, call := tracer.Start(
			in,
			"execute_tool search",
			trace.WithSpanKind(trace.SpanKindClient),
			trace.WithLinks(trace.Link{SpanContext: elsewhere}),
			trace.WithAttributes(
				attribute.String("text", "größer\n\"\\"),
				attribute.Int("number", 42),
				attribute.Bool("flag", true),
				attribute.StringSlice("list", []string{"a", "b"}),
			),
		)
		call.AddEvent("tried", trace.WithAttributes(attribute.Float64("seconds", 0.5)))
		call.SetStatus(codes.Error, "it failed")
		call.End()
		agent.End()
	}
	if err := providers.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if r, err := (exporters.Forget{Session: "goes"}).Spans(dir); err != nil || r.Removed != 2 {
		t.Fatalf("got %+v, %v, want two spans forgotten", r, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v, want one file", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		res, err := http.Post(server.OTLPHTTP+"/v1/traces", "application/json", bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s for %s", res.Status, line)
		}
	}
	traces, raw, err := server.Spans(ctx, "lines", 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 2 || bytes.Contains(raw, []byte("goes")) {
		t.Fatalf("got %d traces, %s, want those of the session that stays", len(traces), raw)
	}
	for _, tr := range traces {
		for _, s := range tr.Spans {
			if s.OperationName != "execute_tool search" {
				continue
			}
			for key, want := range map[string]string{
				"text": "größer\n\"\\", "number": "42", "flag": "true", "list": `["a","b"]`,
				"span.kind": "client", "error": "true", "otel.status_description": "it failed",
			} {
				if got, _ := s.Tag(key); got != want {
					t.Errorf("tag %s: got %q, want %q", key, got, want)
				}
			}
			if s.Parent() == "" || len(s.References) != 2 || len(s.Logs) != 1 {
				t.Errorf("got %+v, want a parent, a link and an event", s)
			}
		}
	}
}

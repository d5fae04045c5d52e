// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestNoSecretLeaves plants secrets in every field that data can come in by and looks
// for them in every output there is. An issue that adds an output adds it here.
func TestNoSecretLeaves(t *testing.T) {
	secrets := canary.Secrets(2026)
	var every strings.Builder
	for _, s := range secrets {
		every.WriteString(s.Text + "\n")
	}
	text := every.String() + strings.ReplaceAll(strings.TrimSpace(every.String()), "\n", "; ")

	ring, reader := exporters.NewRing(1000), sdkmetric.NewManualReader()
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ring)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		HTTP:           statshttp.Options{Traces: ring.Source()},
	})
	if err != nil {
		t.Fatal(err)
	}
	plant(t, scope, text, secrets)

	outputs := map[string]string{"metrics": metricText(t, reader)}
	for i, trace := range ring.Traces() {
		outputs[fmt.Sprint("trace ", i)] = fmt.Sprintf("%+v", trace)
		var tree bytes.Buffer
		if err := exporters.WriteTree(&tree, trace, exporters.TreeOptions{MaxValue: 1 << 20}); err != nil {
			t.Fatal(err)
		}
		outputs[fmt.Sprint("tree ", i)] = tree.String()
	}
	for _, path := range []string{"/", "/api/v1/view", "/api/v1/view?tool=leaky", "/api/v1/summary.txt",
		"/api/v1/summary", "/api/v1/tools", "/api/v1/tools/leaky", "/api/v1/errors", "/api/v1/calls?limit=100",
		"/api/v1/calls/1", "/api/v1/sessions", "/api/v1/loops", "/api/v1/snapshot", "/openapi.json", "/healthz",
		"/?tool=leaky", "/?call=1"} {
		res := get(t, scope, path)
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		outputs[path] = string(body) + fmt.Sprint(res.Header)
	}
	var logged bytes.Buffer
	logger := slog.New(redact.NewHandler(slog.NewJSONHandler(&logged, nil), nil))
	logger.Error(text, "error", errors.New(text), "password", secrets[0].Value, slog.Group("g", "text", text), "call",
		toolkit.Call{Name: text})
	outputs["log"] = logged.String()
	outputs["error"] = fmt.Sprintf("%v %+v %s", redact.Default().Error(errors.New(text)),
		redact.Default().Error(errors.New(text)), redact.Default().Error(errors.New(text)))

	if len(ring.Traces()) == 0 || !strings.Contains(outputs["/api/v1/view"], "leaky") ||
		!strings.Contains(outputs["metrics"], "leaky") {
		t.Fatal("the outputs say nothing of the calls: this test would find nothing")
	}
	for name, output := range outputs {
		for _, s := range canary.Find(output, secrets) {
			at := strings.Index(output, s.Value[:max(8, len(s.Value)/2)])
			t.Errorf("%s shows %v: …%s…", name, s, around(output, at))
		}
	}
}

func around(s string, at int) string { return s[max(0, at-80):min(len(s), max(0, at)+30)] }

// plant makes calls that hold the text wherever they can.
func plant(t *testing.T, scope *toolscope.Scope, text string, secrets []canary.Secret) {
	t.Helper()
	leaky := toolkit.ToolFunc(toolkit.Definition{Name: "leaky", Description: text},
		func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			switch {
			case strings.HasPrefix(c.ID, "panic"):
				panic(text)
			case strings.HasPrefix(c.ID, "error"):
				return toolkit.Result{}, fmt.Errorf("wrapped: %w", errors.New(text))
			case strings.HasPrefix(c.ID, "soft"):
				return toolkit.Result{Output: text, Fault: toolkit.SoftError(true, text)}, nil
			case strings.HasPrefix(c.ID, "fault"):
				return toolkit.Result{Output: text, Fault: toolkit.ErrTool}, nil
			case strings.HasPrefix(c.ID, "parts"):
				return toolkit.Result{Output: text, Parts: []toolkit.Part{
					{Kind: toolkit.PartText, Text: text, URI: secrets[5].Text, Name: text, MIMEType: text},
					{Kind: toolkit.PartStructured, JSON: []byte(secrets[0].Text)}}}, nil
			}
			return toolkit.Result{Output: text}, nil
		})
	r := new(toolkit.Registry)
	if err := r.Register(leaky); err != nil {
		t.Fatal(err)
	}
	execute := scope.Wrap(r.Handle, r)
	ctx, run := scope.StartAgent(context.Background(),
		tracing.Agent{Name: "agent " + text, Description: text, Model: text, Conversation: text, Session: text, Prompt: text})
	session := *toolkit.SessionFrom(ctx)
	session.Tenant, session.Batch = text, text
	ctx = toolkit.WithSession(ctx, session)
	quoted := fmt.Sprintf("{%q: %q, \"nested\": [%q, {\"x\": %s}]}", text, text, text, secrets[0].Text)
	for _, kind := range []string{"", "panic", "error", "soft", "fault", "parts"} {
		for _, args := range []string{text, secrets[0].Text, quoted, quoted[:len(quoted)-20], strings.Repeat("x ", 3000) + text} {
			func() {
				defer func() { _ = recover() }()
				_, _ = execute(ctx, toolkit.Call{ID: kind + text, Name: "leaky", Arguments: []byte(args), Intent: text})
				_, _ = execute(ctx, toolkit.Call{ID: kind, Name: text})
			}()
		}
	}
	callbacks, err := scope.Callbacks(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, running := callbacks.Begin(ctx, toolkit.Call{ID: text, Name: text, Arguments: []byte(text)})
	running.End(toolkit.Result{Output: text}, errors.New(text))
	run.End(errors.New(text))
}

// metricText is every name, label and description of the metrics.
func metricText(t *testing.T, reader sdkmetric.Reader) string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			fmt.Fprintln(&b, m.Name, m.Description)
			if h, ok := m.Data.(metricdata.Histogram[float64]); ok {
				for _, p := range h.DataPoints {
					fmt.Fprintln(&b, p.Attributes.ToSlice())
				}
			}
			if h, ok := m.Data.(metricdata.Histogram[int64]); ok {
				for _, p := range h.DataPoints {
					fmt.Fprintln(&b, p.Attributes.ToSlice())
				}
			}
		}
	}
	return b.String()
}

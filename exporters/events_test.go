// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
)

// TestExceptionsReachTheLogs: a failed call is a log record of its span, sent over OTLP. The tests of package
// tests/tracing have the other events.
func TestExceptionsReachTheLogs(t *testing.T) {
	t.Run("environment", func(t *testing.T) {
		var b logBackend
		t.Setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", b.grpc(t))
		reachTheLogs(t, &b)
	})
	t.Run("file", func(t *testing.T) {
		var b logBackend
		configure(t, fileOf("batch: {exporter: {console: }}")+
			"logger_provider: {processors: [{batch: {exporter: {otlp_grpc: {endpoint: '"+b.grpc(t)+"'}}}}]}\n")
		reachTheLogs(t, &b)
	})
}

func reachTheLogs(t *testing.T, b *logBackend) {
	t.Helper()
	p := setup(t, exporters.Options{Logs: true, Events: exporters.Events{Exceptions: true}})
	scope, err := toolscope.New(toolscope.Options{TracerProvider: p.TracerProvider, NoMetrics: true})
	if err != nil {
		t.Fatal(err)
	}
	call := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, errors.New("login with password=hunter2hunter2 failed")
	}, nil)
	_, _ = call(t.Context(), toolkit.Call{Name: "login"})
	id := p.Ring.Traces()[0].Spans[0].SpanContext().SpanID()
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(b.records) != 1 {
		t.Fatalf("got %d records, want 1", len(b.records))
	}
	r := b.records[0]
	got := make(map[string]string)
	for _, a := range r.Attributes {
		got[a.Key] = a.Value.GetStringValue()
	}
	if r.EventName != "gen_ai.execute_tool.exception" || r.SeverityNumber != logs.SeverityNumber_SEVERITY_NUMBER_WARN ||
		!bytes.Equal(r.SpanId, id[:]) || got["exception.type"] != "_OTHER" ||
		got["exception.message"] != "login with password=[REDACTED:passwd] failed" {
		t.Errorf("got %v", r)
	}
}

// TestEventsWithoutLogs: events that could go nowhere are an error.
func TestEventsWithoutLogs(t *testing.T) {
	_, err := exporters.Setup(t.Context(), exporters.Options{Events: exporters.Events{Exceptions: true}})
	if err == nil || !strings.Contains(err.Error(), "Options.Logs: got false together with Options.Events, want true") {
		t.Errorf("got %v", err)
	}
}

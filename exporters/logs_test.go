// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/slogtest"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/middleware/audit"
)

// A logBackend takes logs.
type logBackend struct {
	collector.UnimplementedLogsServiceServer
	mu      sync.Mutex
	records []*logs.LogRecord
}

func (b *logBackend) Export(_ context.Context,
	r *collector.ExportLogsServiceRequest) (*collector.ExportLogsServiceResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, resource := range r.ResourceLogs {
		for _, scope := range resource.ScopeLogs {
			b.records = append(b.records, scope.LogRecords...)
		}
	}
	return &collector.ExportLogsServiceResponse{}, nil
}

func (b *logBackend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collector.ExportLogsServiceRequest
	if err != nil || r.URL.Path != "/v1/logs" || proto.Unmarshal(body, &request) != nil {
		http.Error(w, "no OTLP", http.StatusBadRequest)
		return
	}
	_, _ = b.Export(r.Context(), &request)
}

func (b *logBackend) grpc(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	collector.RegisterLogsServiceServer(s, b)
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-done })
	return "http://" + l.Addr().String()
}

func (b *logBackend) http(t *testing.T) string {
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)
	return s.URL
}

// Log records go where the environment says, with the ids of their span, and only if asked for.
func TestLogs(t *testing.T) {
	for _, c := range []struct {
		name, protocol string
		serve          func(*logBackend, *testing.T) string
		options        exporters.Options
		exporter       string
		want           int
	}{
		{"gRPC", "grpc", (*logBackend).grpc, exporters.Options{Logs: true}, "", 1},
		{"HTTP", "http/protobuf", (*logBackend).http, exporters.Options{Logs: true}, "otlp", 1},
		{"not asked for", "grpc", (*logBackend).grpc, exporters.Options{}, "otlp", 0},
		{"none", "grpc", (*logBackend).grpc, exporters.Options{Logs: true}, "none", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := complaints(t)
			var b logBackend
			t.Setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
				c.serve(&b, t)+map[string]string{"http/protobuf": "/v1/logs"}[c.protocol])
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", c.protocol)
			t.Setenv("OTEL_LOGS_EXPORTER", c.exporter)
			p := setup(t, c.options)
			ctx, span := p.TracerProvider.Tracer("test").Start(t.Context(), "work")
			slog.New(p.LogHandler("test")).InfoContext(ctx, "hello", "n", 7)
			span.End()
			if err := p.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(b.records) != c.want {
				t.Fatalf("got %d records, want %d", len(b.records), c.want)
			}
			for _, r := range b.records {
				id := span.SpanContext().SpanID()
				if r.Body.GetStringValue() != "hello" || !bytes.Equal(r.SpanId, id[:]) ||
					r.Attributes[0].Value.GetIntValue() != 7 {
					t.Errorf("got %v", r)
				}
			}
			if got := told(); len(got) > 0 {
				t.Errorf("the error handler got %q, want nothing", got)
			}
		})
	}
}

// Entries of an audit log become log records of OpenTelemetry.
func TestAuditEntriesAsLogs(t *testing.T) {
	var b logBackend
	t.Setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", b.grpc(t))
	p := setup(t, exporters.Options{Logs: true})
	log, err := audit.Open(filepath.Join(t.TempDir(), "audit.jsonl"), audit.Options{Handler: p.LogHandler("audit")})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Write(audit.Event{Time: time.Now(), Kind: "call", Tool: "deploy", Outcome: "refused"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Close(), p.Shutdown(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(b.records) != 1 || b.records[0].Body.GetStringValue() != "audit call" ||
		b.records[0].SeverityNumber != logs.SeverityNumber_SEVERITY_NUMBER_WARN ||
		!strings.Contains(b.records[0].String(), `"deploy"`) {
		t.Errorf("got %v, want the entry", b.records)
	}
}

// A backend for all signals that takes no logs, as Jaeger, is no error.
func TestLogsThatNobodyTakes(t *testing.T) {
	told := complaints(t)
	var b backend
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", b.grpc(t))
	p := setup(t, exporters.Options{Logs: true})
	for range 2 {
		slog.New(p.LogHandler("test")).Info("hello")
		if err := p.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if got := told(); len(got) > 0 {
		t.Errorf("the error handler got %q, want nothing", got)
	}
}

func TestLogHandlerWithoutLogs(t *testing.T) {
	var none *exporters.Providers
	for _, h := range []slog.Handler{none.LogHandler("x"), setup(t, exporters.Options{}).LogHandler("x"),
		exporters.CorrelateLogs(nil)} {
		if h.Enabled(t.Context(), slog.LevelError) {
			t.Errorf("%T: got it enabled, want records to go nowhere", h)
		}
	}
}

// The ids stand outside of all groups, and everything else where it would without.
func TestCorrelateLogs(t *testing.T) {
	p := setup(t, exporters.Options{})
	ctx, span := p.TracerProvider.Tracer("test").Start(t.Context(), "work")
	defer span.End()
	var out, plain bytes.Buffer
	leaveOut := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	log := func(l *slog.Logger) {
		l = l.With("a", 1)
		inner := l.WithGroup("g").With("b", 2)
		inner.WithGroup("h").With("c", 3).InfoContext(ctx, "deep", "d", 4)
		inner.InfoContext(ctx, "shallow")
		l.WithGroup("").With().InfoContext(ctx, "flat", "e", 5)
		l.Info("no span")
	}
	log(slog.New(exporters.CorrelateLogs(slog.NewJSONHandler(&out, leaveOut))))
	log(slog.New(slog.NewJSONHandler(&plain, leaveOut)))
	got, want := strings.Split(strings.TrimSpace(out.String()), "\n"), strings.Split(strings.TrimSpace(plain.String()), "\n")
	for i := range want {
		var members map[string]any
		if err := json.Unmarshal([]byte(got[i]), &members); err != nil {
			t.Fatal(err)
		}
		if i < 3 {
			if members["trace_id"] != span.SpanContext().TraceID().String() ||
				members["span_id"] != span.SpanContext().SpanID().String() || members["trace_flags"] != "01" {
				t.Errorf("got %s, want the span's ids", got[i])
			}
			delete(members, "trace_id")
			delete(members, "span_id")
			delete(members, "trace_flags")
		}
		rest, err := json.Marshal(members)
		var other map[string]any
		if err != nil || json.Unmarshal([]byte(want[i]), &other) != nil {
			t.Fatal(err)
		}
		if without, _ := json.Marshal(other); string(rest) != string(without) {
			t.Errorf("got %s, want %s", rest, without)
		}
	}
}

// The handler keeps the rules of handlers.
func TestCorrelateLogsIsAHandler(t *testing.T) {
	var out bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		out.Reset()
		return exporters.CorrelateLogs(slog.NewJSONHandler(&out, nil))
	}, func(t *testing.T) map[string]any {
		var members map[string]any
		if err := json.Unmarshal(out.Bytes(), &members); err != nil {
			t.Fatal(err)
		}
		return members
	})
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters"
)

// A backend takes traces and, like Jaeger, nothing else.
type backend struct {
	collector.UnimplementedTraceServiceServer
	mu    sync.Mutex
	names []string
	paths []string
}

func (b *backend) Export(_ context.Context,
	r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, resource := range r.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				b.names = append(b.names, span.Name)
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.paths = append(b.paths, r.URL.Path)
	b.mu.Unlock()
	if r.URL.Path != "/v1/traces" {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		body, err = unpacked(r, body)
	}
	var request collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &request) != nil {
		http.Error(w, "no OTLP", http.StatusBadRequest)
		return
	}
	_, _ = b.Export(r.Context(), &request)
}

func (b *backend) received() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.names, " ")
}

// takeNames is what was received since the last call.
func (b *backend) takeNames() string {
	got := b.received()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names = nil
	return got
}

func (b *backend) grpc(t *testing.T) string { return serve(t, b) }

// serve serves traces over gRPC, and returns the endpoint.
func serve(t *testing.T, to collector.TraceServiceServer) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	collector.RegisterTraceServiceServer(s, to)
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-done })
	return "http://" + l.Addr().String()
}

func (b *backend) http(t *testing.T) string {
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)
	return s.URL
}

func TestOTLP(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(*backend, *testing.T) string
		env   map[string]string // ENDPOINT stands for the backend's address
	}{
		{"the endpoint alone means gRPC", (*backend).grpc, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "ENDPOINT"}},
		{"the traces' own endpoint", (*backend).grpc, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ENDPOINT"}},
		{"HTTP by protocol", (*backend).http,
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}},
		{"the signal's protocol wins", (*backend).http,
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
				"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf", "OTEL_METRICS_EXPORTER": "none"}},
		{"asked for by name", (*backend).grpc,
			map[string]string{"OTEL_TRACES_EXPORTER": "otlp, none", "OTEL_EXPORTER_OTLP_ENDPOINT": "ENDPOINT"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := complaints(t)
			var b backend
			address := c.serve(&b, t)
			for k, v := range c.env {
				t.Setenv(k, strings.Replace(v, "ENDPOINT", address, 1))
			}
			p := setup(t, exporters.Options{})
			if p.Endpoint != address {
				t.Errorf("got endpoint %q, want %q", p.Endpoint, address)
			}
			counter, err := p.MeterProvider.Meter("test").Int64Counter("n")
			if err != nil {
				t.Fatal(err)
			}
			counter.Add(t.Context(), 1)
			record(p, "first")
			if err := p.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := b.received(); got != "first/child first" {
				t.Errorf("after Flush: got %q", got)
			}
			record(p, "second")
			if err := p.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := b.received(); got != "first/child first second/child second" {
				t.Errorf("after Shutdown: got %q", got)
			}
			if n := strings.Count(strings.Join(b.paths, " "), "/v1/metrics"); n > 1 {
				t.Errorf("metrics were sent %d times to a backend that takes none, want once at most", n)
			}
			if got := told(); len(got) > 0 {
				t.Errorf("the error handler got %q, want nothing", got)
			}
		})
	}
}

// TestMetricsAskedFor: a backend that refuses metrics is an error to tell when
// metrics were asked for.
func TestMetricsAskedFor(t *testing.T) {
	var b backend
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", b.grpc(t))
	p := setup(t, exporters.Options{})
	counter, err := p.MeterProvider.Meter("test").Int64Counter("n")
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(t.Context(), 1)
	if err := p.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "Unimplemented") {
		t.Errorf("got %v, want the backend's refusal", err)
	}
}

// TestDeadDestinations: a destination that refuses, or takes the connection and never
// answers, delays no span, and Shutdown keeps to its deadline, tells what was lost and
// leaves nothing running (goleak looks when all tests are done).
func TestDeadDestinations(t *testing.T) {
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		for name, address := range map[string]string{"refuses": refused, "never answers": silent(t)} {
			t.Run(protocol+" "+name, func(t *testing.T) {
				complaints(t)
				t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+address)
				t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
				err := shutdownInVain(t)
				// What was lost is reported if it is known by the deadline, for which a moment is kept.
				for range 5 {
					if name == "never answers" && !strings.Contains(err.Error(), " spans were not delivered") {
						err = shutdownInVain(t)
					}
				}
				if name == "never answers" &&
					(!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), " spans were not delivered")) {
					t.Errorf("got %v, want the deadline and how many spans were lost", err)
				}
			})
		}
	}
}

// shutdownInVain records spans that are not delivered, and tells what Shutdown says of it. Times
// are compared with the 10 s that the export of a batch has.
func shutdownInVain(t *testing.T) error {
	t.Helper()
	const spans, waited = 2000, 8 * time.Second
	p := setup(t, exporters.Options{})
	start := time.Now()
	for range spans / 2 {
		record(p, "work")
	}
	if took := time.Since(start); took > waited {
		t.Errorf("%d spans took %v, want them not to wait", spans, took)
	}
	if n := p.Ring.State().Spans; n != spans {
		t.Errorf("the ring holds %d spans, want %d", n, spans)
	}
	const limit = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	start = time.Now()
	err := p.Shutdown(ctx)
	if took := time.Since(start); took > limit+waited {
		t.Errorf("Shutdown took %v, want at most %v", took, limit)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "exporters: shutdown: ") {
		t.Fatalf("got %v, want an error", err)
	}
	if again := p.Shutdown(context.Background()); !errors.Is(again, err) {
		t.Errorf("a second Shutdown: got %v, want %v", again, err)
	}
	return err
}

func TestConsoleByEnvironment(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "console")
	p := setup(t, exporters.Options{})
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	var _ *exporters.Ring = p.Ring
}

// A login page has taken neither metrics nor log records: the error handler and the health say so.
func TestMetricsAndLogsToALoginPage(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusUnauthorized} {
		told := complaints(t)
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in</title>")
		}))
		defer page.Close()
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", page.URL)
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
		t.Setenv("OTEL_TRACES_EXPORTER", "none")
		p := setup(t, exporters.Options{Logs: true})
		counter, err := p.MeterProvider.Meter("test").Int64Counter("n")
		if err != nil {
			t.Fatal(err)
		}
		counter.Add(t.Context(), 1)
		slog.New(p.LogHandler("test")).Info("hello")
		flushErr := p.Flush(t.Context())
		want := map[int]string{http.StatusOK: "there is no OTLP service: check address, port and path",
			http.StatusUnauthorized: "it does not accept the credentials"}[status]
		if got := fmt.Sprint(flushErr, told()); strings.Count(got, want) < 2 {
			t.Errorf("%d: got %q, want %q of metrics and logs", status, got, want)
		}
		for _, name := range []string{"otlp_http_metric_exporter", "otlp_http_log_exporter"} {
			found := false
			for _, c := range p.Components() {
				if strings.HasPrefix(c.Name, name) {
					found = strings.Contains(strings.Join(c.Problems, "; "), want)
				}
			}
			if !found {
				t.Errorf("%d: got %+v, want a component %s with %q", status, p.Components(), name, want)
			}
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricscollector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/internal/batch"
)

// An inbox takes every OTLP request over HTTP and remembers it.
type inbox struct {
	mu     sync.Mutex
	seen   []*http.Request
	bodies [][]byte
}

func (i *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen, i.bodies = append(i.seen, r), append(i.bodies, body)
}

// first is the first request to a path; nil if there was none.
func (i *inbox) first(path string) *http.Request {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.seen {
		if r.URL.Path == path {
			return r
		}
	}
	return nil
}

// decode reads the first body that was sent to a path.
func (i *inbox) decode(t *testing.T, path string, into proto.Message) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	for n, r := range i.seen {
		if r.URL.Path == path {
			if err := proto.Unmarshal(i.bodies[n], into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("nothing was sent to %s", path)
}

// histogram is the metric that was sent.
func histogram(t *testing.T, w *world) *metricspb.Metric {
	t.Helper()
	var r metricscollector.ExportMetricsServiceRequest
	w.inbox.decode(t, "/v1/metrics", &r)
	for _, scope := range r.ResourceMetrics[0].ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == "h" {
				return m
			}
		}
	}
	t.Fatal("the histogram was not sent")
	return nil
}

// logAttributes are those of the record that was sent.
func logAttributes(t *testing.T, w *world) []*commonpb.KeyValue {
	t.Helper()
	var r collector.ExportLogsServiceRequest
	w.inbox.decode(t, "/v1/logs", &r)
	return r.ResourceLogs[0].ScopeLogs[0].LogRecords[0].Attributes
}

// A world is what a variable's effect is looked for in.
type world struct {
	p     *exporters.Providers
	spans *tracetest.SpanRecorder
	inbox *inbox
	read  metricdata.ResourceMetrics
}

// run sets up, makes a span with a child, a metric and a log record, and shuts down.
func run(t *testing.T, i *inbox) *world {
	t.Helper()
	w := &world{spans: tracetest.NewSpanRecorder(), inbox: i}
	reader := sdkmetric.NewManualReader()
	w.p = setup(t, exporters.Options{
		SpanProcessors: []sdktrace.SpanProcessor{w.spans},
		MetricReaders:  []sdkmetric.Reader{reader},
		Logs:           true,
	})
	ctx, span := w.p.TracerProvider.Tracer("test").Start(t.Context(), "work",
		trace.WithAttributes(attribute.String("a", "0123456789"), attribute.String("b", "x"), attribute.String("c", "y")),
		trace.WithLinks(trace.Link{Attributes: []attribute.KeyValue{attribute.Int("a", 1), attribute.Int("b", 2)},
			SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})},
			trace.Link{SpanContext: trace.NewSpanContext(
				trace.SpanContextConfig{TraceID: trace.TraceID{2}, SpanID: trace.SpanID{2}})}))
	span.AddEvent("one", trace.WithAttributes(attribute.Int("a", 1), attribute.Int("b", 2)))
	span.AddEvent("two")
	h, err := w.p.MeterProvider.Meter("test").Float64Histogram("h")
	if err != nil {
		t.Fatal(err)
	}
	h.Record(ctx, 1)
	slog.New(w.p.LogHandler("test")).InfoContext(ctx, "hello", "text", "0123456789", "more", 1)
	span.End()
	_ = reader.Collect(t.Context(), &w.read) // a disabled SDK has none
	if err := w.p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// ended is the span.
func (w *world) ended(t *testing.T) sdktrace.ReadOnlySpan {
	t.Helper()
	if len(w.spans.Ended()) != 1 {
		t.Fatalf("got %d spans, want one", len(w.spans.Ended()))
	}
	return w.spans.Ended()[0]
}

func (w *world) resource(t *testing.T, key attribute.Key) string {
	v, _ := w.ended(t).Resource().Set().Value(key)
	return v.AsString()
}

// specified lists every variable of OpenTelemetry's specification
// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and
// protocol/exporter) that a Go SDK has a use for, with a value and how it is seen to
// count. INBOX stands for a server's address, CERT and KEY for files of its. Left out are those of Zipkin,
// which is deprecated, OTEL_LOG_LEVEL, which the Go SDK has not, and OTEL_CONFIG_FILE, which has
// tests of its own.
var specified = []struct {
	name, value string
	with        map[string]string
	counts      func(t *testing.T, w *world) bool
}{
	{"OTEL_SDK_DISABLED", "true", nil,
		func(_ *testing.T, w *world) bool { return len(w.spans.Ended()) == 0 && len(w.inbox.seen) == 0 }},
	{"OTEL_SERVICE_NAME", "named", nil, func(t *testing.T, w *world) bool { return w.resource(t, "service.name") == "named" }},
	{"OTEL_RESOURCE_ATTRIBUTES", "team=a%20b", nil, func(t *testing.T, w *world) bool { return w.resource(t, "team") == "a b" }},
	{"OTEL_PROPAGATORS", "b3multi,xray", nil, func(_ *testing.T, w *world) bool {
		fields := w.p.Propagator.Fields()
		return slices.Contains(fields, "x-b3-traceid") && slices.Contains(fields, "X-Amzn-Trace-Id")
	}},
	{"OTEL_TRACES_SAMPLER", "always_off", nil, func(_ *testing.T, w *world) bool { return len(w.spans.Ended()) == 0 }},
	{"OTEL_TRACES_SAMPLER_ARG", "0", map[string]string{"OTEL_TRACES_SAMPLER": "traceidratio"},
		func(_ *testing.T, w *world) bool { return len(w.spans.Ended()) == 0 }},
	{"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "3", nil,
		func(t *testing.T, w *world) bool { return w.ended(t).Attributes()[0].Value.AsString() == "012" }},
	{"OTEL_ATTRIBUTE_COUNT_LIMIT", "2", nil, func(t *testing.T, w *world) bool { return len(w.ended(t).Attributes()) == 2 }},
	{"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "4", nil,
		func(t *testing.T, w *world) bool { return w.ended(t).Attributes()[0].Value.AsString() == "0123" }},
	{"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1", nil, func(t *testing.T, w *world) bool { return len(w.ended(t).Attributes()) == 1 }},
	{"OTEL_SPAN_EVENT_COUNT_LIMIT", "1", nil, func(t *testing.T, w *world) bool { return len(w.ended(t).Events()) == 1 }},
	{"OTEL_SPAN_LINK_COUNT_LIMIT", "1", nil, func(t *testing.T, w *world) bool { return len(w.ended(t).Links()) == 1 }},
	{"OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "1", nil,
		func(t *testing.T, w *world) bool { return len(w.ended(t).Events()[0].Attributes) == 1 }},
	{"OTEL_LINK_ATTRIBUTE_COUNT_LIMIT", "1", nil,
		func(t *testing.T, w *world) bool { return len(w.ended(t).Links()[0].Attributes) == 1 }},
	{"OTEL_METRICS_EXEMPLAR_FILTER", "always_off", nil, func(_ *testing.T, w *world) bool {
		return len(w.read.ScopeMetrics[0].Metrics[0].Data.(metricdata.Histogram[float64]).DataPoints[0].Exemplars) == 0
	}},
	{"OTEL_TRACES_EXPORTER", "none", toInbox, sendsNot("/v1/traces")},
	{"OTEL_METRICS_EXPORTER", "none", toInbox, sendsNot("/v1/metrics")},
	{"OTEL_LOGS_EXPORTER", "none", toInbox, sendsNot("/v1/logs")},
	{"OTEL_EXPORTER_OTLP_ENDPOINT", "INBOX", protobufOverHTTP, sends("/v1/traces", "/v1/metrics", "/v1/logs")},
	{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "INBOX/here", protobufOverHTTP, sends("/here")},
	{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "INBOX/here", protobufOverHTTP, sends("/here")},
	{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "INBOX/here", protobufOverHTTP, sends("/here")},
	{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "INBOX"},
		sends("/v1/traces", "/v1/metrics", "/v1/logs")},
	{"OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b", toInbox, has("X-Key", "a b", "/v1/traces", "/v1/metrics", "/v1/logs")},
	{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-key=t", toInbox, has("X-Key", "t", "/v1/traces")},
	{"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-key=m", toInbox, has("X-Key", "m", "/v1/metrics")},
	{"OTEL_EXPORTER_OTLP_LOGS_HEADERS", "x-key=l", toInbox, has("X-Key", "l", "/v1/logs")},
	{"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", toInbox, has("Content-Encoding", "gzip", "/v1/traces", "/v1/metrics", "/v1/logs")},
	{"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "gzip", toInbox, has("Content-Encoding", "gzip", "/v1/traces")},
	{"OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "gzip", toInbox, has("Content-Encoding", "gzip", "/v1/metrics")},
	{"OTEL_EXPORTER_OTLP_LOGS_COMPRESSION", "gzip", toInbox, has("Content-Encoding", "gzip", "/v1/logs")},
	{"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta", toInbox, func(t *testing.T, w *world) bool {
		return histogram(t, w).GetHistogram().GetAggregationTemporality() ==
			metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	}},
	{"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "base2_exponential_bucket_histogram", toInbox,
		func(t *testing.T, w *world) bool {
			return histogram(t, w).GetExponentialHistogram() != nil
		}},
	{"OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT", "3", toInbox, func(t *testing.T, w *world) bool {
		return logAttributes(t, w)[0].Value.GetStringValue() == "012"
	}},
	{"OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT", "1", toInbox,
		func(t *testing.T, w *world) bool { return len(logAttributes(t, w)) == 1 }},
	{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf",
		map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "INBOX/here"}, sends("/here")},
	{"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/protobuf",
		map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "INBOX/here"}, sends("/here")},
	{"OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "http/protobuf",
		map[string]string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "INBOX/here"}, sends("/here")},
	{"OTEL_EXPORTER_OTLP_CERTIFICATE", "CERT",
		map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "TLSBOX", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
		sends("/v1/traces", "/v1/metrics", "/v1/logs")},
	{"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "CERT",
		map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "TLSBOX/here",
			"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, sends("/here")},
	{"OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", "CERT",
		map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "TLSBOX/here",
			"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, sends("/here")},
	{"OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE", "CERT",
		map[string]string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "TLSBOX/here",
			"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, sends("/here")},
}

var (
	protobufOverHTTP = map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
	toInbox          = map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_ENDPOINT": "INBOX"}
)

func sends(paths ...string) func(*testing.T, *world) bool {
	return func(_ *testing.T, w *world) bool {
		return !slices.ContainsFunc(paths, func(p string) bool { return w.inbox.first(p) == nil })
	}
}

func sendsNot(path string) func(*testing.T, *world) bool {
	return func(_ *testing.T, w *world) bool { return w.inbox.first(path) == nil && len(w.inbox.seen) > 0 }
}

func has(header, value string, paths ...string) func(*testing.T, *world) bool {
	return func(_ *testing.T, w *world) bool {
		return !slices.ContainsFunc(paths,
			func(p string) bool { r := w.inbox.first(p); return r == nil || r.Header.Get(header) != value })
	}
}

// TestSpecifiedVariables: every variable of the specification counts.
func TestSpecifiedVariables(t *testing.T) {
	for _, c := range specified {
		t.Run(c.name, func(t *testing.T) {
			told := complaints(t)
			i := new(inbox)
			plain, secure := httptest.NewServer(i), httptest.NewTLSServer(i)
			t.Cleanup(plain.Close)
			t.Cleanup(secure.Close)
			cert := filepath.Join(t.TempDir(), "ca.pem")
			if err := os.WriteFile(cert,
				pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
				t.Fatal(err)
			}
			real := strings.NewReplacer("INBOX", plain.URL, "TLSBOX", secure.URL, "CERT", cert)
			for k, v := range c.with {
				t.Setenv(k, real.Replace(v))
			}
			t.Setenv(c.name, real.Replace(c.value))
			if w := run(t, i); !c.counts(t, w) {
				t.Errorf("%s=%s does not count", c.name, c.value)
			}
			if got := told(); len(got) > 0 {
				t.Errorf("the error handler got %q, want nothing", got)
			}
		})
	}
}

// TestQueuesAndTimes: variables whose effect shows in how long something takes or how much is kept.
func TestQueuesAndTimes(t *testing.T) {
	t.Run("OTEL_BSP_MAX_QUEUE_SIZE and OTEL_BSP_MAX_EXPORT_BATCH_SIZE", func(t *testing.T) {
		t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
		t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "20")
		b := batch.New(tracetest.NewInMemoryExporter(), batch.Options{})
		defer b.Shutdown(t.Context())
		provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(b))
		for range 30 {
			_, span := provider.Tracer("test").Start(t.Context(), "x")
			span.End()
		}
		if s := b.Stats(); s.Queued > 10 || s.Dropped+s.Sent+uint64(s.Queued) != 30 {
			t.Errorf("got %+v, want at most 10 queued", s)
		}
	})
	t.Run("OTEL_BSP_SCHEDULE_DELAY", func(t *testing.T) {
		complaints(t)
		i := new(inbox)
		server := httptest.NewServer(i)
		t.Cleanup(server.Close)
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL+"/v1/traces")
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
		t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
		p := setup(t, exporters.Options{})
		record(p, "work")
		until(t, "the span to be sent by itself", func() bool { return i.first("/v1/traces") != nil })
	})
	t.Run("OTEL_BLRP_SCHEDULE_DELAY", func(t *testing.T) {
		complaints(t)
		i := new(inbox)
		server := httptest.NewServer(i)
		t.Cleanup(server.Close)
		t.Setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", server.URL+"/v1/logs")
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
		t.Setenv("OTEL_BLRP_SCHEDULE_DELAY", "10")
		p := setup(t, exporters.Options{Logs: true})
		slog.New(p.LogHandler("test")).Info("hello")
		until(t, "the record to be sent by itself", func() bool { return i.first("/v1/logs") != nil })
	})
	t.Run("OTEL_METRIC_EXPORT_INTERVAL", func(t *testing.T) {
		complaints(t)
		i := new(inbox)
		server := httptest.NewServer(i)
		t.Cleanup(server.Close)
		t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", server.URL+"/v1/metrics")
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
		t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "10")
		p := setup(t, exporters.Options{})
		counter, err := p.MeterProvider.Meter("test").Int64Counter("n")
		if err != nil {
			t.Fatal(err)
		}
		counter.Add(t.Context(), 1)
		until(t, "the metrics to be sent by themselves", func() bool { return i.first("/v1/metrics") != nil })
	})
	t.Run("OTEL_BSP_EXPORT_TIMEOUT", func(t *testing.T) {
		told := complaints(t)
		t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "10")
		t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+silent(t))
		record(setup(t, exporters.Options{}), "work")
		until(t, "the batch to be given up", func() bool { return len(told()) > 0 })
	})
	t.Run("OTEL_METRIC_EXPORT_TIMEOUT", func(t *testing.T) {
		told := complaints(t)
		t.Setenv("OTEL_METRIC_EXPORT_TIMEOUT", "10")
		t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "10")
		t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://"+silent(t))
		setup(t, exporters.Options{})
		until(t, "the metrics to be given up", func() bool { return len(told()) > 0 })
	})
	t.Run("OTEL_EXPORTER_PROMETHEUS_HOST and OTEL_EXPORTER_PROMETHEUS_PORT", func(t *testing.T) {
		host, port, err := net.SplitHostPort(vacant(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("OTEL_METRICS_EXPORTER", "prometheus")
		t.Setenv("OTEL_EXPORTER_PROMETHEUS_HOST", host)
		t.Setenv("OTEL_EXPORTER_PROMETHEUS_PORT", port)
		setup(t, exporters.Options{})
		until(t, "the page", func() bool {
			res, err := http.Get("http://" + net.JoinHostPort(host, port) + "/metrics")
			if err == nil {
				res.Body.Close()
			}
			http.DefaultClient.CloseIdleConnections()
			return err == nil && res.StatusCode == http.StatusOK
		})
	})
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"} {
		t.Run(name, func(t *testing.T) {
			complaints(t)
			gone := make(chan struct{}, 8)
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
				gone <- struct{}{}
			}))
			t.Cleanup(server.Close)
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL)
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
			t.Setenv(name, "50")
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
			record(setup(t, exporters.Options{}), "work")
			until(t, "the request to be given up", func() bool { return len(gone) > 0 })
		})
	}
}

// TestClientCertificates: who asks for one gets that of the variables.
func TestClientCertificates(t *testing.T) {
	complaints(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, signal := range []string{"", "TRACES_", "METRICS_", "LOGS_"} {
		t.Run("OTEL_EXPORTER_OTLP_"+signal+"CLIENT_CERTIFICATE", func(t *testing.T) {
			i := new(inbox)
			server := httptest.NewUnstartedServer(i)
			server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
			server.StartTLS()
			t.Cleanup(server.Close)
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
			t.Setenv("OTEL_EXPORTER_OTLP_"+signal+"ENDPOINT", server.URL)
			t.Setenv("OTEL_EXPORTER_OTLP_"+signal+"CERTIFICATE", write("ca.pem", "CERTIFICATE", server.Certificate().Raw))
			t.Setenv("OTEL_EXPORTER_OTLP_"+signal+"CLIENT_CERTIFICATE", write("client.pem", "CERTIFICATE", certificate))
			t.Setenv("OTEL_EXPORTER_OTLP_"+signal+"CLIENT_KEY", write("client.key", "PRIVATE KEY", private))
			run(t, i)
			if len(i.seen) == 0 || len(i.seen[0].TLS.PeerCertificates) != 1 {
				t.Errorf("got %d requests, want some with the certificate", len(i.seen))
			}
		})
	}
}

// until waits for something, for ten seconds at most.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/redact"
)

// A sink keeps the bytes of the requests that it gets.
type sink struct {
	collector.UnimplementedTraceServiceServer
	mu  sync.Mutex
	all []byte
}

func (s *sink) addRequest(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, b...)
}

func (s *sink) bytes(*testing.T) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.all)
}

func (s *sink) Export(_ context.Context,
	r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	b, err := proto.Marshal(r)
	s.addRequest(b)
	return &collector.ExportTraceServiceResponse{}, err
}

func (s *sink) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	s.addRequest(b)
}

// plantSecrets makes spans of an agent framework, of an HTTP client and of the application. The secret
// is in a name, a status, attributes, events and links.
func plantSecrets(p *exporters.Providers, secret string) trace.TraceID {
	arguments := `{"user":"kim","password":"` + secret + `"}`
	note := attribute.String("note", "password="+secret)
	ctx, root := p.TracerProvider.Tracer("genkit-tracer").Start(context.Background(), "genkit tool",
		trace.WithLinks(trace.Link{Attributes: []attribute.KeyValue{note}}))
	root.SetAttributes(attribute.String("genkit:input", arguments))
	_, call := p.TracerProvider.Tracer("gcp.vertex.agent").Start(ctx, "execute_tool login")
	call.SetAttributes(attribute.String("gcp.vertex.agent.tool_call_args", arguments))
	call.RecordError(errors.New("login: password=" + secret))
	call.SetStatus(codes.Error, "login: password="+secret)
	call.End()
	_, request := p.TracerProvider.Tracer("otelhttp").Start(ctx, "GET /?password="+secret)
	request.SetAttributes(attribute.StringSlice("http.request.header.authorization", []string{"Bearer " + secret}),
		attribute.String("url.full", "https://example.com/?token="+secret))
	request.AddEvent("retry", trace.WithAttributes(note))
	request.End()
	root.End()
	return root.SpanContext().TraceID()
}

// filesOf are the contents of all files below a directory.
func filesOf(t *testing.T, dir string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all = append(all, b...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A way is one of the ways on which spans leave the process.
type way struct {
	name string
	// prepare adds the way to the options. sent is all that has left after the shutdown.
	prepare func(t *testing.T, o *exporters.Options) (sent func(*testing.T) []byte)
}

var ways = []way{
	{"OTLP over gRPC", func(t *testing.T, _ *exporters.Options) func(*testing.T) []byte {
		s := new(sink)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", serve(t, s))
		return s.bytes
	}},
	{"OTLP over HTTP", func(t *testing.T, _ *exporters.Options) func(*testing.T) []byte {
		s := new(sink)
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
		return s.bytes
	}},
	{"spool", func(t *testing.T, o *exporters.Options) func(*testing.T) []byte {
		o.SpoolDir = t.TempDir()
		o.Spool = exporters.SpoolOptions{WriteAhead: true, Timeout: time.Second}
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+vacant(t))
		return func(t *testing.T) []byte {
			all := filesOf(t, o.SpoolDir)
			err := exporters.SpoolDir(o.SpoolDir).Show(false, func(line []byte) error {
				all = append(all, line...)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return all
		}
	}},
	{"console", func(_ *testing.T, o *exporters.Options) func(*testing.T) []byte {
		var out bytes.Buffer
		o.Consoles = []exporters.ConsoleOptions{{Writer: &out, Tree: exporters.TreeOptions{Attributes: true, MaxValue: 1000}}}
		return func(*testing.T) []byte { return out.Bytes() }
	}},
	{"JSON lines", func(t *testing.T, o *exporters.Options) func(*testing.T) []byte {
		dir := t.TempDir()
		o.JSONLines = []exporters.JSONLines{{Dir: dir, Plain: true}}
		return func(t *testing.T) []byte { return filesOf(t, dir) }
	}},
	{"exporter of the application", func(_ *testing.T, o *exporters.Options) func(*testing.T) []byte {
		to := &kept{InMemoryExporter: tracetest.NewInMemoryExporter()}
		o.Exporters = []sdktrace.SpanExporter{to}
		return func(*testing.T) []byte { return fmt.Append(nil, to.spans) }
	}},
	{"tail sampling", func(_ *testing.T, o *exporters.Options) func(*testing.T) []byte {
		to := &kept{InMemoryExporter: tracetest.NewInMemoryExporter()}
		o.Exporters, o.TailSampling = []sdktrace.SpanExporter{to}, &exporters.TailSampling{Ratio: 1}
		return func(*testing.T) []byte { return fmt.Append(nil, to.spans) }
	}},
}

// kept keeps its spans through its shutdown.
type kept struct {
	*tracetest.InMemoryExporter
	spans tracetest.SpanStubs
}

func (k *kept) Shutdown(context.Context) error {
	k.spans = k.GetSpans()
	return nil
}

// TestSecretsOfOtherLibraries plants a secret in spans of other libraries and looks for it in all bytes
// that leave the process, on each way.
func TestSecretsOfOtherLibraries(t *testing.T) {
	for _, w := range ways {
		for _, off := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", w.name, off), func(t *testing.T) {
				complaints(t)
				secret := "x7" + rand.Text()
				o := exporters.Options{NoScrub: off}
				sent := w.prepare(t, &o)
				p := setup(t, o)
				id := plantSecrets(p, secret)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				_ = p.Shutdown(ctx) // the spool's destination is dead
				got := sent(t)
				if !bytes.Contains(got, []byte("execute_tool login")) {
					t.Fatalf("got %d bytes without the span", len(got))
				}
				leaked := bytes.Contains(got, []byte(secret)) ||
					bytes.Contains(got, []byte(base64.StdEncoding.EncodeToString([]byte(secret))))
				if leaked != off {
					t.Errorf("the secret has left: %t, want %t", leaked, off)
				}
				for _, c := range p.Components() {
					for _, f := range c.Figures {
						if want := map[bool]float64{false: 3}[off]; f.Name == "scrubbed_spans" && f.Value != want {
							t.Errorf("%s: got %v spans scrubbed, want %v", c.Name, f.Value, want)
						}
					}
				}
				if read := readRing(t, p, id.String()); strings.Contains(read, secret) != off {
					t.Errorf("the ring: got\n%s", read)
				}
			})
		}
	}
}

// readRing is all that the ring tells of a trace, to programs and to the dashboard.
func readRing(t *testing.T, p *exporters.Providers, id string) string {
	t.Helper()
	one, _ := p.Ring.Trace(id)
	var out bytes.Buffer
	for _, tr := range append(p.Ring.Traces(), one) {
		if err := exporters.WriteTree(&out, tr, exporters.TreeOptions{Attributes: true, MaxValue: 1000}); err != nil {
			t.Fatal(err)
		}
	}
	views, _ := p.Ring.Source().Trace(id)
	return out.String() + fmt.Sprint(views)
}

// TestScrubbingIsCounted shows the metric and the redactor of the options.
func TestScrubbingIsCounted(t *testing.T) {
	redactor, err := redact.New(redact.Options{Known: []string{"Bluebird-Harbour"}})
	if err != nil {
		t.Fatal(err)
	}
	to, reader := tracetest.NewInMemoryExporter(), sdkmetric.NewManualReader()
	p := setup(t, exporters.Options{Exporters: []sdktrace.SpanExporter{to}, Redactor: redactor,
		MetricReaders: []sdkmetric.Reader{reader}})
	_, span := p.TracerProvider.Tracer("x").Start(t.Context(), "work")
	span.SetAttributes(attribute.String("note", "see Bluebird-Harbour"))
	span.End()
	record(p, "harmless")
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(to.GetSpans()); strings.Contains(got, "Bluebird") {
		t.Errorf("sent %s", got)
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	for _, s := range data.ScopeMetrics {
		for _, m := range s.Metrics {
			if sum, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "toolscope.self.scrub.spans" {
				if len(sum.DataPoints) != 1 || sum.DataPoints[0].Value != 1 {
					t.Errorf("got %+v, want 1", sum.DataPoints)
				}
				return
			}
		}
	}
	t.Error("the metric is missing")
}

// TestScrubOptions: a redactor without scrubbing is a mistake.
func TestScrubOptions(t *testing.T) {
	_, err := exporters.Setup(t.Context(), exporters.Options{NoScrub: true, Redactor: redact.Default()})
	if err == nil || !strings.Contains(err.Error(), "exporters: Options.Redactor: ") {
		t.Errorf("got %v", err)
	}
}

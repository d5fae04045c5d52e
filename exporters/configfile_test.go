// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters"
)

// configure puts a text into the file of OTEL_CONFIG_FILE.
func configure(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "otel.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_CONFIG_FILE", path)
}

// Variables are replaced in lines without a brace of YAML's own only.
const declared = `
file_format: "1.0"
resource:
  attributes:
    - {name: service.name, value: declared}
propagator:
  composite:
    - b3:
tracer_provider:
  processors:
    - batch:
        schedule_delay: 100
        exporter:
          otlp_grpc:
            endpoint: ${TRACES_TO}
            tls:
              insecure: true
  sampler:
    always_on:
logger_provider:
  processors:
    - batch:
        exporter:
          otlp_grpc:
            endpoint: ${LOGS_TO}
            tls:
              insecure: true
`

// The file says everything; what options add is there as well.
func TestConfigFile(t *testing.T) {
	told := complaints(t)
	configure(t, declared)
	var b backend
	var l logBackend
	t.Setenv("TRACES_TO", b.grpc(t))
	t.Setenv("LOGS_TO", l.grpc(t))
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "neither this one")
	spans := tracetest.NewSpanRecorder()
	var out bytes.Buffer
	lines := t.TempDir()
	p := setup(t, exporters.Options{
		SpanProcessors: []sdktrace.SpanProcessor{spans},
		Consoles:       []exporters.ConsoleOptions{{Writer: &out, Tree: exporters.TreeOptions{NoTimes: true}}},
		Logs:           true,
		ServiceName:    "not this one",
		JSONLines:      []exporters.JSONLines{{Dir: lines}},
		MetricReaders:  []sdkmetric.Reader{sdkmetric.NewManualReader()},
	})
	record(p, "work")
	slog.New(p.LogHandler("test")).Info("hello")
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.received(); got != "work/child work" {
		t.Errorf("the backend: got %q", got)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.Ring.State().Spans != 2 || len(spans.Ended()) != 2 || !strings.Contains(out.String(), "work/child") ||
		len(l.records) != 1 {
		t.Errorf("got %d spans in the ring, %d at the processor, %q on the console, %d log records",
			p.Ring.State().Spans, len(spans.Ended()), out.String(), len(l.records))
	}
	if files, err := filepath.Glob(filepath.Join(lines, "*.jsonl")); err != nil || len(files) != 1 {
		t.Errorf("got %q, %v, want a file of lines", files, err)
	}
	if v, _ := spans.Ended()[0].Resource().Set().Value("service.name"); v.AsString() != "declared" {
		t.Errorf("got the service name %q, want the file's", v.AsString())
	}
	if got := p.Propagator.Fields(); !strings.Contains(strings.Join(got, " "), "b3") {
		t.Errorf("got a propagator of %q, want b3", got)
	}
	if got := told(); len(got) > 0 {
		t.Errorf("the error handler got %q, want nothing", got)
	}
}

// A file that turns everything off, or says nothing of traces, makes providers that record
// nothing.
func TestConfigFileOfNothing(t *testing.T) {
	for _, text := range []string{"file_format: \"1.0\"\ndisabled: true\n", "file_format: \"1.0\"\n"} {
		configure(t, text)
		p := setup(t, exporters.Options{})
		record(p, "work")
		if p.Ring.State().Spans != 0 || p.Flush(t.Context()) != nil || p.Shutdown(t.Context()) != nil {
			t.Errorf("%q: got %+v, want nothing recorded and no error", text, p.Ring.State())
		}
	}
}

// fileOf has span processors.
func fileOf(processors ...string) string {
	return "file_format: \"1.0\"\ntracer_provider:\n  processors:\n    - " + strings.Join(processors, "\n    - ") + "\n"
}

// A spool, a sampler and limits stand in front of the exporter of a file, over gRPC and HTTP.
func TestConfigFileWithSpool(t *testing.T) {
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		t.Run(protocol, func(t *testing.T) {
			complaints(t)
			address, dir := vacant(t), t.TempDir()
			exporter := "otlp_grpc:\n            endpoint: ${TO}"
			t.Setenv("TO", "http://"+address)
			if protocol != "grpc" {
				exporter = "otlp_http:\n            endpoint: ${TO}/v1/traces"
			}
			configure(t, fileOf("batch:\n        schedule_delay: 20\n        exporter:\n          "+exporter+
				"\n            compression: gzip\n            timeout: 5000\n            headers_list: tenant=a"+
				"\n            headers:\n              - {name: key, value: secret}")+
				"resource:\n  attributes:\n    - {name: service.name, value: declared}\n")
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "neither this one")
			o := exporters.Options{SpoolDir: dir, Spool: fast, Guard: exporters.Limits{Name: 64},
				TailSampling: &exporters.TailSampling{Ratio: 1}}
			p := setup(t, o)
			record(p, "first")
			if err := p.Shutdown(t.Context()); err != nil {
				t.Errorf("Shutdown: got %v, want nil, since all is on disk", err)
			}
			if l := p.Ledger(); len(l) != 1 || l[0].Ended != 2 || l[0].OnDisk != 2 || l[0].Delivered != 0 {
				t.Errorf("without a listener: got %+v, want 2 spans on disk", l)
			}
			m, seen := new(moody), make(chan string, 100)
			m.seen = func(key, tenant string) { seen <- key + " " + tenant }
			_, stop := m.serve(t, protocol, address)
			defer stop()
			p = setup(t, o)
			record(p, "a name of "+strings.Repeat("many ", 20)+"bytes")
			eventually(t, "all arrive", func() bool {
				return strings.Count(m.received(), "first") == 2 && strings.Count(m.received(), "a name") == 2
			})
			if got := m.received(); strings.Count(got, " bytes cut]") != 2 {
				t.Errorf("got %q, want names of at most 64 bytes", got)
			}
			if got := <-seen; got != "secret a" {
				t.Errorf("got the headers %q", got)
			}
			if err := p.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			l := p.Ledger()[0]
			even(t, l)
			if l.Ended != 2 || l.Found != 2 || l.Delivered != 4 || len(l.Dropped) != 0 ||
				!strings.HasPrefix(p.Endpoint, "http://"+address) {
				t.Errorf("got %+v, sent to %q", l, p.Endpoint)
			}
		})
	}
}

// With a file's sampler, that one decides before the tail sampler. Without one, the tail sampler's own head sees what
// a remote parent did not sample, and weighs what it keeps. Simple processors and consoles see every span.
func TestConfigFileWithTailSampling(t *testing.T) {
	var b backend
	to := b.grpc(t)
	for _, c := range []struct{ name, sampler, want string }{
		{"no sampler", "", "failed"},
		{"never", "  sampler:\n    always_off:\n", ""},
		{"roots only", "  sampler:\n    parent_based:\n      root:\n        always_on:\n      remote_parent_not_sampled:\n" +
			"        always_off:\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			configure(t, fileOf("batch: {exporter: {otlp_grpc: {endpoint: '"+to+"'}}}")+c.sampler)
			p := setup(t, exporters.Options{TailSampling: &exporters.TailSampling{Ratio: -1}})
			remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, Remote: true})
			_, span := p.TracerProvider.Tracer("test").Start(trace.ContextWithRemoteSpanContext(t.Context(), remote), "failed")
			span.SetStatus(codes.Error, "")
			span.End()
			record(p, "usual")
			if err := p.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := b.takeNames(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Each batch processor of a file has a queue, and only the first OTLP exporter is behind the spool. Spans of other
// libraries are redacted on the way to all of them.
func TestConfigFileOfSeveralDestinations(t *testing.T) {
	var first, second, third backend
	configure(t, fileOf("batch: {exporter: {otlp_grpc: {endpoint: '"+first.grpc(t)+"'}}}",
		"batch: {exporter: {otlp_http: {endpoint: '"+second.http(t)+"/v1/traces'}}}"))
	p := setup(t, exporters.Options{SpoolDir: t.TempDir(), Spool: fast})
	record(p, "Bearer "+strings.Repeat("a1", 20))
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, l := range p.Ledger() {
		if even(t, l); l.Delivered != 2 {
			t.Errorf("got %+v, want 2 delivered", l)
		}
	}
	if l := p.Ledger(); len(l) != 2 || l[0].Destination != "spool" || l[1].Destination != "otlp_http_span_exporter/1" {
		t.Errorf("got %+v, want a spool and an exporter over HTTP", l)
	}
	configure(t, fileOf("simple: {exporter: {otlp_grpc: {endpoint: '"+third.grpc(t)+"'}}}"))
	p = setup(t, exporters.Options{})
	record(p, "Bearer "+strings.Repeat("a1", 20))
	for _, b := range []*backend{&first, &second, &third} { // the last one without a Shutdown
		if got := b.received(); strings.Contains(got, "a1a1") || strings.Count(got, "REDACTED") != 2 {
			t.Errorf("got %q, want two redacted spans", got)
		}
	}
}

func TestConfigFileIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		options          exporters.Options
	}{
		{"no YAML", "{", "otel.yaml: ", exporters.Options{}},
		{"no exporter", "file_format: \"1.0\"\ntracer_provider: {processors: [{batch: {exporter: {}}}]}\n",
			"otel.yaml: ", exporters.Options{}},
		{"a compression", strings.Replace(declared, "endpoint: ${TRACES_TO}", "endpoint: x:1\n            compression: zstd", 1), "unsupported compression",
			exporters.Options{}},
		{"half a certificate", strings.Replace(declared, "insecure: true", "cert_file: x", 1), "no client key",
			exporters.Options{}},
		{"one by one before a spool", fileOf("simple: {exporter: {otlp_http: {endpoint: 'http://x:1'}}}"),
			"tracer_provider.processors[0]: simple: got an OTLP exporter together with Options.SpoolDir",
			exporters.Options{SpoolDir: "x"}},
		{"one by one before a sampler", fileOf("batch: {exporter: {otlp_http: {endpoint: 'http://x:1'}}}", "simple: {exporter: {otlp_grpc: {endpoint: 'http://x:1'}}}"),
			"tracer_provider.processors[1]: simple: got", exporters.Options{TailSampling: &exporters.TailSampling{}}},
		{"the sampler", fileOf("batch: {exporter: {otlp_http: {endpoint: 'http://x:1'}}}"), "Options.TailSampling: ",
			exporters.Options{TailSampling: &exporters.TailSampling{Ratio: 2}}},
	} {
		configure(t, c.text)
		if _, err := exporters.Setup(t.Context(), c.options); err == nil ||
			!strings.Contains(err.Error(), "exporters: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
	}
	configure(t, fileOf("batch: {exporter: {otlp_http: {endpoint: 'http://x:1', headers_list: 'Bearer hunter2'}}}"))
	if _, err := exporters.Setup(t.Context(), exporters.Options{}); err == nil ||
		!strings.Contains(err.Error(), "headers_list: want") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("wrong headers: got %v, want an error without them", err)
	}
	t.Setenv("OTEL_CONFIG_FILE", filepath.Join(t.TempDir(), "none.yaml"))
	if _, err := exporters.Setup(t.Context(), exporters.Options{}); err == nil ||
		!strings.Contains(err.Error(), "exporters: OTEL_CONFIG_FILE: ") || strings.Count(err.Error(), "none.yaml") != 1 {
		t.Errorf("got %v, want an error that names variable and file", err)
	}
}

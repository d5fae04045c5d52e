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

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

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

func TestConfigFileIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		options          exporters.Options
	}{
		{"no YAML", "{", "otel.yaml: ", exporters.Options{}},
		{"no exporter", "file_format: \"1.0\"\ntracer_provider: {processors: [{batch: {exporter: {}}}]}\n",
			"otel.yaml: ", exporters.Options{}},
		{"sampling", declared, "Options.TailSampling: got it with OTEL_CONFIG_FILE",
			exporters.Options{TailSampling: &exporters.TailSampling{}}},
		{"limits", declared, "Options.Guard: got it with OTEL_CONFIG_FILE", exporters.Options{Guard: exporters.Limits{Value: 1024}}},
		{"what to do", declared, "Unset OTEL_CONFIG_FILE", exporters.Options{SpoolDir: "x"}},
		{"a spool", declared, "Options.SpoolDir: got it with OTEL_CONFIG_FILE", exporters.Options{SpoolDir: "x"}},
	} {
		configure(t, c.text)
		if _, err := exporters.Setup(t.Context(), c.options); err == nil ||
			!strings.Contains(err.Error(), "exporters: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
	}
	t.Setenv("OTEL_CONFIG_FILE", filepath.Join(t.TempDir(), "none.yaml"))
	if _, err := exporters.Setup(t.Context(), exporters.Options{}); err == nil ||
		!strings.Contains(err.Error(), "exporters: OTEL_CONFIG_FILE: ") || strings.Count(err.Error(), "none.yaml") != 1 {
		t.Errorf("got %v, want an error that names variable and file", err)
	}
}

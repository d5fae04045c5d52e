// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/exporters"
)

func TestSetupRefusesBadValues(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.pem")
	text := filepath.Join(t.TempDir(), "text.pem")
	if err := os.WriteFile(text, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, value, want string }{
		{"OTEL_SDK_DISABLED", "yes", `got "yes", want "true" or "false"`},
		{"OTEL_TRACES_SAMPLER", "sometimes", "want one of always_on, always_off"},
		{"OTEL_TRACES_EXPORTER", "zipkin", `got "zipkin", want a list of otlp, console, none`},
		{"OTEL_TRACES_EXPORTER", "otlp,zipkin", `got "otlp,zipkin"`},
		{"OTEL_METRICS_EXPORTER", "statsd", "want one of otlp, prometheus, console, none"},
		{"OTEL_PROPAGATORS", "tracecontext,b4", `got "b4", want a list of tracecontext, baggage, b3`},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "0", "want a whole number from 1"},
		{"OTEL_BSP_SCHEDULE_DELAY", "5s", `got "5s"`},
		{"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "many", "want a whole number from -1"},
		{"OTEL_METRIC_EXPORT_INTERVAL", "-1", "want a whole number from 1"},
		{"OTEL_EXPERIMENTAL_CONFIG_FILE", "otel.yaml", "want it unset: its name is OTEL_CONFIG_FILE now"},
		{"OTEL_BLRP_SCHEDULE_DELAY", "soon", "want a whole number from 1"},
		{"OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT", "-2", "want a whole number from -1"},
		{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "localhost", "scheme: http, https"},
		{"OTEL_RESOURCE_ATTRIBUTES", "team", `"team" is none`},
		{"OTEL_RESOURCE_ATTRIBUTES", "team=%zz", `"team=%zz" is none`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4317", "want a URL such as http://localhost:4317"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317", "scheme: http, https"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://", "with a host"},
		{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "ftp://host", "scheme: http, https"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "want one of grpc, http/protobuf"},
		{"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "want one of gzip, none"},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "want a whole number from 1"},
		{"OTEL_EXPORTER_OTLP_INSECURE", "1", "want one of true, false"},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", none, "no such file"},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", text, "want a file of PEM certificates"},
		{"OTEL_EXPORTER_OTLP_CLIENT_KEY", none, "no such file"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "good=1,planted-value", "entry 2 is no key=value pair"},
		{"OTEL_EXPORTER_PROMETHEUS_PORT", "http", "want a whole number from 0 to 65535"},
		{"OTEL_METRICS_EXEMPLAR_FILTER", "all", "want one of always_on, always_off, trace_based"},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			_, err := exporters.Setup(t.Context(), exporters.Options{})
			if err == nil {
				t.Fatal("got no error")
			}
			for _, part := range []string{"exporters: " + c.name, c.want} {
				if part == "no such file" && filepath.Separator == '\\' {
					continue // another text
				}
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want %q in it", err, part)
				}
			}
			if strings.Contains(err.Error(), "planted-value") {
				t.Errorf("got %q: a header's value is in it", err)
			}
		})
	}
}

func TestSetupHidesPasswordsOfEndpoints(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "gopher://user:planted-password@host")
	if _, err := exporters.Setup(t.Context(), exporters.Options{}); err == nil ||
		strings.Contains(err.Error(), "planted-password") {
		t.Errorf("got %v, want an error without the password", err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:planted-password@127.0.0.1:1")
	if got := setup(t, exporters.Options{}).Endpoint; got != "http://127.0.0.1:1" {
		t.Errorf("Endpoint: got %q, want it without user and password", got)
	}
}

func TestSetupTellsAllBadValuesAtOnce(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "sometimes")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "big")
	_, err := exporters.Setup(t.Context(), exporters.Options{})
	for _, name := range []string{"OTEL_TRACES_SAMPLER", "OTEL_BSP_MAX_QUEUE_SIZE"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s in it", err, name)
		}
	}
}

func TestSamplerArgument(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "half")
	setup(t, exporters.Options{}) // no sampler takes it
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	if _, err := exporters.Setup(t.Context(), exporters.Options{}); err == nil ||
		!strings.Contains(err.Error(), `OTEL_TRACES_SAMPLER_ARG: got "half", want a number from 0 to 1`) {
		t.Errorf("got %v", err)
	}
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
	p := setup(t, exporters.Options{})
	record(p, "unsampled")
	if n := p.Ring.State().Spans; n != 0 {
		t.Errorf("got %d spans with a ratio of 0, want none", n)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/e2e/jaeger"
)

// TestLookNow measures the first-look profile as a newcomer meets it: from the start of Jaeger, a collector, Prometheus and
// the demo, with the shipped files but for addresses, to the first trace in Jaeger and the first panel with data.
// make e2e-deploy runs it, after it has built the newest Prometheus and collector.
func TestLookNow(t *testing.T) {
	if built("prometheus") == "" || built("collector") == "" {
		t.Skip("make e2e-deploy builds what this test starts")
	}
	binary, toolscope, dir := jaegerBinary(t), command(t), t.TempDir()
	uiConfig, err := filepath.Abs(filepath.Join(deployDir, "jaeger-ui.json"))
	if err != nil {
		t.Fatal(err)
	}
	spans, ui, otlp, spanmetrics := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t)
	prom, pages, otel := &prometheus{t, freeAddress(t)}, freeAddress(t), freeAddress(t)
	self, jaegerSelf := freeAddress(t), freeAddress(t)

	text, err := os.ReadFile(filepath.Join(deployDir, "prometheus.yml"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs(filepath.Join(deployDir, "rules"))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, []byte(strings.NewReplacer("127.0.0.1:8080", pages, "127.0.0.1:9464", otel, "127.0.0.1:8889",
		spanmetrics, "127.0.0.1:8888", self, "127.0.0.1:8886", jaegerSelf, "rules/", rules+"/").Replace(string(text))),
		0o600); err != nil {
		t.Fatal(err)
	}
	port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
	start := func(cmd *exec.Cmd, env ...string) {
		cmd.Env = append(append(os.Environ(), "OTEL_TRACES_SAMPLER=always_on", "XDG_RUNTIME_DIR="+dir), env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	file := func(name string) string { return "--config=" + filepath.Join(deployDir, name) }

	begun := time.Now()
	start(exec.Command(binary, file("jaeger.yaml")), "OTLP_GRPC="+spans, "UI="+ui, "UI_GRPC="+freeAddress(t),
		"DATA="+dir, "UI_CONFIG="+uiConfig,
		"HEALTH="+freeAddress(t), "SELF_PORT="+port(jaegerSelf), "PROMETHEUS=http://"+prom.address, "OTEL_TRACES_SAMPLER=always_off")
	start(exec.Command(built("collector"), file("collector.yaml"), file("collector-look.yaml")), "OTLP_GRPC="+otlp,
		"OTLP_HTTP="+freeAddress(t),
		"JAEGER="+spans, "SPANMETRICS="+spanmetrics, "HEALTH="+freeAddress(t), "SELF_PORT="+port(self))
	start(exec.Command(built("prometheus"), "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+prom.address, "--enable-feature="+features3))
	start(exec.Command(toolscope, "demo", "--listen", pages), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+otlp,
		"OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_PROMETHEUS_PORT="+port(otel))

	var calls string
	for _, p := range panels(t) {
		if p.board == "toolscope-stats" && p.title == "Calls" {
			calls = strings.ReplaceAll(p.queries[0], hurry("[1m]"), "[20s]") // Grafana's $__rate_interval: four scrapes
		}
	}
	server, trace, panel := &jaeger.Server{Query: "http://" + ui}, time.Duration(0), time.Duration(0)
	waitFor(t, "the first trace and the first panel with data", func() bool {
		if traces, err := server.Traces(t.Context(), "toolscope-demo"); trace == 0 && err == nil && len(traces) > 0 {
			trace = time.Since(begun)
		}
		if n, ok := prom.number(calls); panel == 0 && ok && n > 0 {
			panel = time.Since(begun)
		}
		return trace > 0 && panel > 0
	})
	t.Logf("first trace after %.1f s, first panel with data after %.1f s", trace.Seconds(), panel.Seconds())
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/exporters"
)

const deployDir = "../examples/deploy"

// A deployed is a program that runs with a configuration of examples/deploy.
type deployed struct {
	cmd *exec.Cmd
	log string
}

// deploy starts Jaeger's binary, which is a collector, with a configuration, and waits until it says
// that it is healthy.
// files are the names of one configuration, each on top of those before.
func deploy(t *testing.T, binary, files, health string, env ...string) *deployed {
	t.Helper()
	d := &deployed{log: filepath.Join(t.TempDir(), "log")}
	log, err := os.Create(d.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	d.cmd = exec.Command(binary)
	for file := range strings.FieldsSeq(files) {
		d.cmd.Args = append(d.cmd.Args, "--config="+filepath.Join(deployDir, file))
	}
	d.cmd.Stdout, d.cmd.Stderr = log, log
	_, port, _ := net.SplitHostPort(freeAddress(t))
	d.cmd.Env = append(append(os.Environ(), "HEALTH="+health, "SELF_PORT="+port, "OTEL_TRACES_SAMPLER=always_off"), env...)
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.kill)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if res, err := http.Get("http://" + health + "/status"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return d
			}
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(d.log)
			t.Fatalf("%s: not healthy after a minute:\n%s", files, text)
		}
	}
}

// kill ends the program at once, as a crash does.
func (d *deployed) kill() {
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
}

// TestDeployment runs the whole of examples/deploy: a program, the collector, which Jaeger's
// binary stands for here, Jaeger with Badger, and Prometheus. Failed calls are all kept, the
// monitor tab knows all calls, and traces survive Jaeger's being killed.
func TestDeployment(t *testing.T) {
	binary, prometheusBinary := jaegerBinary(t), program(t, "prometheus")
	otlp, ui, spanmetrics, promAddress := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t)
	data := t.TempDir()
	config, err := filepath.Abs(filepath.Join(deployDir, "jaeger-ui.json"))
	if err != nil {
		t.Fatal(err)
	}
	startJaeger := func() *deployed {
		return deploy(
			t,
			binary,
			"jaeger.yaml",
			freeAddress(t),
			"OTLP_GRPC="+otlp,
			"UI="+ui,
			"UI_GRPC="+freeAddress(t),
			"DATA="+data,
			"UI_CONFIG="+config,
			"PROMETHEUS=http://"+promAddress,
		)
	}
	backend := startJaeger()
	collector := freeAddress(t)
	deploy(
		t,
		binary,
		"collector.yaml",
		freeAddress(t),
		"OTLP_GRPC="+collector,
		"OTLP_HTTP="+freeAddress(t),
		"JAEGER="+otlp,
		"SPANMETRICS="+spanmetrics,
		"DECISION_WAIT=1s",
		"METRICS_EVERY=1s",
	)
	prom := deployPrometheus(t, prometheusBinary, promAddress, spanmetrics)

	const calls, failed = 200, 7
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+collector)
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "deployed"})
	if err != nil {
		t.Fatal(err)
	}
	tracer := providers.TracerProvider.Tracer("deployment")
	wrong := make(map[string]bool)
	for i := range calls {
		in, agent := tracer.Start(ctx, "invoke_agent planner")
		_, call := tracer.Start(
			in,
			"execute_tool search",
			trace.WithAttributes(attribute.String("gen_ai.tool.name", "search")),
		)
		if i < failed {
			call.SetStatus(codes.Error, "it failed")
			wrong[agent.SpanContext().TraceID().String()] = true
		}
		call.End()
		agent.End()
	}
	if err := providers.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}

	server := &jaeger.Server{Query: "http://" + ui}
	// Whole traces of failed calls, two spans each, and some of the others.
	kept := func() (missing, all int) {
		traces, err := server.Traces(ctx, "deployed")
		if err != nil {
			return failed, 0
		}
		whole := make(map[string]bool)
		for _, tr := range traces {
			whole[tr.TraceID] = len(tr.Spans) == 2
		}
		for id := range wrong {
			if !whole[id] {
				missing++
			}
		}
		return missing, len(traces)
	}
	waitFor(t, "the traces of all failed calls", func() bool { missing, _ := kept(); return missing == 0 })
	if _, n := kept(); n > calls/2 {
		t.Errorf("got %d traces of %d, want about a tenth and those that failed", n, calls)
	}

	// All calls are counted, whatever was sampled.
	waitFor(t, "the collector's count of all calls", func() bool {
		n, ok := prom.number(`sum(span_metrics_calls_total{service_name="deployed", gen_ai_tool_name="search"})`)
		return ok && n == calls
	})
	waitFor(t, "the monitor tab", func() bool { return monitored(t, ui) })

	backend.kill()
	startJaeger()
	waitFor(t, "the traces after Jaeger was killed", func() bool { missing, _ := kept(); return missing == 0 })
}

// deployPrometheus runs Prometheus with the configuration of examples/deploy, but that it asks the
// collector at another address, and each second.
func deployPrometheus(t *testing.T, binary, address, spanmetrics string) *prometheus {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployDir, "prometheus-2.yml"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs(filepath.Join(deployDir, "rules"))
	if err != nil {
		t.Fatal(err)
	}
	config := strings.NewReplacer("127.0.0.1:8889", spanmetrics, "5s", "1s", "rules/", rules+"/").Replace(string(text))
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(t.TempDir(), "data"),
		"--web.listen-address="+address, "--enable-feature=exemplar-storage,native-histograms")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &prometheus{t, address}
}

// monitored reports whether Jaeger's monitor tab has the rate of the tool's calls.
func monitored(t *testing.T, ui string) bool {
	t.Helper()
	var answer struct {
		Metrics []struct {
			Labels       []struct{ Name, Value string }
			MetricPoints []struct {
				GaugeValue struct{ DoubleValue float64 }
			}
		}
	}
	q := url.Values{
		"service":          {"deployed"},
		"spanKind":         {"internal"},
		"groupByOperation": {"true"},
		"lookback":         {"60000"},
		"step":             {"1000"},
		"ratePer":          {"60000"},
	}
	if get(t, "http://"+ui+"/api/metrics/calls?"+q.Encode(), &answer) != nil {
		return false
	}
	for _, m := range answer.Metrics {
		for _, l := range m.Labels {
			if l.Value == "execute_tool search" && len(m.MetricPoints) > 0 {
				return true
			}
		}
	}
	return false
}

// waitFor asks until something is so, for a minute at most.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	begun := time.Now()
	for !so() {
		if time.Since(begun) > time.Minute {
			t.Fatalf("%s: not there after a minute", what)
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Logf("%s: after %v", what, time.Since(begun).Round(100*time.Millisecond))
}

// TestFirstTier checks collector-first.yaml. Its loadbalancing exporter is not part of Jaeger's binary, which
// must say that and nothing else; with another exporter in its place the file is valid.
func TestFirstTier(t *testing.T) {
	binary := jaegerBinary(t)
	validate := func(file string) (string, error) {
		out, err := exec.Command(binary, "validate", "--config", file).CombinedOutput()
		return string(out), err
	}
	path := filepath.Join(deployDir, "collector-first.yaml")
	if out, err := validate(path); err == nil || !strings.Contains(out, `unknown type: "loadbalancing"`) ||
		strings.Contains(out, "invalid keys") {
		t.Errorf("got %v, %s, want an error about loadbalancing only", err, out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "  # Part of otelcol-contrib.")
	_, after, ok2 := strings.Cut(rest, "\nservice:")
	if !ok || !ok2 {
		t.Fatal("collector-first.yaml is not what this test thinks it is")
	}
	other := filepath.Join(t.TempDir(), "first.yaml")
	if err := os.WriteFile(
		other, []byte(before+"  debug: {}\nservice:"+strings.Replace(after, "loadbalancing", "debug", 1)),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	if out, err := validate(other); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := validate(filepath.Join(deployDir, "jaeger.yaml")); err != nil {
		t.Errorf("jaeger.yaml: %v: %s", err, out)
	}
}

// TestCollectorFiles validates the configurations of the second tier: with Jaeger's binary, which has no file_storage, and
// with the collector that make e2e-deploy builds.
func TestCollectorFiles(t *testing.T) {
	for _, c := range []struct{ binary, files string }{
		{jaegerBinary(t), "collector.yaml"},
		{jaegerBinary(t), "collector.yaml collector-look.yaml"},
		{built("collector"), "collector.yaml"},
		{built("collector"), "collector.yaml collector-look.yaml"},
		{built("collector"), "collector.yaml collector-queue.yaml"},
		{built("collector"), "collector.yaml collector-jobs.yaml"},
	} {
		if c.binary == "" {
			continue
		}
		args := []string{"validate"}
		for file := range strings.FieldsSeq(c.files) {
			args = append(args, "--config="+filepath.Join(deployDir, file))
		}
		if out, err := exec.Command(c.binary, args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v: %s", c.binary, c.files, err, out)
		}
	}
}

// TestComposeFiles checks that what the files for Compose mount is there, that the variables they set are those that
// the configurations read, and that they pin the same images as the manifests for Kubernetes.
func TestComposeFiles(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(deployDir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	manifests := read("kubernetes/collector.yaml") + read("kubernetes/jaeger.yaml") + read("kubernetes/prometheus.yaml")
	for _, name := range []string{"compose.yaml", "compose.production.yaml"} {
		text, mounts := read(name), 0
		for line := range strings.Lines(text) {
			for _, field := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \"[],\n", r) }) {
				if from, _, ok := strings.Cut(field, ":/"); ok && strings.HasPrefix(from, ".") {
					mounts++
					if _, err := os.Stat(filepath.Join(deployDir, from)); err != nil {
						t.Errorf("%s: a mount: %v", name, err)
					}
				}
			}
			if _, image, ok := strings.Cut(line, "image: "); ok && !strings.HasPrefix(image, "grafana/") &&
				!strings.Contains(manifests, "image: "+image) {
				t.Errorf("%s: %s is not the image of the manifests", name, strings.TrimSpace(image))
			}
		}
		if mounts < 8 {
			t.Errorf("%s: got %d mounts, want those of four services", name, mounts)
		}
	}
	for file, variables := range map[string][]string{
		"collector.yaml": {"OTLP_GRPC", "OTLP_HTTP", "HEALTH", "SPANMETRICS", "SELF_HOST", "JAEGER", "MEMORY_MIB"},
		"jaeger.yaml":    {"OTLP_GRPC", "UI", "HEALTH", "SELF_HOST", "PROMETHEUS"},
	} {
		config, compose := read(file), read("compose.production.yaml")
		for _, v := range variables {
			if !strings.Contains(config, "${env:"+v+":-") || !strings.Contains(compose, "      "+v+": ") ||
				!strings.Contains(manifests, "{name: "+v+", value: ") {
				t.Errorf("%s: the variable %s is not read, or not set by both deployments", file, v)
			}
		}
	}
	// The two files for programs on this machine differ in what Prometheus 2 does not know.
	_, newest, _ := strings.Cut(read("prometheus.yml"), "\nglobal:")
	_, older, _ := strings.Cut(read("prometheus-2.yml"), "\nglobal:")
	if strings.Replace(newest, "    scrape_native_histograms: true\n", "", 1) != older {
		t.Error("prometheus.yml and prometheus-2.yml differ in more than scrape_native_histograms")
	}
}

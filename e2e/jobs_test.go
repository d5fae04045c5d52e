// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters"
)

const (
	jobProcesses = 200
	jobCalls     = 50
)

// jobDuration is how long a call of a process took: 1 ms to 10 s, evenly on a logarithmic scale.
func jobDuration(process, call int) time.Duration {
	n := process*jobCalls + call
	return time.Duration(float64(time.Millisecond) * math.Pow(10_000, float64(n)/(jobProcesses*jobCalls-1)))
}

// TestJobProcess is one process of TestShortLivedJobs.
func TestJobProcess(t *testing.T) {
	process, err := strconv.Atoi(os.Getenv("TOOLSCOPE_TEST_JOB"))
	if err != nil {
		t.Skip("only as a process of TestShortLivedJobs")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "jobs"})
	if err != nil {
		t.Fatal(err)
	}
	tracer, now := providers.TracerProvider.Tracer("jobs"), time.Now()
	for call := range jobCalls {
		_, span := tracer.Start(ctx, "execute_tool search", trace.WithTimestamp(now.Add(-jobDuration(process, call))),
			trace.WithAttributes(attribute.String("gen_ai.tool.name", "search")))
		if call == 0 {
			span.SetStatus(codes.Error, "it failed")
		}
		span.End(trace.WithTimestamp(now))
	}
	if err := providers.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestShortLivedJobs sends the spans of 200 processes, which end at once, to a collector with collector-jobs.yaml. The
// counts are exact, p99 is that of all calls within the width of a bucket, and each panel of toolscope-jobs.json has data.
func TestShortLivedJobs(t *testing.T) {
	binary := built("collector")
	if binary == "" {
		t.Skip("Jaeger's binary has a collector that is too old: make e2e-deploy builds one")
	}
	collector, spanmetrics, promAddress := freeAddress(t), freeAddress(t), freeAddress(t)
	deploy(t, binary, "collector.yaml collector-look.yaml collector-jobs.yaml", freeAddress(t), "OTLP_GRPC="+collector,
		"OTLP_HTTP="+freeAddress(t), "JAEGER="+freeAddress(t), "SPANMETRICS="+spanmetrics, "METRICS_EVERY=1s")
	prom := deployPrometheus(t, program(t, "prometheus"), promAddress, spanmetrics)
	queue := make(chan int)
	var wg sync.WaitGroup
	for range 4 { // at a time: the machine has few processors
		wg.Go(func() {
			for process := range queue {
				cmd := exec.Command(os.Args[0], "-test.run=^TestJobProcess$")
				cmd.Env = append(os.Environ(), "TOOLSCOPE_TEST_JOB="+strconv.Itoa(process), "OTEL_METRICS_EXPORTER=none",
					"OTEL_EXPORTER_OTLP_ENDPOINT=http://"+collector, "GOMAXPROCS=1")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("process %d: %v: %.500s", process, err, out)
				}
			}
		})
	}
	queries := make(map[string]string) // of the panels, to their titles
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	text, err := os.ReadFile(filepath.Join("../exporters/grafana", "toolscope-jobs.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	replace := strings.NewReplacer("$service", ".*", "$tool", ".*")
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			queries[hurry(replace.Replace(target.Expr))] = p.Title
		}
	}
	ask := func() {
		for query := range queries {
			if prom.found(query) {
				delete(queries, query)
			}
		}
	}
	for process := range jobProcesses {
		queue <- process
		if process%10 == 9 {
			ask()
		}
	}
	close(queue)
	wg.Wait()
	const calls = `span_metrics_calls_total{service_name="jobs", gen_ai_tool_name="search"}`
	waitFor(t, "the count of all calls", func() bool {
		ask()
		n, ok := prom.number("sum(" + calls + ")")
		return ok && n == jobProcesses*jobCalls
	})
	for query, title := range queries {
		t.Errorf("%s: no data: %s", title, query)
	}
	if n, _ := prom.number(`count(` + calls + `)`); n != 2 { // those that succeeded, and those that failed
		t.Errorf("got %v series, want 2: none for each process", n)
	}
	var all []time.Duration
	for process := range jobProcesses {
		for call := range jobCalls {
			all = append(all, jobDuration(process, call))
		}
	}
	slices.Sort(all)
	want := all[len(all)*99/100].Seconds()
	got, ok := prom.number(`histogram_quantile(0.99, sum(span_metrics_duration_seconds{service_name="jobs"}))`)
	t.Logf("p99: got %.3f s, want %.3f s (%+.1f %%)", got, want, 100*(got/want-1))
	if width := math.Exp2(1.0 / 8); !ok || got < want/width || got > want*width {
		t.Errorf("p99: got %v s (%v), want %v s within 9 %%", got, ok, want)
	}
}

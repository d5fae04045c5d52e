// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statsprom_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// record records one call.
func record(r *stats.Recorder, name string, run time.Duration, change func(e *toolkit.Ended)) {
	end := time.Now()
	e := toolkit.Ended{Call: toolkit.Call{Name: name}, Start: end.Add(-run), End: end, ArgumentsBytes: 10, ResultBytes: 20}
	e.Info.Tool = definitions[name]
	e.Disposition.Run = run
	if change != nil {
		change(&e)
	}
	f := e.Info
	r.Begin(context.Background(), e.Call, &f)
	r.End(context.Background(), &e)
}

const hostile = "a\x1b[31m\u202e\"\n"

var definitions = map[string]*toolkit.Definition{"read": {Name: "read"}, "bash": {Name: "bash", Cost: 0.5},
	hostile: {Name: hostile}}

func newRecorder(t *testing.T) *stats.Recorder {
	t.Helper()
	r, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

func gather(t *testing.T, r *stats.Recorder) map[string]*dto.MetricFamily {
	t.Helper()
	c, err := statsprom.NewCollector(r)
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]*dto.MetricFamily)
	for _, f := range families {
		byName[f.GetName()] = f
	}
	return byName
}

// value finds a metric by its labels, alternately name and value.
func value(t *testing.T, f *dto.MetricFamily, labels ...string) *dto.Metric {
	t.Helper()
	for _, m := range f.GetMetric() {
		found := 0
		for _, l := range m.GetLabel() {
			for i := 0; i < len(labels); i += 2 {
				if l.GetName() == labels[i] && l.GetValue() == labels[i+1] {
					found += 2
				}
			}
		}
		if found == len(labels) {
			return m
		}
	}
	t.Fatalf("%s: got no metric with %q", f.GetName(), labels)
	return nil
}

func TestCounters(t *testing.T) {
	r := newRecorder(t)
	for range 3 {
		record(r, "bash", time.Millisecond, nil)
	}
	record(r, "bash", time.Millisecond, func(e *toolkit.Ended) {
		e.ErrorType, e.Err, e.Disposition.Attempts = "timeout", errors.New("slow"), 3
		e.Disposition.Queue = time.Second
	})
	record(r, "bash", 0, func(e *toolkit.Ended) {
		e.Disposition.Outcome, e.Disposition.Tags = toolkit.OutcomeCacheHit, []toolkit.Tag{{Key: "cache", Value: "hit"}}
	})
	record(r, "bash", 0, func(e *toolkit.Ended) {
		e.Disposition.Outcome, e.ErrorType = toolkit.OutcomeRefused, "permission_denied"
	})
	f := gather(t, r)
	for _, c := range []struct {
		metric string
		labels []string
		want   float64
	}{
		{"toolscope_calls_total", []string{"tool", "bash", "outcome", "executed"}, 4},
		{"toolscope_calls_total", []string{"tool", "bash", "outcome", "cache_hit"}, 1},
		{"toolscope_calls_total", []string{"tool", "bash", "outcome", "refused"}, 1},
		{"toolscope_calls_total", []string{"tool", "bash", "outcome", "coalesced"}, 0},
		{"toolscope_errors_total", []string{"tool", "bash", "error_type", "timeout"}, 1},
		{"toolscope_errors_total", []string{"tool", "bash", "error_type", "permission_denied"}, 1},
		{"toolscope_waits_total", []string{"tool", "bash", "wait", "queue"}, 1},
		{"toolscope_arguments_bytes_total", []string{"tool", "bash"}, 60},
		{"toolscope_results_bytes_total", []string{"tool", "bash"}, 120},
		{"toolscope_retries_total", []string{"tool", "bash"}, 2},
		{"toolscope_cost_total", []string{"tool", "bash"}, 3},
		{"toolscope_policies_total", []string{"tool", "bash", "key", "cache", "value", "hit"}, 1},
	} {
		if got := value(t, f[c.metric], c.labels...).GetCounter().GetValue(); got != c.want {
			t.Errorf("%s%q: got %v, want %v", c.metric, c.labels, got, c.want)
		}
	}
	if got := value(t, f["toolscope_error_streak"], "tool", "bash").GetGauge().GetValue(); got != 1 {
		t.Errorf("error_streak: got %v, want 1", got)
	}
	if got := value(t, f["toolscope_wait_seconds_total"], "tool", "bash", "wait",
		"queue").GetCounter().GetValue(); math.Abs(got-1) > 0.01 {
		t.Errorf("wait_seconds_total: got %v, want 1 within 1 %%", got)
	}
	if f["toolscope_redactions_total"] != nil {
		t.Error("redactions_total is there without any redaction")
	}
}

// The p99 that histogram_quantile would compute is within a bucket of the recorder's.
func TestHistogram(t *testing.T) {
	r := newRecorder(t)
	const n = 10_000
	for i := range n {
		record(r, "read", time.Duration(i+1)*20*time.Microsecond, func(e *toolkit.Ended) {
			e.Info.Span = toolkit.SpanRef{TraceID: [16]byte{1, byte(i)}, SpanID: [8]byte{2}, Sampled: i%10 == 0}
		})
	}
	h := value(t, gather(t, r)["toolscope_run_seconds"], "tool", "read").GetHistogram()
	if h.GetSampleCount() != n {
		t.Errorf("count: got %d, want %d", h.GetSampleCount(), n)
	}
	if want := 20e-6 * n * (n + 1) / 2; math.Abs(h.GetSampleSum()/want-1) > 0.001 {
		t.Errorf("sum: got %v, want %v within 0.1 %%", h.GetSampleSum(), want)
	}
	if got, want := nativeQuantile(t, h, 0.99), 0.99*n*20e-6; math.Abs(got/want-1) > 0.045 {
		t.Errorf("p99 of the native buckets: got %v, want %v within a bucket, 4.4 %%", got, want)
	}
	before := uint64(0)
	exemplars := 0
	for _, b := range h.GetBucket() {
		if b.GetCumulativeCount() < before {
			t.Errorf("bucket up to %v: got %d, want at least the %d before", b.GetUpperBound(), b.GetCumulativeCount(), before)
		}
		want := min(n, b.GetUpperBound()/20e-6)
		if math.Abs(float64(b.GetCumulativeCount())-want) > 0.002*n {
			t.Errorf("bucket up to %v: got %d, want %v within 0.2 %%", b.GetUpperBound(), b.GetCumulativeCount(), want)
		}
		before = b.GetCumulativeCount()
		if e := b.GetExemplar(); e != nil {
			exemplars++
			if e.GetValue() > b.GetUpperBound() {
				t.Errorf("bucket up to %v: got an exemplar of %v", b.GetUpperBound(), e.GetValue())
			}
		}
	}
	if exemplars == 0 || len(h.GetExemplars()) == 0 {
		t.Errorf("got %d exemplars of classic buckets and %d of native ones, want some", exemplars, len(h.GetExemplars()))
	}
}

// nativeQuantile is the upper bound of the bucket that the quantile lies in.
func nativeQuantile(t *testing.T, h *dto.Histogram, q float64) float64 {
	t.Helper()
	rank := q * float64(h.GetSampleCount())
	sum, count, index, delta := float64(h.GetZeroCount()), int64(0), int32(0), 0
	for _, s := range h.GetPositiveSpan() {
		index += s.GetOffset()
		for range s.GetLength() {
			count += h.GetPositiveDelta()[delta]
			delta++
			if sum += float64(count); sum >= rank {
				return math.Pow(2, float64(index)/math.Pow(2, float64(h.GetSchema())))
			}
			index++
		}
	}
	t.Fatalf("the buckets hold %v values, want %v", sum, h.GetSampleCount())
	return 0
}

// Prometheus can count what happened before it asked for the first time.
func TestCreated(t *testing.T) {
	before := time.Now().Add(-time.Second) // the recorder's clock is not as fine
	r := newRecorder(t)
	made := time.Now()
	record(r, "read", time.Millisecond, nil)
	f := gather(t, r)
	for name, at := range map[string]time.Time{
		"counter":   value(t, f["toolscope_calls_total"], "tool", "read").GetCounter().GetCreatedTimestamp().AsTime(),
		"histogram": value(t, f["toolscope_run_seconds"], "tool", "read").GetHistogram().GetCreatedTimestamp().AsTime(),
	} {
		if at.Before(before) || at.After(made) {
			t.Errorf("%s: created %v, want the time that the recorder was made, %v to %v", name, at, before, made)
		}
	}
}

func TestHostileNames(t *testing.T) {
	r := newRecorder(t)
	record(r, hostile, time.Millisecond, nil)
	h, err := statsprom.NewHandler(r)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	if w.Code != 200 || !strings.Contains(string(body),
		`toolscope_calls_total{outcome="executed",tool="\"a\\x1b[31m\\u202e\\\"\\n\""} 1`) {
		t.Errorf("got %d:\n%s", w.Code, body)
	}
	if strings.ContainsAny(string(body), "\x1b\u202e") {
		t.Error("the answer holds what a terminal would act on")
	}
}

// ill is a component that reports.
type ill struct{}

func (ill) Components() []stats.Component {
	return []stats.Component{{Name: "spans to spool", Problems: []string{"bad"}, Figures: stats.Figures{{Name: "ended", Value: 7}}}}
}

func TestHealth(t *testing.T) {
	h, err := statsprom.WithHealth(ill{}, ill{})(newRecorder(t))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`toolscope_component{component="spans to spool",figure="ended"} 7`,
		`toolscope_component_problems{component="spans to spool"} 1`} {
		if body := w.Body.String(); !strings.Contains(body, want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
}

// Metrics with health that package statshttp serves have all that /healthz reports, also what another source panics over.
// Metrics without health do not.
func TestHealthOfTheHandler(t *testing.T) {
	twice := component{Name: "budget", Problems: []string{"the store is away"},
		Figures: stats.Figures{{Name: "store_errors", Value: 3}, {Name: "store_errors", Value: 4}}}
	for name, metrics := range map[string]func(*stats.Recorder) (http.Handler, error){
		"with": statsprom.WithHealth(ill{}), "without": statsprom.NewHandler,
	} {
		h, err := statshttp.NewHandler(newRecorder(t), statshttp.Options{Metrics: metrics,
			Health: []stats.HealthSource{ill{}, panicking{}, twice}, Open: true})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
		for _, want := range []string{`toolscope_component{component="spans to spool",figure="ended"} 7`,
			`toolscope_component{component="budget",figure="store_errors"} 3`, `toolscope_component_problems{component="budget"} 1`,
			`toolscope_component_problems{component="statsprom_test.panicking"} 1`} {
			if body := w.Body.String(); w.Code != 200 || strings.Contains(body, want) != (name == "with") {
				t.Errorf("%s: got %d, %s, want %s", name, w.Code, body, want)
			}
		}
	}
}

type component stats.Component

func (c component) Components() []stats.Component { return []stats.Component{stats.Component(c)} }

type panicking struct{}

func (panicking) Components() []stats.Component { panic("the application's source") }

func TestNoRecorder(t *testing.T) {
	if _, err := statsprom.NewHandler(nil); err == nil || !strings.Contains(err.Error(), "*stats.Recorder") {
		t.Errorf("got %v, want an error that names what is wanted", err)
	}
}

func TestEmptyRecorder(t *testing.T) {
	f := gather(t, newRecorder(t))
	if len(f) != 2 || f["toolscope_stats_bytes"] == nil {
		t.Errorf("got %d families, want those of the recorder itself only", len(f))
	}
}

func ExampleNewHandler() {
	recorder, err := stats.New(stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	handler, err := statshttp.NewHandler(recorder, statshttp.Options{Metrics: statsprom.NewHandler})
	fmt.Println(handler != nil, err)
	// Output: true <nil>
}

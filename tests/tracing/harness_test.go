// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"cmp"
	"context"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is an observer over the real SDK, with what it exported.
type harness struct {
	*tracing.Observer
	spans   *tracetest.SpanRecorder
	metrics *sdkmetric.ManualReader
}

func newHarness(t testing.TB, o tracing.Options) *harness {
	t.Helper()
	h := &harness{spans: tracetest.NewSpanRecorder(), metrics: sdkmetric.NewManualReader()}
	var err error
	if o.TracerProvider == nil {
		o.TracerProvider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(h.spans))
	}
	o.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(h.metrics))
	o.Content = cmp.Or(o.Content, tracing.ContentOn)
	h.Observer, err = tracing.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// one is the only ended span.
func (h *harness) one(t testing.TB) sdktrace.ReadOnlySpan {
	t.Helper()
	ended := h.spans.Ended()
	if len(ended) != 1 {
		t.Fatalf("got %d spans, want 1", len(ended))
	}
	return ended[0]
}

// points are the data points of one float histogram.
func (h *harness) points(t testing.TB, name string) []metricdata.HistogramDataPoint[float64] {
	t.Helper()
	histogram, _ := h.metric(t, name).(metricdata.Histogram[float64])
	return histogram.DataPoints
}

func (h *harness) counts(t testing.TB, name string) []metricdata.HistogramDataPoint[int64] {
	t.Helper()
	histogram, _ := h.metric(t, name).(metricdata.Histogram[int64])
	return histogram.DataPoints
}

func (h *harness) metric(t testing.TB, name string) metricdata.Aggregation {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := h.metrics.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == name {
				return m.Data
			}
		}
	}
	return nil
}

func attributes(list []attribute.KeyValue) map[string]string {
	m := make(map[string]string, len(list))
	for _, kv := range list {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

// registry holds one tool of each ending.
func registry(t testing.TB) *toolkit.Registry {
	t.Helper()
	r := new(toolkit.Registry)
	for name, handle := range map[string]toolkit.Handler{
		"echo": func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: string(c.Arguments)}, nil
		},
		"fails": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{}, errDisk
		},
		"panics": func(context.Context, toolkit.Call) (toolkit.Result, error) { panic(errDisk) },
		"waits": func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			<-ctx.Done()
			return toolkit.Result{}, ctx.Err()
		},
	} {
		if err := r.Register(toolkit.ToolFunc(toolkit.Definition{Name: name}, handle)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

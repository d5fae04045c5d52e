// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope/exporters"
)

// TestQuietByDefault: no endpoint, no goroutine, no complaint, no global; the spans
// are in the ring.
func TestQuietByDefault(t *testing.T) {
	told := complaints(t)
	tracers, meters, propagator := otel.GetTracerProvider(), otel.GetMeterProvider(), otel.GetTextMapPropagator()
	before := runtime.NumGoroutine()
	p := setup(t, exporters.Options{})
	id := record(p, "work")
	counter, err := p.MeterProvider.Meter("test").Int64Counter("n")
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(t.Context(), 1)
	noMoreGoroutines(t, before)
	if p.Endpoint != "" {
		t.Errorf("got endpoint %q, want none", p.Endpoint)
	}
	got, ok := p.Ring.Trace(id.String())
	if !ok || len(got.Spans) != 2 || got.Spans[0].Name() != "work" ||
		got.Spans[1].Parent().SpanID() != got.Spans[0].SpanContext().SpanID() {
		t.Errorf("got %+v, %v, want the root and its child", got, ok)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if otel.GetTracerProvider() != tracers || otel.GetMeterProvider() != meters || otel.GetTextMapPropagator() != propagator {
		t.Error("a global was set")
	}
	if got := told(); len(got) > 0 {
		t.Errorf("the error handler got %q, want nothing", got)
	}
}

func TestGlobals(t *testing.T) {
	tracers, meters, propagator := otel.GetTracerProvider(), otel.GetMeterProvider(), otel.GetTextMapPropagator()
	defer func() {
		otel.SetTracerProvider(tracers)
		otel.SetMeterProvider(meters)
		otel.SetTextMapPropagator(propagator)
	}()
	p := setup(t, exporters.Options{Globals: true})
	if otel.GetTracerProvider() != p.TracerProvider || otel.GetMeterProvider() != p.MeterProvider {
		t.Error("the globals are not the providers")
	}
	if got := strings.Join(otel.GetTextMapPropagator().Fields(), " "); !strings.Contains(got, "traceparent") ||
		!strings.Contains(got, "baggage") {
		t.Errorf("got a propagator of %q, want traceparent and baggage", got)
	}
}

func TestDisabled(t *testing.T) {
	t.Setenv("OTEL_SDK_DISABLED", "TRUE")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "not looked at")
	p := setup(t, exporters.Options{})
	record(p, "work")
	if got := p.Ring.Traces(); len(got) != 0 {
		t.Errorf("got %+v, want nothing recorded", got)
	}
	if err := p.Flush(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestResource(t *testing.T) {
	for _, c := range []struct {
		name       string
		env        map[string]string
		options    exporters.Options
		attributes map[string]string
	}{
		{"nothing", nil, exporters.Options{}, map[string]string{"service.name": "unknown_service:"}},
		{"options", nil, exporters.Options{ServiceName: "orders", ServiceVersion: "1.2.3",
			Attributes: []attribute.KeyValue{attribute.String("team", "a")}},
			map[string]string{"service.name": "orders", "service.version": "1.2.3", "team": "a"}},
		{"the environment wins",
			map[string]string{"OTEL_SERVICE_NAME": "deployed", "OTEL_RESOURCE_ATTRIBUTES": "service.version=9,team=b%20c"},
			exporters.Options{ServiceName: "orders", ServiceVersion: "1",
				Attributes: []attribute.KeyValue{attribute.String("team", "a")}},
			map[string]string{"service.name": "deployed", "service.version": "9", "team": "b c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			spans := tracetest.NewSpanRecorder()
			c.options.SpanProcessors = []sdktrace.SpanProcessor{spans}
			p := setup(t, c.options)
			record(p, "work")
			got := make(map[string]string)
			for _, kv := range spans.Ended()[0].Resource().Attributes() {
				got[string(kv.Key)] = kv.Value.String()
			}
			for k, want := range c.attributes {
				if !strings.HasPrefix(got[k], want) {
					t.Errorf("%s: got %q, want %q", k, got[k], want)
				}
			}
			for _, k := range []string{"host.name", "process.pid", "process.executable.name",
				"process.runtime.version", "service.instance.id", "telemetry.sdk.version"} {
				if got[k] == "" {
					t.Errorf("%s is missing", k)
				}
			}
			for _, k := range []string{"process.command", "process.command_args", "process.command_line",
				"process.owner", "process.executable.path"} {
				if v, ok := got[k]; ok {
					t.Errorf("%s is there: %q", k, v)
				}
			}
			if url := spans.Ended()[0].Resource().SchemaURL(); url == "" {
				t.Error("the resource has no schema URL: two were merged that differ")
			}
		})
	}
}

func TestSpanLimits(t *testing.T) {
	t.Setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1")
	t.Setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "3")
	p := setup(t, exporters.Options{})
	_, span := p.TracerProvider.Tracer("test").Start(t.Context(), "limited")
	span.SetAttributes(attribute.String("a", "long"), attribute.String("b", "more"))
	span.End()
	got, _ := p.Ring.Trace(span.SpanContext().TraceID().String())
	if a := got.Spans[0].Attributes(); len(a) != 1 || a[0].Value.AsString() != "lon" {
		t.Errorf("got %+v, want one attribute of 3 characters", a)
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		field   string
		options exporters.Options
	}{
		{"Consoles[1].Writer", exporters.Options{Consoles: []exporters.ConsoleOptions{{Writer: io.Discard}, {}}}},
		{"SpanProcessors[0]", exporters.Options{SpanProcessors: []sdktrace.SpanProcessor{nil}}},
		{"MetricReaders[0]", exporters.Options{MetricReaders: []sdkmetric.Reader{nil}}},
		{"SpoolDir", exporters.Options{Spool: exporters.SpoolOptions{WriteAhead: true}}},
	} {
		_, err := exporters.Setup(t.Context(), c.options)
		if err == nil || !strings.HasPrefix(err.Error(), "exporters: Options."+c.field+": got ") {
			t.Errorf("%s: got error %v, want one that names it", c.field, err)
		}
	}
	p := setup(t, exporters.Options{RingSpans: -1})
	record(p, "work")
	if _, ok := p.Ring.Trace("0123"); p.Ring != nil || len(p.Ring.Traces()) != 0 || ok ||
		p.Ring.State() != (exporters.RingState{}) {
		t.Error("RingSpans below 0: want a nil ring that reads as empty")
	}
	var none *exporters.Providers
	if none.Shutdown(t.Context()) != nil || none.Flush(t.Context()) != nil {
		t.Error("nil providers: want no error")
	}
}

func TestMetricReader(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	p := setup(t, exporters.Options{MetricReaders: []sdkmetric.Reader{reader}, ServiceName: "orders"})
	counter, err := p.MeterProvider.Meter("test").Int64Counter("n")
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(t.Context(), 3)
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.ScopeMetrics) != 1 {
		t.Errorf("got %+v, want the counter", got)
	}
}

// TestConsoleOption: the trees are drawn in the background, at the latest by Flush.
func TestConsoleOption(t *testing.T) {
	var out bytes.Buffer
	p := setup(t, exporters.Options{
		Consoles: []exporters.ConsoleOptions{{Writer: &out, Tree: exporters.TreeOptions{NoTimes: true}}},
	})
	id := record(p, "work")
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "trace " + id.String() + "\nwork\n└─ work/child\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestAfterShutdown: spans that were begun before and end after, and such that are
// begun after, do no harm.
func TestAfterShutdown(t *testing.T) {
	p := setup(t, exporters.Options{})
	ctx, early := p.TracerProvider.Tracer("test").Start(context.Background(), "early")
	if err := p.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := p.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	early.End()
	record(p, "late")
	if err := p.Flush(ctx); err != nil {
		t.Error(err)
	}
	if got := p.Ring.Traces(); len(got) != 0 {
		t.Errorf("got %+v, want nothing recorded after the shutdown", got)
	}
}

var _ sdktrace.SpanProcessor = (*exporters.Ring)(nil)

// TestAutoexport: what autoexport knows is its own to make, and ends with Shutdown.
func TestAutoexport(t *testing.T) {
	t.Setenv("OTEL_METRICS_EXPORTER", "prometheus")
	t.Setenv("OTEL_EXPORTER_PROMETHEUS_PORT", "0")
	p := setup(t, exporters.Options{})
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHostsProcessor: the application's processor is flushed and shut down once, whatever
// happens to the others.
func TestHostsProcessor(t *testing.T) {
	complaints(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+refused)
	host := new(counting)
	p := setup(t, exporters.Options{SpanProcessors: []sdktrace.SpanProcessor{host}})
	record(p, "work")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_ = p.Flush(ctx) // the spans are not taken
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _ = p.Shutdown(ctx), p.Shutdown(ctx)
	until(t, "a flush and a shutdown that began when their time was over",
		func() bool { return host.flushed.Load() > 0 && host.shut.Load() > 0 })
	if e, f, s := host.ended.Load(), host.flushed.Load(), host.shut.Load(); e != 2 || f != 1 || s != 1 {
		t.Errorf("got %d spans, %d flushes, %d shutdowns, want 2, 1 and 1", e, f, s)
	}
}

// counting is a processor that counts.
type counting struct{ ended, flushed, shut atomic.Int32 }

func (*counting) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (c *counting) OnEnd(sdktrace.ReadOnlySpan)                   { c.ended.Add(1) }
func (c *counting) ForceFlush(context.Context) error              { c.flushed.Add(1); return nil }
func (c *counting) Shutdown(context.Context) error                { c.shut.Add(1); return nil }

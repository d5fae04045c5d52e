// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
)

// restoreGlobals puts the globals back when the test ends.
func restoreGlobals(t *testing.T) {
	tracers, meters, loggers, propagator := otel.GetTracerProvider(), otel.GetMeterProvider(),
		otel.GetLoggerProvider(), otel.GetTextMapPropagator()
	t.Cleanup(func() {
		otel.SetTracerProvider(tracers)
		otel.SetMeterProvider(meters)
		if otel.GetLoggerProvider() != loggers { // it complains of being set to itself
			otel.SetLoggerProvider(loggers)
		}
		otel.SetTextMapPropagator(propagator)
	})
}

// TestHostsGlobals: what the host made global is used, and neither replaced nor shut down.
func TestHostsGlobals(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+refused) // nothing is made that could send there
	restoreGlobals(t)
	host := new(counting)
	reader := sdkmetric.NewManualReader()
	tracers, meters, loggers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(host)),
		sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), sdklog.NewLoggerProvider()
	carrier := &propagation.TraceContext{}
	otel.SetTracerProvider(tracers)
	otel.SetMeterProvider(meters)
	otel.SetLoggerProvider(loggers)
	otel.SetTextMapPropagator(carrier)

	p := setup(t, exporters.Options{Globals: true, Logs: true})
	if p.TracerProvider != tracers || p.MeterProvider != meters || p.LoggerProvider != loggers ||
		p.Propagator != propagation.TextMapPropagator(carrier) {
		t.Errorf("got %T, %T, %T, %T, want the application's own", p.TracerProvider, p.MeterProvider, p.LoggerProvider, p.Propagator)
	}
	scope, err := toolscope.New(toolscope.Options{}) // by default the global ones
	if err != nil {
		t.Fatal(err)
	}
	handle := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }, nil)
	_, _ = handle(t.Context(), toolkit.Call{Name: "x"})
	if err := p.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	if err := scope.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	record(p, "afterwards")
	if e, f, s := host.ended.Load(), host.flushed.Load(), host.shut.Load(); e != 3 || f != 0 || s != 0 {
		t.Errorf("the application's processor: got %d spans, %d flushes, %d shutdowns, want 3, 0 and 0", e, f, s)
	}
	if otel.GetTracerProvider() != tracers || otel.GetMeterProvider() != meters ||
		otel.GetLoggerProvider() != loggers || otel.GetTextMapPropagator() != propagation.TextMapPropagator(carrier) {
		t.Error("a global provider of the application was replaced")
	}
}

// TestHostHasOne: what the host lacks is built beside what it has.
func TestHostHasOne(t *testing.T) {
	restoreGlobals(t)
	tracers := sdktrace.NewTracerProvider()
	otel.SetTracerProvider(tracers)
	p := setup(t, exporters.Options{Globals: true})
	if p.TracerProvider != tracers || p.Ring != nil {
		t.Errorf("got %T and a ring %v, want the application's tracers and no ring", p.TracerProvider, p.Ring)
	}
	if _, ok := p.MeterProvider.(*sdkmetric.MeterProvider); !ok || otel.GetMeterProvider() != p.MeterProvider {
		t.Errorf("got %T, want meters of our own, made global", p.MeterProvider)
	}
}

// TestGlobalsAgain: providers that an earlier Setup made global are not the application's.
func TestGlobalsAgain(t *testing.T) {
	restoreGlobals(t)
	first := setup(t, exporters.Options{Globals: true, Logs: true})
	if err := first.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_PROPAGATORS", "b3")
	second := setup(t, exporters.Options{Globals: true, Logs: true})
	record(second, "work")
	if second.TracerProvider == first.TracerProvider || second.MeterProvider == first.MeterProvider ||
		second.LoggerProvider == first.LoggerProvider || second.Ring.State().Spans != 2 {
		t.Error("got the providers of the first, which was shut down")
	}
	if got := otel.GetTextMapPropagator().Fields(); len(got) != 1 || got[0] != "b3" {
		t.Errorf("got a propagator of %q, want b3", got)
	}
}

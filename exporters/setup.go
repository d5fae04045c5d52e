// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

// Providers is what [Setup] built. It is safe for concurrent use; a nil one flushes and
// shuts down without error.
type Providers struct {
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	Propagator     propagation.TextMapPropagator
	// Ring holds the latest spans of this process; nil, which reads as empty, if it was
	// turned off or OTEL_SDK_DISABLED is true.
	Ring *Ring
	// Endpoint is where traces are sent over OTLP, as the environment names it, without
	// user and password; "" if they are not.
	Endpoint string

	tracers   *sdktrace.TracerProvider
	meters    *sdkmetric.MeterProvider
	pipelines []*pipeline
	processes []sdktrace.SpanProcessor // all of them
	batchers  []sdktrace.SpanProcessor // those of the pipelines
	idle      []func()                 // closes connections kept for later

	closing  sync.Once
	closed   chan struct{}
	closeErr error
}

// Setup builds providers from the OTEL_* environment and the options; the
// environment wins. It dials nothing itself: what is configured connects when there
// is something to send. On an error nothing is left running, and no global is set.
func Setup(ctx context.Context, options ...Option) (*Providers, error) {
	c, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	disabled, err := checkBool("OTEL_SDK_DISABLED")
	if err != nil {
		return nil, err
	}
	if !disabled {
		if err := checkEnvironment(); err != nil {
			return nil, err
		}
	}
	p := &Providers{closed: make(chan struct{})}
	if p.Propagator, err = propagator(c.propagator); err != nil {
		return nil, err
	}
	if disabled {
		p.TracerProvider, p.MeterProvider = tracenoop.NewTracerProvider(), metricnoop.NewMeterProvider()
	} else if err := p.build(ctx, c); err != nil {
		return nil, err
	}
	if c.globals {
		otel.SetTracerProvider(p.TracerProvider)
		otel.SetMeterProvider(p.MeterProvider)
		otel.SetTextMapPropagator(p.Propagator)
	}
	return p, nil
}

// build makes what can fail first, so that nothing runs when it does.
func (p *Providers) build(ctx context.Context, c *config) error {
	res, err := newResource(ctx, c)
	if err != nil {
		return err
	}
	var reader sdkmetric.Reader
	spans, err := p.spanExporters(ctx)
	if err == nil {
		reader, err = p.metricReader(ctx)
	}
	if err != nil {
		for _, e := range spans {
			_ = e.Shutdown(ctx) // it has sent nothing
		}
		return err
	}
	p.buildTracers(c, res, spans)
	p.buildMeters(c, res, reader)
	return nil
}

// consoleDelay is how long a finished trace may wait to be drawn.
const consoleDelay = 200 * time.Millisecond

func (p *Providers) buildTracers(c *config, res *resource.Resource, exporters []sdktrace.SpanExporter) {
	if c.ring > 0 {
		p.Ring = NewRing(c.ring)
		p.processes = append(p.processes, p.Ring)
	}
	p.processes = append(p.processes, c.processors...)
	add := func(e sdktrace.SpanExporter, o BatchOptions) {
		line := newPipeline(e)
		p.pipelines = append(p.pipelines, line)
		p.batchers = append(p.batchers, NewBatcher(line, o))
	}
	for _, console := range c.consoles {
		add(console, BatchOptions{Delay: consoleDelay})
	}
	for _, e := range exporters {
		if console, ok := e.(*Console); ok {
			add(console, BatchOptions{Delay: consoleDelay})
			continue
		}
		add(e, BatchOptions{})
	}
	p.processes = append(p.processes, p.batchers...)
	options := []sdktrace.TracerProviderOption{sdktrace.WithResource(res)}
	for _, process := range p.processes {
		options = append(options, sdktrace.WithSpanProcessor(process))
	}
	p.tracers = sdktrace.NewTracerProvider(options...)
	p.TracerProvider = p.tracers
}

func (p *Providers) buildMeters(c *config, res *resource.Resource, reader sdkmetric.Reader) {
	options := []sdkmetric.Option{sdkmetric.WithResource(res)}
	if reader != nil {
		options = append(options, sdkmetric.WithReader(reader))
	}
	for _, r := range c.readers {
		options = append(options, sdkmetric.WithReader(r))
	}
	p.meters = sdkmetric.NewMeterProvider(options...)
	p.MeterProvider = p.meters
}

// propagator is the one given, else the one that OTEL_PROPAGATORS lists.
func propagator(given propagation.TextMapPropagator) (propagation.TextMapPropagator, error) {
	if given != nil {
		return given, nil
	}
	const name = "OTEL_PROPAGATORS"
	list := strings.TrimSpace(os.Getenv(name))
	if list == "" {
		list = "tracecontext,baggage"
	}
	var all []propagation.TextMapPropagator
	for word := range strings.SplitSeq(list, ",") {
		switch strings.TrimSpace(word) {
		case "tracecontext":
			all = append(all, propagation.TraceContext{})
		case "baggage":
			all = append(all, propagation.Baggage{})
		case "none":
		default:
			return nil, wrong(name, word, "a list of tracecontext, baggage, none; WithPropagator takes any other")
		}
	}
	return propagation.NewCompositeTextMapPropagator(all...), nil
}

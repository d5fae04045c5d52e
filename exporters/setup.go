// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/propagators/autoprop"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/exporters/internal/batch"
	"github.com/toolscope/toolscope/exporters/internal/dialect"
	"github.com/toolscope/toolscope/exporters/internal/guard"
	"github.com/toolscope/toolscope/exporters/internal/spool"
	"github.com/toolscope/toolscope/exporters/internal/tailsample"
	"github.com/toolscope/toolscope/exporters/internal/tree"
	"github.com/toolscope/toolscope/exporters/scrub"
)

// Setup builds providers from the OTEL_* environment and the options; the
// environment wins. Where OTEL_CONFIG_FILE names a file of OpenTelemetry's declarative
// configuration, the file says everything, and other variables count only where it
// names them. It dials nothing itself: what is configured connects when there
// is something to send. On an error nothing is left running, and no global is set.
func Setup(ctx context.Context, options Options) (*Providers, error) {
	return setUp(ctx, options, new(Providers))
}

// setUp builds what p has not.
func setUp(ctx context.Context, options Options, p *Providers) (*Providers, error) {
	o, err := options.checked()
	if err != nil {
		return nil, err
	}
	if file := get(formerConfigFile); file != "" {
		return nil, wrong(formerConfigFile, file, "it unset: its name is "+configFile+" now")
	}
	p.closed = make(chan struct{})
	if o.Globals {
		p.adoptGlobals()
	}
	if file := get(configFile); file != "" {
		err = p.fromFile(ctx, o, file)
	} else {
		err = p.fromEnvironment(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	if o.Globals {
		p.setGlobals()
	}
	return p, nil
}

// fromEnvironment builds what the host has not.
func (p *Providers) fromEnvironment(ctx context.Context, o *Options) error {
	disabled, err := checkBool("OTEL_SDK_DISABLED")
	if err != nil {
		return err
	}
	if !disabled {
		if err := checkEnvironment(); err != nil {
			return err
		}
	}
	if p.Propagator == nil {
		if p.Propagator, err = propagator(o.Propagator); err != nil {
			return err
		}
	}
	if !disabled {
		return p.build(ctx, o)
	}
	if p.TracerProvider == nil {
		p.TracerProvider = tracenoop.NewTracerProvider()
	}
	if p.MeterProvider == nil {
		p.MeterProvider = metricnoop.NewMeterProvider()
	}
	return nil
}

// build makes what can fail first, so that nothing runs when it does.
func (p *Providers) build(ctx context.Context, o *Options) error {
	res, err := newResource(ctx, o)
	if err != nil {
		return err
	}
	behind := &fan{}
	if p.TracerProvider == nil {
		if err := p.addSampler(o, behind); err != nil {
			return err
		}
	}
	var spans []sdktrace.SpanExporter
	var reader sdkmetric.Reader
	var logs sdklog.Exporter
	if p.TracerProvider == nil {
		destinations := append([]destination{(*Providers).environmentExporters}, added...)
		if spans, err = p.makeExporters(ctx, o, destinations...); err != nil {
			return err
		}
	}
	if p.MeterProvider == nil {
		reader, err = p.metricReader(ctx)
	}
	if err == nil && p.LoggerProvider == nil && o.Logs {
		if logs, err = p.logExporter(ctx); err != nil && reader != nil {
			_ = reader.Shutdown(ctx)
		}
	}
	if err != nil {
		shutAll(ctx, spans)
		return err
	}
	if p.LoggerProvider == nil && o.Logs {
		p.buildLogger(res, logs)
	}
	if p.TracerProvider == nil {
		options := []sdktrace.TracerProviderOption{sdktrace.WithResource(res)}
		if p.sampler != nil && get("OTEL_TRACES_SAMPLER") == "" {
			options = append(options, sdktrace.WithSampler(tailsample.Head()))
		}
		p.buildTracers(o, spans, behind, options...)
	}
	if p.MeterProvider == nil {
		p.buildMeters(o, res, reader)
	}
	if err := p.observe(o); err != nil {
		return errors.Join(err, p.Shutdown(ctx))
	}
	return nil
}

// consoleDelay is how long a finished trace may wait to be drawn.
const consoleDelay = 200 * time.Millisecond

// addSampler makes the tail sampler, if the options ask for it.
func (p *Providers) addSampler(o *Options, behind *fan) (err error) {
	if o.TailSampling == nil {
		return nil
	}
	if p.sampler, err = tailsample.New(behind, tailsample.Options(*o.TailSampling)); err != nil {
		return fmt.Errorf("exporters: Options.TailSampling: %w", err)
	}
	return nil
}

func (p *Providers) buildTracers(o *Options, exporters []sdktrace.SpanExporter, behind *fan,
	options ...sdktrace.TracerProviderOption) {
	for _, process := range p.connect(o, exporters, behind) {
		options = append(options, sdktrace.WithSpanProcessor(process))
	}
	p.tracers = sdktrace.NewTracerProvider(options...)
	p.TracerProvider = p.tracers
}

// connect makes the span processors: the sampler, if there is one, is in front of what sends
// spans. The ring, the application's processors and the consoles see every span.
func (p *Providers) connect(o *Options, exporters []sdktrace.SpanExporter, behind *fan) []sdktrace.SpanProcessor {
	if o.RingSpans > 0 {
		p.Ring = NewRing(o.RingSpans)
		if !o.NoScrub {
			p.Ring.scrub = scrub.New(nil, o.Redactor)
		}
		p.processes = append(p.processes, p.Ring)
	}
	p.processes = append(p.processes, o.SpanProcessors...)
	if o.Events != (Events{}) {
		p.processes = append(p.processes, o.Events.Processor(p.LoggerProvider))
	}
	p.front = slices.Clone(p.processes)
	addConsole := func(c *tree.Console) {
		p.front = append(p.front, p.addOutlet(o, c, "console", nil, batch.Options{Delay: consoleDelay}))
	}
	for _, c := range o.Consoles {
		addConsole(tree.NewConsole(c.Writer, tree.Options(c.Tree)))
	}
	for _, e := range exporters {
		if console, ok := e.(*tree.Console); ok {
			addConsole(console)
			continue
		}
		guarded, err := guard.New(e, guard.Limits(o.Guard))
		if err != nil {
			panic("exporters: Options.checked did not refuse its limits: " + err.Error())
		}
		batcher := p.addOutlet(o, dialect.New(guarded, o.Dialects), nameOf(e), guarded, p.batching(o, e))
		if s, ok := e.(*spool.Spool); ok {
			s.SetPressed(batcher.Pressed)
		}
		behind.to = append(behind.to, batcher)
	}
	if p.sampler != nil {
		p.front = append(p.front, p.sampler)
	} else {
		p.front = append(p.front, behind.to...)
	}
	return p.front
}

// spoolName is what goes to a spool is called.
const spoolName = "spool"

// nameOf says what an exporter is.
func nameOf(e sdktrace.SpanExporter) string {
	switch e := e.(type) {
	case *watch:
		return e.name
	case *spool.Spool:
		return spoolName
	}
	return fmt.Sprintf("%T", e)
}

func (p *Providers) buildMeters(o *Options, res *resource.Resource, reader sdkmetric.Reader) {
	options := []sdkmetric.Option{sdkmetric.WithResource(res)}
	if reader != nil {
		options = append(append(options, sdkmetric.WithReader(reader)), exponentialDurations(o)...)
	}
	for _, r := range o.MetricReaders {
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
	list := cmp.Or(get(name), "tracecontext,baggage")
	var all []propagation.TextMapPropagator
	for word := range strings.SplitSeq(list, ",") {
		one, err := autoprop.TextMapPropagator(strings.TrimSpace(word))
		if err != nil {
			return nil, wrong(name, word, "a list of tracecontext, baggage, b3, b3multi, jaeger, ottrace, xray, "+
				"none, or names registered with autoprop; Options.Propagator takes any other")
		}
		all = append(all, one)
	}
	return propagation.NewCompositeTextMapPropagator(all...), nil
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/contrib/otelconf"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// configFile names a file of OpenTelemetry's declarative configuration
// (https://opentelemetry.io/docs/languages/sdk-configuration/declarative-configuration/).
const (
	configFile       = "OTEL_CONFIG_FILE"
	formerConfigFile = "OTEL_EXPERIMENTAL_CONFIG_FILE"
)

// fromFile builds what the file describes, by way of OpenTelemetry's own package, which reads
// the variable itself. As the specification says, nothing else counts: no other variable
// and no option about service, propagator or limits. The ring, processors, readers, consoles and JSON
// lines that options add are added. What would have to stand between the file's providers and
// its exporters is refused.
func (p *Providers) fromFile(ctx context.Context, o *Options, path string) error {
	for _, option := range []struct {
		name string
		set  bool
	}{{"TailSampling", o.TailSampling != nil}, {"SpoolDir", o.SpoolDir != ""}, {"Guard", o.Guard != Limits{}},
		{"Dialects (or " + dialectsVariable + ")", len(o.Dialects) > 0},
		{"Events", o.Events != Events{}}} {
		if option.set {
			return fmt.Errorf("exporters: Options.%s: got it with %s, want one of them: it cannot stand before the "+
				"exporters of a file. Unset %s and say with OTEL_EXPORTER_OTLP_ENDPOINT where traces go, or make the "+
				"tracer provider yourself with Providers.SpanProcessor", option.name, configFile, configFile)
		}
	}
	exporters, err := p.makeExporters(ctx, o, added...)
	if err != nil {
		return err
	}
	options := []otelconf.ConfigurationOption{otelconf.WithContext(ctx)}
	var tracers []sdktrace.TracerProviderOption
	for _, process := range p.connect(o, exporters, &fan{}) {
		tracers = append(tracers, sdktrace.WithSpanProcessor(process))
	}
	var readers []sdkmetric.Option
	for _, r := range o.MetricReaders {
		readers = append(readers, sdkmetric.WithReader(r))
	}
	sdk, err := otelconf.NewSDK(
		append(options, otelconf.WithTracerProviderOptions(tracers...), otelconf.WithMeterProviderOptions(readers...))...)
	if err != nil {
		shutAll(ctx, exporters)
		return fmt.Errorf("exporters: %s: %s: %w", configFile, path, withoutName(err, path))
	}
	p.fromConfigFile = true
	return p.adoptFile(ctx, o, &sdk)
}

// adoptFile takes the file's providers, but for those in whose place the host has its own: they
// are shut down, since they have recorded nothing.
func (p *Providers) adoptFile(ctx context.Context, o *Options, sdk *otelconf.SDK) error {
	var errs []error
	if tracers, _ := sdk.TracerProvider().(*sdktrace.TracerProvider); p.TracerProvider == nil {
		p.TracerProvider, p.tracers = sdk.TracerProvider(), tracers
	} else if tracers != nil {
		errs = append(errs, tracers.Shutdown(ctx))
	}
	if meters, _ := sdk.MeterProvider().(*sdkmetric.MeterProvider); p.MeterProvider == nil {
		p.MeterProvider, p.meters = sdk.MeterProvider(), meters
	} else if meters != nil {
		errs = append(errs, meters.Shutdown(ctx))
	}
	if loggers, _ := sdk.LoggerProvider().(*sdklog.LoggerProvider); p.LoggerProvider == nil && o.Logs {
		p.LoggerProvider, p.loggers = sdk.LoggerProvider(), loggers
	} else if loggers != nil {
		errs = append(errs, loggers.Shutdown(ctx))
	}
	if p.Propagator == nil {
		p.Propagator = sdk.Propagator()
	}
	if err := errors.Join(append(errs, p.observe(o))...); err != nil {
		return errors.Join(err, p.Shutdown(ctx))
	}
	return nil
}

// withoutName is an error of opening a file without the file's name, which the caller tells.
func withoutName(err error, path string) error {
	if r := reason(err); r != err && strings.Contains(err.Error(), path) {
		return r
	}
	return err
}

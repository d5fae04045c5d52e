// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/contrib/otelconf"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/otelfile"
	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

// configFile names a file of OpenTelemetry's declarative configuration
// (https://opentelemetry.io/docs/languages/sdk-configuration/declarative-configuration/).
const (
	configFile       = "OTEL_CONFIG_FILE"
	formerConfigFile = "OTEL_EXPERIMENTAL_CONFIG_FILE"
)

// fromFile builds what the file describes. As the specification says, nothing else counts: no other variable
// and no option about service, propagator or limits. OpenTelemetry's own package, which reads the variable
// itself, checks the file, and builds meters, loggers and propagator. Its tracer provider has no place in front
// of the exporters, so that one of the same description is made here: options add to it what they add without
// a file.
func (p *Providers) fromFile(ctx context.Context, o *Options, path string) error {
	wrong := func(err error) error {
		if strings.Contains(err.Error(), "headers_list") { // it would quote the value
			err = errors.New("headers_list: want a list such as a=1,b=2 (it is not shown, since it may be a secret)")
		}
		return fmt.Errorf("exporters: %s: %s: %w", configFile, path, withoutName(err, path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return wrong(err)
	}
	file, err := otelconf.ParseYAML(text)
	if err != nil {
		return wrong(err)
	}
	var readers []sdkmetric.Option
	for _, r := range o.MetricReaders {
		readers = append(readers, sdkmetric.WithReader(r))
	}
	sdk, err := otelconf.NewSDK(otelconf.WithContext(ctx), otelconf.WithMeterProviderOptions(readers...))
	if err != nil {
		return wrong(err)
	}
	if err = p.adoptFile(ctx, o, &sdk); err == nil && p.TracerProvider == nil {
		err = p.declaredTracers(ctx, o, file)
	}
	if err == nil {
		err = p.observe(o)
	}
	if err != nil {
		return errors.Join(err, p.Shutdown(ctx))
	}
	return nil
}

// adoptFile takes the file's providers, but for those in whose place the host has its own, and that of traces: they
// are shut down, since they have recorded nothing.
func (p *Providers) adoptFile(ctx context.Context, o *Options, sdk *otelconf.SDK) error {
	var errs []error
	if tracers, ok := sdk.TracerProvider().(*sdktrace.TracerProvider); ok {
		errs = append(errs, tracers.Shutdown(ctx))
	} else if p.TracerProvider == nil {
		p.TracerProvider = sdk.TracerProvider() // it records nothing
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
	return errors.Join(errs...)
}

// declaredTracers builds the tracer provider that the file describes. A sampler of the file decides before the
// tail sampler.
func (p *Providers) declaredTracers(ctx context.Context, o *Options, file *otelconf.OpenTelemetryConfiguration) error {
	res, err := otelfile.Resource(ctx, file.Resource)
	if err != nil {
		return fmt.Errorf("exporters: %s: resource: %w", configFile, err)
	}
	declared := file.TracerProvider
	sampler, err := otelfile.Sampler(declared.Sampler)
	if err != nil {
		return fmt.Errorf("exporters: %s: %w", configFile, err)
	}
	if o.TailSampling != nil && declared.Sampler == nil {
		sampler = tailsample.Head()
	}
	behind := &fan{}
	if err := p.addSampler(o, behind); err != nil {
		return err
	}
	exporters, err := p.makeExporters(ctx, o, append([]destination{declaredExporters(declared.Processors)}, added...)...)
	if err != nil {
		return err
	}
	p.buildTracers(o, exporters, behind, sdktrace.WithResource(res), sdktrace.WithSampler(sampler),
		sdktrace.WithRawSpanLimits(otelfile.Limits(declared.Limits)))
	return nil
}

// withoutName is an error of opening a file without the file's name, which the caller tells.
func withoutName(err error, path string) error {
	if r := reason(err); r != err && strings.Contains(err.Error(), path) {
		return r
	}
	return err
}

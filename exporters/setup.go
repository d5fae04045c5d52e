// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

// Providers is what [Setup] built. A nil *Providers shuts down without error.
type Providers struct {
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Propagator is W3C trace context and baggage.
	Propagator propagation.TextMapPropagator
	// Ring holds the last traces of this process; nil if it was turned off or
	// OTEL_SDK_DISABLED is true.
	Ring *Ring
	// Endpoint is where traces are sent, as the environment names it; "" if they
	// stay in the process.
	Endpoint string

	once     sync.Once
	closers  []func(context.Context) error
	closeErr error
}

// Shutdown sends what is left and closes the exporters, within ctx's deadline. It
// may be called more than once, and by several at once.
func (p *Providers) Shutdown(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		for _, c := range slices.Backward(p.closers) {
			p.closeErr = errors.Join(p.closeErr, c(ctx))
		}
	})
	return p.closeErr
}

// An Option sets something of [Setup]. Nil options are passed over.
type Option func(*config) error

type config struct {
	service, version string
	globals          bool
	ringSpans        int
	processors       []sdktrace.SpanProcessor
	readers          []sdkmetric.Reader
}

// WithServiceName sets service.name where OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES do not. The default is "toolscope".
func WithServiceName(name string) Option {
	return func(c *config) error {
		if name == "" {
			return errors.New(`exporters: WithServiceName: got "", want a name`)
		}
		c.service = name
		return nil
	}
}

// WithServiceVersion sets service.version; the default is none.
func WithServiceVersion(version string) Option {
	return func(c *config) error { c.version = version; return nil }
}

// WithGlobals makes the providers and the propagator OpenTelemetry's global ones. The
// default leaves the globals alone.
func WithGlobals() Option { return func(c *config) error { c.globals = true; return nil } }

// WithRing sets how many spans the ring keeps; 0 makes none. The default is 4096.
func WithRing(spans int) Option {
	return func(c *config) error {
		if spans < 0 {
			return fmt.Errorf("exporters: WithRing: got %d, want 0 or more spans", spans)
		}
		c.ringSpans = spans
		return nil
	}
}

// WithSpanProcessor adds a span processor. The default adds none.
func WithSpanProcessor(p sdktrace.SpanProcessor) Option {
	return func(c *config) error {
		if p == nil {
			return errors.New("exporters: WithSpanProcessor: got nil, want a processor")
		}
		c.processors = append(c.processors, p)
		return nil
	}
}

// WithMetricReader adds a metric reader. The default adds none.
func WithMetricReader(r sdkmetric.Reader) Option {
	return func(c *config) error {
		if r == nil {
			return errors.New("exporters: WithMetricReader: got nil, want a reader")
		}
		c.readers = append(c.readers, r)
		return nil
	}
}

// Setup builds providers from options and the standard OTEL_* environment. An error
// names the option or variable that is wrong, what it got and what it wants; then
// nothing is left running.
func Setup(ctx context.Context, options ...Option) (*Providers, error) {
	c := &config{service: "toolscope", ringSpans: 4096}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(c); err != nil {
			return nil, err
		}
	}
	p := &Providers{
		TracerProvider: tracenoop.NewTracerProvider(),
		MeterProvider:  metricnoop.NewMeterProvider(),
		Propagator:     propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}),
	}
	if !strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		if err := p.build(ctx, c); err != nil {
			return nil, errors.Join(err, p.Shutdown(ctx))
		}
	}
	if c.globals {
		otel.SetTracerProvider(p.TracerProvider)
		otel.SetMeterProvider(p.MeterProvider)
		otel.SetTextMapPropagator(p.Propagator)
	}
	return p, nil
}

func (p *Providers) build(ctx context.Context, c *config) error {
	if err := checkEnvironment(); err != nil {
		return err
	}
	res, err := newResource(ctx, c)
	if err != nil {
		return fmt.Errorf("exporters: resource: %w", err)
	}
	spans := []sdktrace.TracerProviderOption{sdktrace.WithResource(res)}
	for _, sp := range c.processors {
		spans = append(spans, sdktrace.WithSpanProcessor(sp))
	}
	if c.ringSpans > 0 {
		p.Ring = NewRing(c.ringSpans)
		spans = append(spans, sdktrace.WithSpanProcessor(p.Ring))
	}
	exporter, endpoint, err := spanExporter(ctx)
	if err != nil {
		return fmt.Errorf("exporters: traces: %w", err)
	}
	if exporter != nil {
		p.Endpoint = endpoint
		spans = append(spans, sdktrace.WithBatcher(exporter))
	}
	tracers := sdktrace.NewTracerProvider(spans...)
	p.TracerProvider = tracers
	p.closers = append(p.closers, tracers.Shutdown)

	metrics := []sdkmetric.Option{sdkmetric.WithResource(res)}
	reader, err := metricReader(ctx)
	if err != nil {
		return fmt.Errorf("exporters: metrics: %w", err)
	}
	if reader != nil {
		c.readers = append(c.readers, reader)
	}
	for _, r := range c.readers {
		metrics = append(metrics, sdkmetric.WithReader(r))
	}
	if len(c.readers) > 0 {
		meters := sdkmetric.NewMeterProvider(metrics...)
		p.MeterProvider = meters
		p.closers = append(p.closers, meters.Shutdown)
	}
	return nil
}

// newResource tells who the process is. Its command line is left out: it may hold
// secrets. What the environment says wins.
func newResource(ctx context.Context, c *config) (*resource.Resource, error) {
	own := []attribute.KeyValue{attribute.String("service.name", c.service)}
	if c.version != "" {
		own = append(own, attribute.String("service.version", c.version))
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(own...),
		resource.WithTelemetrySDK(),
		resource.WithHost(),
		resource.WithProcessPID(),
		resource.WithProcessExecutableName(),
		resource.WithProcessRuntimeName(),
		resource.WithProcessRuntimeVersion(),
		resource.WithFromEnv(),
	)
	if errors.Is(err, resource.ErrPartialResource) {
		return res, nil // what could be found is enough
	}
	return res, err
}

// The values of the variables that we look at ourselves, since the SDK or
// autoexport would only log what is wrong.
var allowed = []struct {
	variable string
	values   []string
}{
	{"OTEL_TRACES_EXPORTER", []string{"otlp", "console", "none"}},
	{"OTEL_METRICS_EXPORTER", []string{"otlp", "prometheus", "console", "none"}},
	{"OTEL_EXPORTER_OTLP_PROTOCOL", []string{"grpc", "http/protobuf"}},
	{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", []string{"grpc", "http/protobuf"}},
	{"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", []string{"grpc", "http/protobuf"}},
	{"OTEL_TRACES_SAMPLER", []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"}},
}

func checkEnvironment() error {
	for _, a := range allowed {
		if v := os.Getenv(a.variable); v != "" && !slices.Contains(a.values, v) {
			return fmt.Errorf("exporters: %s: got %.60q, want one of %s", a.variable, v, strings.Join(a.values, ", "))
		}
	}
	return nil
}

// either is the first of two variables that is set.
func either(specific, general string) string {
	if v := os.Getenv(specific); v != "" {
		return v
	}
	return os.Getenv(general)
}

// spanExporter is nil if the environment does not ask for one.
func spanExporter(ctx context.Context) (sdktrace.SpanExporter, string, error) {
	name := os.Getenv("OTEL_TRACES_EXPORTER")
	endpoint := either("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	switch {
	case name == "none", name == "" && endpoint == "":
		return nil, "", nil
	case name == "console":
		exporter, err := autoexport.NewSpanExporter(ctx)
		return exporter, "", err
	}
	if endpoint == "" {
		endpoint = "http://localhost:4317" // the exporters' own default
	}
	if either("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL") == "" {
		exporter, err := otlptracegrpc.New(ctx)
		return exporter, endpoint, err
	}
	exporter, err := autoexport.NewSpanExporter(ctx)
	return exporter, endpoint, err
}

// metricReader is nil if the environment does not ask for one.
func metricReader(ctx context.Context) (sdkmetric.Reader, error) {
	name := os.Getenv("OTEL_METRICS_EXPORTER")
	switch {
	case name == "none", name == "" && os.Getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") == "":
		return nil, nil
	case name == "prometheus", name == "console", either("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL") != "":
		return autoexport.NewMetricReader(ctx)
	}
	exporter, err := otlpmetricgrpc.New(ctx)
	if err != nil {
		return nil, err
	}
	return sdkmetric.NewPeriodicReader(exporter), nil
}

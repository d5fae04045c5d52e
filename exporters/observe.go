// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"os"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/runtime"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/otelconv"
)

// scopeName is the name of the instrumentation scope of the metrics about exporting.
const scopeName = "github.com/toolscope/toolscope/exporters"

// batcherType is otel.component.type of our batcher. The conventions' own value for a
// batching processor is the SDK's.
const batcherType = scopeName + ".Batcher"

// Values of error.type that the conventions ask for.
const (
	queueFull       = "queue_full"
	alreadyShutdown = "already_shutdown"
)

// component are the attributes of a component.
func component(kind, name string) []attribute.KeyValue {
	return []attribute.KeyValue{semconv.OTelComponentTypeKey.String(kind), semconv.OTelComponentName(name)}
}

// withErrorType is base with error.type, unless that is "".
func withErrorType(base []attribute.KeyValue, kind string) []attribute.KeyValue {
	if kind == "" {
		return base
	}
	return append(base[:len(base):len(base)], semconv.ErrorTypeKey.String(kind))
}

// sdkObserves reports whether the OTLP exporters tell these metrics themselves.
func sdkObserves() bool { return strings.EqualFold(os.Getenv("OTEL_GO_X_OBSERVABILITY"), "true") }

// instruments are those that are asked for their values.
type instruments struct {
	queue, capacity, inflight metric.Int64Observable
	processed, exported       metric.Int64Observable
	sampled, held             metric.Int64Observable
	mended                    metric.Int64Observable
}

// durationBounds are the buckets of an export's duration, in seconds.
var durationBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// observe makes the metrics about exporting: the conventions' otel.sdk.*, and toolscope.self.* for
// what they have no name for. Where nothing is exported there are none.
func (p *Providers) observe(o *Options) error {
	if o.RuntimeMetrics {
		if err := runtime.Start(runtime.WithMeterProvider(p.MeterProvider)); err != nil {
			return err
		}
	}
	if len(p.outlets) == 0 {
		return nil
	}
	meter := p.MeterProvider.Meter(scopeName, metric.WithSchemaURL(semconv.SchemaURL))
	duration, err := otelconv.NewSDKExporterOperationDuration(meter, metric.WithExplicitBucketBoundaries(durationBounds...))
	if err != nil {
		return err
	}
	for _, w := range p.watches {
		if !w.told() {
			w.mu.Lock()
			w.duration = duration.Inst()
			w.mu.Unlock()
		}
	}
	i, err := newInstruments(meter)
	if err != nil {
		return err
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		p.tell(o, i)
		return nil
	}, i.queue, i.capacity, i.inflight, i.processed, i.exported, i.sampled, i.held, i.mended)
	if err != nil {
		return err
	}
	p.unwatch = func() { _ = registration.Unregister() }
	return p.observeSpool(meter)
}

func newInstruments(m metric.Meter) (*instruments, error) {
	queue, e1 := otelconv.NewSDKProcessorSpanQueueSize(m)
	capacity, e2 := otelconv.NewSDKProcessorSpanQueueCapacity(m)
	processed, e3 := otelconv.NewSDKProcessorSpanProcessedObservable(m)
	inflight, e4 := otelconv.NewSDKExporterSpanInflightObservable(m)
	exported, e5 := otelconv.NewSDKExporterSpanExportedObservable(m)
	sampled, e6 := m.Int64ObservableCounter("toolscope.self.sampler.spans", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that the tail sampler decided on."))
	held, e7 := m.Int64ObservableUpDownCounter("toolscope.self.sampler.held", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that the tail sampler holds until their trace is decided on."))
	mended, e8 := m.Int64ObservableCounter("toolscope.self.guard.mended", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that were made valid or smaller before they were sent."))
	return &instruments{queue.Inst(), capacity.Inst(), inflight.Inst(), processed.Inst(), exported.Inst(), sampled, held, mended},
		errors.Join(e1, e2, e3, e4, e5, e6, e7, e8)
}

// told reports whether the exporter's own package tells its metrics.
func (w *watch) told() bool { return sdkObserves() && strings.HasPrefix(w.kind, "otlp_") }

// tell observes everything there is to tell.
func (p *Providers) tell(o metric.Observer, i *instruments) {
	observe := func(what metric.Int64Observable, n int64, base []attribute.KeyValue, errorType string) {
		o.ObserveInt64(what, n, metric.WithAttributes(withErrorType(base, errorType)...))
	}
	for _, out := range p.outlets {
		s, base := out.batcher.Stats(), component(batcherType, out.name)
		observe(i.queue, int64(s.Queued), base, "")
		observe(i.capacity, int64(out.batcher.options.MaxQueue), base, "")
		observe(i.processed, int64(s.Sent+s.Failed), base, "")
		observe(i.processed, int64(s.Dropped-s.Late), base, queueFull)
		observe(i.processed, int64(s.Late), base, alreadyShutdown)
		if out.guard != nil {
			observe(i.mended, int64(out.guard.Stats().Mended), base, "")
		}
	}
	for _, w := range p.watches {
		if w.told() {
			continue
		}
		s := w.state()
		observe(i.inflight, s.inflight, w.base, "")
		observe(i.exported, int64(s.exported), w.base, "")
		for kind, n := range s.failed {
			observe(i.exported, int64(n), w.base, kind)
		}
	}
	if p.Sampler != nil {
		s := p.Sampler.Stats()
		observe(i.held, int64(s.Held), nil, "")
		observe(i.sampled, int64(s.SpansKept), []attribute.KeyValue{decisionKey.String("kept")}, "")
		observe(i.sampled, int64(s.SpansLeftOut), []attribute.KeyValue{decisionKey.String("left_out")}, "")
		observe(i.sampled, int64(s.AfterShutdown), []attribute.KeyValue{decisionKey.String("none")}, alreadyShutdown)
	}
}

// decisionKey says what the tail sampler did with a span: kept, left_out or none.
const decisionKey = attribute.Key("toolscope.self.decision")

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"

	"go.opentelemetry.io/contrib/instrumentation/runtime"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/otelconv"
)

// Values of error.type that the conventions ask for.
const (
	queueFull       = "queue_full"
	alreadyShutdown = "already_shutdown"
)

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
		if !w.observedBySDK() {
			w.mu.Lock()
			w.duration = duration.Inst()
			w.mu.Unlock()
		}
	}
	i, all, err := newInstruments(meter)
	if err != nil {
		return err
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		for _, part := range p.parts() {
			part.observe(&observation{i, to})
		}
		for _, out := range p.outlets {
			if out.guard != nil {
				p.ledger(out).observe(&observation{i, to}, component(batcherType, out.name))
			}
		}
		return nil
	}, all...)
	if err != nil {
		return err
	}
	p.unwatch = func() { _ = registration.Unregister() }
	return nil
}

func newInstruments(m metric.Meter) (*instruments, []metric.Observable, error) {
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
	size, e9 := m.Int64ObservableUpDownCounter("toolscope.self.spool.size", metric.WithUnit("By"),
		metric.WithDescription("The size of what the spool keeps on disk."))
	waiting, e10 := m.Int64ObservableUpDownCounter("toolscope.self.spool.waiting", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that wait to be sent, on disk or in memory."))
	dropped, e11 := m.Int64ObservableCounter("toolscope.self.spool.dropped", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that the spool had to give up."))
	ledger, e12 := m.Int64ObservableUpDownCounter("toolscope.self.ledger.spans", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans in each account of a destination's ledger."))
	lost, e13 := m.Int64ObservableCounter("toolscope.self.ledger.dropped", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that were lost on their way to a destination."))
	scrubbed, e14 := m.Int64ObservableCounter("toolscope.self.scrub.spans", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans of other libraries that were redacted before they were sent."))
	i := &instruments{
		queue.Inst(), capacity.Inst(), inflight.Inst(), processed.Inst(), exported.Inst(), sampled, held, mended, scrubbed,
		size, waiting, dropped, ledger, lost,
	}
	all := []metric.Observable{
		i.queue, i.capacity, i.inflight, i.processed, i.exported, sampled, held, mended, scrubbed, size, waiting, dropped,
		ledger, lost,
	}
	return i, all, errors.Join(e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14)
}

// Attributes of the metrics toolscope.self.*.
const (
	decisionKey = attribute.Key("toolscope.self.decision") // what the tail sampler did with a span: kept, left_out or none
	keyReason   = attribute.Key("toolscope.self.reason")   // why spans were dropped
	keyAccount  = attribute.Key("toolscope.self.account")  // where spans are: ended, found, delivered and others
)

func decision(d string) []attribute.KeyValue { return []attribute.KeyValue{decisionKey.String(d)} }

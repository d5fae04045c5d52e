// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"sync/atomic"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters"
)

// Discard is the cheapest span processor there can be: it does nothing.
type Discard struct{}

// OnStart does nothing.
func (Discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd does nothing.
func (Discard) OnEnd(sdktrace.ReadOnlySpan) {}

// Shutdown does nothing.
func (Discard) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing.
func (Discard) ForceFlush(context.Context) error { return nil }

// Nowhere is a span exporter that takes everything at once and counts it.
type Nowhere struct{ Spans atomic.Int64 }

// ExportSpans counts spans.
func (n *Nowhere) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	n.Spans.Add(int64(len(spans)))
	return nil
}

// Shutdown does nothing.
func (*Nowhere) Shutdown(context.Context) error { return nil }

// The processors that spans may go through.
const (
	NoProcessor  = "discard"   // a processor that does nothing
	SDKBatcher   = "sdk"       // the SDK's BatchSpanProcessor
	OurBatcher   = "ours"      // the queue that exporters.Setup makes, and its guard
	NeverSampled = "unsampled" // no span is sampled
)

// Tracers makes a provider whose spans go through one of the processors to nowhere. Shut it
// down when done.
func Tracers(processor string) *sdktrace.TracerProvider {
	switch processor {
	case SDKBatcher:
		return sdktrace.NewTracerProvider(sdktrace.WithBatcher(new(Nowhere)))
	case OurBatcher:
		providers, err := exporters.Setup(context.Background(), exporters.Options{
			RingSpans: -1, Exporters: []sdktrace.SpanExporter{new(Nowhere)},
		})
		if err != nil {
			panic(err) // the options are these
		}
		return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(providers.SpanProcessor()))
	case NeverSampled:
		return sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	}
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(Discard{}))
}

// Meters makes a provider of OpenTelemetry's histograms that no reader collects.
func Meters() *sdkmetric.MeterProvider {
	return sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
}

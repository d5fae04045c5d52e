// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"

	"go.opentelemetry.io/otel/sdk/trace"
)

// A fan hands what a sampler keeps to the batchers. Flushing them and shutting them down
// is for the providers, which do so to all of them at once.
type fan struct{ to []trace.SpanProcessor }

func (f *fan) OnStart(ctx context.Context, s trace.ReadWriteSpan) {
	for _, p := range f.to {
		p.OnStart(ctx, s)
	}
}

func (f *fan) OnEnd(s trace.ReadOnlySpan) {
	for _, p := range f.to {
		p.OnEnd(s)
	}
}

func (*fan) ForceFlush(context.Context) error { return nil }
func (*fan) Shutdown(context.Context) error   { return nil }

// SpanProcessor is all of it as one span processor, for a tracer provider of the application's
// own: the ring, the consoles, the application's processors, and the way through sampler, guard, queue
// and spool to the destinations. Its ForceFlush and Shutdown are those of the providers. Use it instead of
// TracerProvider, not beside it; with tail sampling such a provider needs [HeadSampler].
func (p *Providers) SpanProcessor() trace.SpanProcessor {
	return &front{fan{p.front}, p}
}

type front struct {
	fan
	all *Providers
}

func (f *front) ForceFlush(ctx context.Context) error { return f.all.Flush(ctx) }
func (f *front) Shutdown(ctx context.Context) error   { return f.all.Shutdown(ctx) }

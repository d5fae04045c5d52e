// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A fan hands what a sampler keeps to the batchers. Flushing them and shutting them down
// is for the providers, which do so to all of them at once.
type fan struct{ to []sdktrace.SpanProcessor }

func (*fan) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (*fan) ForceFlush(context.Context) error                { return nil }
func (*fan) Shutdown(context.Context) error                  { return nil }

func (f *fan) OnEnd(s sdktrace.ReadOnlySpan) {
	for _, p := range f.to {
		p.OnEnd(s)
	}
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/spool"
	"github.com/toolscope/toolscope/exporters/internal/tailsample"
	"github.com/toolscope/toolscope/stats"
)

// NewRingOf makes a ring with a limit of bytes that tests can reach.
var NewRingOf = newRing

// RingState is how full a ring is.
type RingState = ringState

// State is how full the ring is now.
func (r *Ring) State() RingState { return r.state() }

// Spool is the spool, nil if there is none.
func (p *Providers) Spool() *spool.Spool { return p.spool }

// Sampler is the tail sampler, nil if there is none.
func (p *Providers) Sampler() *tailsample.Processor { return p.sampler }

// NewWatch watches an exporter.
func NewWatch(e sdktrace.SpanExporter) *watch { return new(Providers).watched(e, "test") }

// Component is the state of the exporter.
func (w *watch) Component() stats.Component { return w.component() }

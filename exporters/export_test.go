// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/stats"
)

// NewRingOf makes a ring with a limit of bytes that tests can reach.
var NewRingOf = newRing

// MaxWaiting is how many spans a console lets wait.
const MaxWaiting = maxWaiting

// NewWatch watches an exporter.
func NewWatch(e sdktrace.SpanExporter) *watch { return new(Providers).watched(e, "test") }

// Component tells how the exporter is.
func (w *watch) Component() stats.Component { return w.component() }

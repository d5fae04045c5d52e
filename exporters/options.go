// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"fmt"
	"io"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/guard"
	"github.com/toolscope/toolscope/exporters/jsonlines"
	"github.com/toolscope/toolscope/exporters/spool"
	"github.com/toolscope/toolscope/exporters/tailsample"
)

// Options configure [Setup]. The zero value works. Setup keeps no reference to a slice of it.
type Options struct {
	// ServiceName is service.name for when the environment does not set it
	// (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES). "" is
	// "unknown_service:" and the name of the executable.
	ServiceName string
	// ServiceVersion is service.version for when OTEL_RESOURCE_ATTRIBUTES does
	// not set it. "" is the main module's version from the build, if it has one.
	ServiceVersion string
	// Attributes are attributes of the resource for when OTEL_RESOURCE_ATTRIBUTES
	// does not set them; nil is none.
	Attributes []attribute.KeyValue

	// Globals makes the providers and the propagator OpenTelemetry's global ones. What the
	// application made global before stays what it is: Setup builds nothing in its place, [Providers]
	// has the application's own, and Flush and Shutdown leave it alone. By default Setup leaves the
	// globals alone.
	Globals bool
	// Propagator is the propagator, whatever OTEL_PROPAGATORS says. nil is what that variable
	// says, and without it W3C trace context and baggage.
	Propagator propagation.TextMapPropagator

	// RingSpans is how many spans the ring keeps; 0 is 4096, below 0 makes no ring. The
	// ring is bounded to 2 KiB for each of them as well, 8 MiB by default: see [NewRing].
	RingSpans int
	// Consoles draw each trace as a tree, within a second after its local root
	// has ended. nil draws nothing, unless OTEL_TRACES_EXPORTER holds "console": then traces are drawn
	// on standard error, since the standard output of many tool servers carries their protocol.
	Consoles []ConsoleOptions
	// SpanProcessors are processors of the application's own; [Providers.Shutdown] shuts them
	// down. A nil one is an error. nil is none.
	SpanProcessors []sdktrace.SpanProcessor
	// TailSampling sends only traces that matter (errors, refusals, loops, panics, slow
	// calls, and what the application flagged) and a part of the others: see package tailsample. Spans
	// are recorded all the same, and the ring and the application's own processors see all of them.
	// Where OTEL_TRACES_SAMPLER is set its sampler decides first, and what it
	// leaves out is never seen. A tracer provider that the application made global stays as it is.
	// nil sends everything; a pointer to the zero value samples by that package's defaults.
	TailSampling *tailsample.Options
	// Guard is how large what is sent may be: see package guard, which makes every span
	// valid and small enough before it is sent. The zero value is that package's limits.
	Guard guard.Limits
	// SpoolDir is a directory that keeps on disk what the destination of traces does not take, and
	// from which it is sent later, also after a restart: see package spool. The exporter's own retries
	// are off then, since the spool's take their place, and what Flush and Shutdown do not deliver is no
	// error if it is on disk. Where traces are sent nowhere, nothing is kept. "" keeps nothing.
	SpoolDir string
	// Spool are the options of the spool; without SpoolDir they are an error. With WriteAhead spans
	// are sent every 50 ms, unless OTEL_BSP_SCHEDULE_DELAY says otherwise. A Timeout of 0
	// is OTEL_EXPORTER_OTLP_TIMEOUT.
	Spool spool.Options
	// JSONLines writes what is sent to files of these directories as well, one OTLP JSON object a
	// line. It needs no endpoint. nil writes none.
	JSONLines []JSONLines

	// MetricReaders are readers of the application's own, such as a Prometheus exporter;
	// [Providers.Shutdown] shuts them down. A nil one is an error. nil is none.
	MetricReaders []sdkmetric.Reader
	// RuntimeMetrics adds the Go runtime's metrics (go.memory.used, go.goroutine.count and
	// others) by OpenTelemetry's own instrumentation. The default adds none.
	RuntimeMetrics bool

	// Logs makes [Providers.LoggerProvider] send log records where OTEL_LOGS_EXPORTER says: otlp
	// (which is meant if it is not set and there is an endpoint), console (JSON on standard error),
	// none, or a name registered with autoexport. [Providers.LogHandler] is the way there for
	// log/slog. The default sends no logs, whatever the environment says: toolscope does not redact
	// the application's log records.
	Logs bool
}

// ConsoleOptions are a writer that traces are drawn on, see [Console].
type ConsoleOptions struct {
	// Writer must not be nil. Setup writes to it from one goroutine at a time.
	Writer io.Writer
	// Tree is how a trace is drawn; the zero value works.
	Tree TreeOptions
}

// JSONLines is a directory that spans are written to, see package jsonlines.
type JSONLines struct {
	// Dir is the directory; it is made if it does not exist.
	Dir string
	// Options are the files' options; the zero value works.
	Options jsonlines.Options
}

// defaultRing is how many spans the ring keeps by default.
const defaultRing = 4096

// checked returns the options with the defaults in place, or an error that names the first wrong field.
func (o Options) checked() (*Options, error) {
	wrong := func(field, got, want string) (*Options, error) {
		return nil, fmt.Errorf("exporters: Options.%s: got %s, want %s", field, got, want)
	}
	o.RingSpans = cmp.Or(o.RingSpans, defaultRing)
	for i, c := range o.Consoles {
		if c.Writer == nil {
			return wrong(fmt.Sprintf("Consoles[%d].Writer", i), "nil", "a writer")
		}
	}
	for i, p := range o.SpanProcessors {
		if p == nil {
			return wrong(fmt.Sprintf("SpanProcessors[%d]", i), "nil", "a processor")
		}
	}
	for i, r := range o.MetricReaders {
		if r == nil {
			return wrong(fmt.Sprintf("MetricReaders[%d]", i), "nil", "a reader")
		}
	}
	if o.SpoolDir == "" && o.Spool != (spool.Options{}) {
		return wrong("SpoolDir", `"" together with Options.Spool`, "a path")
	}
	if err := o.Guard.Validate(); err != nil {
		return nil, fmt.Errorf("exporters: Options.Guard: %w", err)
	}
	return &o, nil
}

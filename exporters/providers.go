// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"sync"

	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/batch"
	"github.com/toolscope/toolscope/exporters/internal/spool"
	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

// Providers is what [Setup] built. It is safe for concurrent use; a nil one flushes and
// shuts down without error.
type Providers struct {
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// LoggerProvider takes log records; nil without [Options].Logs.
	LoggerProvider log.LoggerProvider
	Propagator     propagation.TextMapPropagator
	// Ring holds the latest spans of this process; nil, which reads as empty, if it was
	// turned off or OTEL_SDK_DISABLED is true.
	Ring *Ring
	// Endpoint is where traces are sent over OTLP, as the environment names it, without
	// user and password; "" if they are not.
	Endpoint string

	tracers         *sdktrace.TracerProvider
	meters          *sdkmetric.MeterProvider
	loggers         *sdklog.LoggerProvider
	declared        map[sdktrace.SpanExporter]batch.Options // the exporters that a configuration file describes
	hostsPropagator bool
	sampler         *tailsample.Processor // nil without tail sampling
	spool           *spool.Spool          // nil without a spool, and where traces are sent nowhere
	spoolDir        string
	rejected        *rejected                // what the spool's destination refused; nil without a spool
	processes       []sdktrace.SpanProcessor // the ring and the application's own
	front           []sdktrace.SpanProcessor // what a tracer provider calls
	outlets         []*outlet
	watches         []*watch // of the exporters
	idle            []func() // closes connections kept for later
	unwatch         func()   // ends the metrics about all of it

	closing  sync.Once
	closed   chan struct{}
	closeErr error
}

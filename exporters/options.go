// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/guard"
	"github.com/toolscope/toolscope/exporters/tailsample"
)

// An Option sets something of [Setup]. Where one is given twice, the last wins, but
// for [WithAttributes], [WithSpanProcessor], [WithMetricReader], [WithConsole] and
// [WithJSONLines], which add up. Nil options are passed over.
type Option func(*config) error

type config struct {
	name, version string
	attributes    []attribute.KeyValue
	globals       bool
	ring          int
	consoles      []*Console
	lines         []jsonLines
	logs          bool
	processors    []sdktrace.SpanProcessor
	readers       []sdkmetric.Reader
	propagator    propagation.TextMapPropagator
	sampling      *tailsample.Options
	spool         *spooling
	guard         guard.Limits
	runtime       bool
}

// WithServiceName sets service.name for when the environment does not
// (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES). The default is
// "unknown_service:" and the name of the executable. An empty name is an error.
func WithServiceName(name string) Option {
	return func(c *config) error {
		if name == "" {
			return errors.New(`exporters: WithServiceName: got "", want a name`)
		}
		c.name = name
		return nil
	}
}

// WithServiceVersion sets service.version for when OTEL_RESOURCE_ATTRIBUTES does
// not. The default is the main module's version from the build, if it has one.
func WithServiceVersion(version string) Option {
	return func(c *config) error { c.version = version; return nil }
}

// WithAttributes adds attributes of the resource for when OTEL_RESOURCE_ATTRIBUTES
// does not set them. The default adds none.
func WithAttributes(attributes ...attribute.KeyValue) Option {
	return func(c *config) error { c.attributes = append(c.attributes, attributes...); return nil }
}

// WithGlobals makes the providers and the propagator OpenTelemetry's global ones. What the
// host made global before stays what it is: Setup builds nothing in its place, [Providers] has
// the host's own, and Flush and Shutdown leave it alone. The default leaves the globals alone.
func WithGlobals() Option { return func(c *config) error { c.globals = true; return nil } }

// WithRing sets how many spans the ring keeps; 0 makes none. The default is 4096. The
// ring is bounded to 2 KiB for each of them as well, 8 MiB by default: see [NewRing].
func WithRing(spans int) Option {
	return func(c *config) error {
		if spans < 0 {
			return fmt.Errorf("exporters: WithRing: got %d, want 0 or more spans", spans)
		}
		c.ring = spans
		return nil
	}
}

// WithConsole draws each trace on w as a tree, within a second after its local root
// has ended. A nil w is an error. The default draws nothing, unless
// OTEL_TRACES_EXPORTER holds "console": then it is drawn on standard error, since the
// standard output of many tool servers carries their protocol.
func WithConsole(w io.Writer, options TreeOptions) Option {
	return func(c *config) error {
		if w == nil {
			return errors.New("exporters: WithConsole: got a nil writer, want one that is not")
		}
		c.consoles = append(c.consoles, NewConsole(w, options))
		return nil
	}
}

// WithSpanProcessor adds a processor of the host's own; [Providers.Shutdown] shuts it
// down. A nil one is an error. The default adds none.
func WithSpanProcessor(p sdktrace.SpanProcessor) Option {
	return func(c *config) error {
		if p == nil {
			return errors.New("exporters: WithSpanProcessor: got nil, want a processor")
		}
		c.processors = append(c.processors, p)
		return nil
	}
}

// WithMetricReader adds a reader of the host's own, such as a Prometheus exporter;
// [Providers.Shutdown] shuts it down. A nil one is an error. The default adds none.
func WithMetricReader(r sdkmetric.Reader) Option {
	return func(c *config) error {
		if r == nil {
			return errors.New("exporters: WithMetricReader: got nil, want a reader")
		}
		c.readers = append(c.readers, r)
		return nil
	}
}

// WithPropagator sets the propagator, whatever OTEL_PROPAGATORS says. The default,
// and nil, is what that variable says, and without it W3C trace context and baggage.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return func(c *config) error { c.propagator = p; return nil }
}

// WithTailSampling sends only traces that matter (errors, refusals, loops, panics, slow
// calls, and what the host flagged) and a part of the others: see package tailsample. Spans are
// recorded all the same, and the ring and the host's own processors see all of them.
// Where OTEL_TRACES_SAMPLER is set its sampler stands before this one, and what it
// leaves out is never seen. A tracer provider that the host made global stays as it is. The
// default sends everything.
func WithTailSampling(o tailsample.Options) Option {
	return func(c *config) error { c.sampling = &o; return nil }
}

// WithGuard sets how large what is sent may be: see package guard, which makes every span
// valid and small enough before it is sent. The default, the zero value, is that
// package's limits.
func WithGuard(l guard.Limits) Option {
	return func(c *config) error {
		if err := l.Validate(); err != nil {
			return fmt.Errorf("exporters: WithGuard: %w", err)
		}
		c.guard = l
		return nil
	}
}

// WithRuntimeMetrics adds the Go runtime's metrics (go.memory.used, go.goroutine.count and
// others) by OpenTelemetry's own instrumentation. The default adds none.
func WithRuntimeMetrics() Option { return func(c *config) error { c.runtime = true; return nil } }

func newConfig(options []Option) (*config, error) {
	c := &config{ring: 4096}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

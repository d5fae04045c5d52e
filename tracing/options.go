// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/redact"
)

// An Option sets something of an [Observer]. Where one is given twice, the last
// wins; nil values mean the default.
type Option func(*config) error

type config struct {
	tracers     trace.TracerProvider
	meters      metric.MeterProvider
	propagators propagation.TextMapPropagator
	redactor    *redact.Redactor
	content     Content
	limits      Limits
	errorText   bool
	maxTools    int
	told        func(ContentReport)
}

// Content says whether arguments and results go onto spans, redacted.
type Content uint8

// The choices. The zero value leaves it to the environment ([ContentFromEnv]),
// which is off unless told otherwise, as the conventions ask.
const (
	ContentFromEnvironment Content = iota
	ContentOff
	ContentOn
)

// ContentEnv is the variable that instrumentations of generative AI share.
const ContentEnv = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

// ContentFromEnv reads [ContentEnv]: NO_CONTENT, EVENT_ONLY and false are off,
// SPAN_ONLY, SPAN_AND_EVENT and true are on (any case); set is false if it is empty.
// Another value is an error, and counts as off.
func ContentFromEnv() (c Content, set bool, err error) {
	switch v := os.Getenv(ContentEnv); strings.ToUpper(strings.TrimSpace(v)) {
	case "":
		return ContentOff, false, nil
	case "NO_CONTENT", "EVENT_ONLY", "FALSE":
		return ContentOff, true, nil
	case "SPAN_ONLY", "SPAN_AND_EVENT", "TRUE":
		return ContentOn, true, nil
	default:
		return ContentOff, true, fmt.Errorf("tracing: %s: got %.40q, want NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT, true or false", ContentEnv, v)
	}
}

// Limits are the most bytes of a value that go onto a span, the mark that says
// what is missing included. 0 is the default, below 0 is no limit.
type Limits struct {
	Arguments int // default 4096
	Result    int // default 4096
	Error     int // default 1024
}

// maxIdentifier bounds ids and names on spans, in bytes.
const maxIdentifier = 256

func (l Limits) orDefault() Limits {
	for _, f := range []struct {
		limit *int
		def   int
	}{{&l.Arguments, 4096}, {&l.Result, 4096}, {&l.Error, 1024}} {
		switch {
		case *f.limit == 0:
			*f.limit = f.def
		case *f.limit < 0:
			*f.limit = 0 // redact's word for no limit
		}
	}
	return l
}

// WithTracerProvider sets where spans go; the default is the global provider.
func WithTracerProvider(p trace.TracerProvider) Option {
	return func(c *config) error { c.tracers = p; return nil }
}

// WithMeterProvider sets where metrics go; the default is the global provider.
func WithMeterProvider(p metric.MeterProvider) Option {
	return func(c *config) error { c.meters = p; return nil }
}

// WithPropagators sets how trace context travels ([Observer.Inject],
// [Observer.Extract]); the default is the global one.
func WithPropagators(p propagation.TextMapPropagator) Option {
	return func(c *config) error { c.propagators = p; return nil }
}

// WithRedactor sets what everything passes before it leaves; the default is
// [redact.Default].
func WithRedactor(r *redact.Redactor) Option {
	return func(c *config) error { c.redactor = r; return nil }
}

// WithContent says whether arguments and results go onto spans; the default is
// what the environment says, else off.
func WithContent(content Content) Option {
	return func(c *config) error {
		if content > ContentOn {
			return fmt.Errorf("tracing: WithContent: got %d, want ContentOff or ContentOn", content)
		}
		c.content = content
		return nil
	}
}

// WithLimits sets how much of a value goes onto a span; the defaults are those
// of [Limits].
func WithLimits(l Limits) Option {
	return func(c *config) error { c.limits = l; return nil }
}

// WithErrorText sets whether the status of a failed span carries the error's text,
// redacted and truncated; the default is true. The text does not depend on [WithContent],
// although it is the result's where the error itself names its kind only (see
// [toolkit.Ended]).
func WithErrorText(on bool) Option {
	return func(c *config) error { c.errorText = on; return nil }
}

// WithMaxTools bounds how many different pairs of tool and agent are told apart in
// span names and metrics; the rest is [Other]. The default is 4096.
func WithMaxTools(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return fmt.Errorf("tracing: WithMaxTools: got %d, want 1 or more", n)
		}
		c.maxTools = n
		return nil
	}
}

func newConfig(options []Option) (*config, error) {
	c := &config{errorText: true, maxTools: 4096}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(c); err != nil {
			return nil, err
		}
	}
	if c.tracers == nil {
		c.tracers = otel.GetTracerProvider()
	}
	if c.meters == nil {
		c.meters = otel.GetMeterProvider()
	}
	if c.propagators == nil {
		c.propagators = otel.GetTextMapPropagator()
	}
	if c.redactor == nil {
		c.redactor = redact.Default()
	}
	if c.content == ContentFromEnvironment {
		content, _, err := ContentFromEnv()
		if err != nil {
			return nil, err
		}
		c.content = content
	}
	c.limits = c.limits.orDefault()
	return c, nil
}

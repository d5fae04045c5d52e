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

// Options configure an [Observer]. The zero value works.
type Options struct {
	// TracerProvider receives the spans. Nil is OpenTelemetry's global provider.
	TracerProvider trace.TracerProvider
	// MeterProvider receives the metrics. Nil is OpenTelemetry's global provider.
	MeterProvider metric.MeterProvider
	// Propagators carry trace context ([Observer.Inject], [Observer.Extract]). Nil is
	// OpenTelemetry's global propagator.
	Propagators propagation.TextMapPropagator
	// Redactor redacts everything that is exported. Nil is [redact.Default].
	Redactor *redact.Redactor
	// Content says whether redacted arguments and results are recorded on spans. 0 is
	// [ContentFromEnvironment].
	Content Content
	// Limits bound the size of recorded values, in bytes. Its zero fields are its defaults.
	Limits Limits
	// NoErrorText leaves the error's text out of a failed span's status. By default the status has the
	// text, redacted and truncated.
	NoErrorText bool
	// MaxTools bounds how many pairs of tool and agent have their own span names and metric labels. The
	// others share "_OTHER". 0 is 4096; below 0 is an error.
	MaxTools int
	// ContentReport is called once for each call whose content was redacted or truncated, in the goroutine that
	// ends the call, and must be safe for concurrent use. Nil reports nothing.
	ContentReport func(ContentReport)
}

// config is Options with the defaults filled in.
type config struct {
	tracers       trace.TracerProvider
	global        bool // tracers is what was global when the observer was made
	meters        metric.MeterProvider
	propagators   propagation.TextMapPropagator
	redactor      *redact.Redactor
	content       Content
	limits        Limits
	errorText     bool
	maxTools      int
	contentReport func(ContentReport)
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

// ContentFromEnv reads [ContentEnv]: NO_CONTENT and false are off, SPAN_ONLY and true are on (any case); set is
// false if it is empty. Another value is an error, and counts as off. So are EVENT_ONLY and SPAN_AND_EVENT: the
// conventions have no event for a tool's content, which would be lost without notice.
func ContentFromEnv() (c Content, set bool, err error) {
	switch v := os.Getenv(ContentEnv); strings.ToUpper(strings.TrimSpace(v)) {
	case "":
		return ContentOff, false, nil
	case "NO_CONTENT", "FALSE":
		return ContentOff, true, nil
	case "SPAN_ONLY", "TRUE":
		return ContentOn, true, nil
	case "EVENT_ONLY", "SPAN_AND_EVENT":
		return ContentOff, true, fmt.Errorf("tracing: %s: got %.40q, want SPAN_ONLY or NO_CONTENT, or Options.Content: "+
			"OpenTelemetry has no event for the content of tool calls", ContentEnv, v)
	default:
		return ContentOff, true, fmt.Errorf(
			"tracing: %s: got %.40q, want NO_CONTENT, SPAN_ONLY, true or false", ContentEnv, v,
		)
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

func newConfig(o Options) (*config, error) {
	c := &config{
		tracers: o.TracerProvider, meters: o.MeterProvider, propagators: o.Propagators, redactor: o.Redactor,
		content: o.Content, limits: o.Limits.orDefault(), errorText: !o.NoErrorText, maxTools: o.MaxTools,
		contentReport: o.ContentReport,
	}
	switch {
	case o.Content > ContentOn:
		return nil, fmt.Errorf("tracing: Options.Content: got %d, want ContentOff, ContentOn or ContentFromEnvironment",
			o.Content)
	case o.MaxTools < 0:
		return nil, fmt.Errorf("tracing: Options.MaxTools: got %d, want 1 or more, or 0 for 4096", o.MaxTools)
	case o.MaxTools == 0:
		c.maxTools = 4096
	}
	if c.tracers == nil {
		c.tracers, c.global = otel.GetTracerProvider(), true
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
	return c, nil
}

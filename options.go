// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// Options configure a [Scope]. The zero value works: it records spans, metrics and statistics, and has no
// policies. [New] copies the slices.
type Options struct {
	// TracerProvider receives the spans. Nil is OpenTelemetry's global provider.
	TracerProvider trace.TracerProvider
	// MeterProvider receives the OpenTelemetry metrics. Nil is OpenTelemetry's global provider.
	MeterProvider metric.MeterProvider
	// Redactor redacts everything that the scope exports. Nil is [redact.Default].
	Redactor *redact.Redactor
	// Content says whether redacted arguments and results are recorded on spans. The zero value is what the
	// environment variable [tracing.ContentEnv] says, and [tracing.ContentOn] where that is not set.
	Content tracing.Content
	// Tracing configures spans and metrics further. Its zero fields take the values of this struct;
	// the others replace them. A ContentReport is called after the scope's own, which counts redacted and truncated
	// values in the statistics.
	Tracing tracing.Options
	// Stats configures the statistics. A nil Redactor is the one above.
	Stats stats.Options
	// HTTP configures [Scope.HTTPHandler]. The scope adds its own health, and with ApprovalsToken a link
	// to the page of approvals, after the sources and links given.
	HTTP statshttp.Options

	// Policies govern calls, in any order: the scope applies them in the order of [middleware.Stage], inside
	// the observers, which see what the agent gets. [middleware.At] makes a policy of a middleware. A policy
	// that [middleware.Check] refuses, such as a nil one, is an error. [Scope.Shutdown] closes those that have a Close method.
	Policies []middleware.Policy
	// Settings are the first settings, as [Scope.Apply] would set them. Its own policies are appended to
	// Policies. A policy that [middleware.Check] refuses, such as a nil one, is an error.
	Settings Settings
	// ApprovalsToken serves the open requests of the [approve.Policy] and its kill switch below
	// [Scope.HTTPHandler] to clients that have the token: at approvals for people, at api/v1/approvals and
	// api/v1/stops for programs (see [approve.NewHandler]). The policy then waits for answers over HTTP and needs no
	// other asker. A token has 16 bytes or more; give each person one by lines "NAME TOKEN".
	// A token without such a policy is an error. "" serves no approvals;
	// then a policy that has no other way to ask is an error.
	ApprovalsToken string
	// Observers are your application's own observers. Nil ones are ignored.
	Observers []toolkit.Observer

	// NoTracing records no spans, whatever the providers are. Metrics stay.
	NoTracing bool
	// NoMetrics records no OpenTelemetry metrics, whatever the providers are. Statistics stay.
	NoMetrics bool
	// NoStats keeps no statistics: [Scope.Stats] is nil and [Scope.HTTPHandler] answers 404.
	NoStats bool
}

// complete returns the options with their defaults, whose slices are copies.
func (o Options) complete() (*Options, error) {
	if o.Content > tracing.ContentOn {
		return nil, fmt.Errorf("toolscope: Options.Content: got %d, want tracing.ContentOff or tracing.ContentOn, "+
			"or 0 for the environment's", o.Content)
	}
	for _, f := range []struct {
		name     string
		policies []middleware.Policy
	}{{"Options.Policies", o.Policies}, {"Options.Settings.Policies", o.Settings.Policies}} {
		if err := checkPolicies(f.name, f.policies); err != nil {
			return nil, err
		}
	}
	if err := checkToolNames("Options.Settings.ToolsOff", o.Settings.ToolsOff); err != nil {
		return nil, err
	}
	o.Settings.Policies = slices.Concat(o.Policies, o.Settings.Policies)
	o.Observers = slices.Clone(o.Observers)
	if o.Redactor == nil {
		o.Redactor = redact.Default()
	}
	if o.Content == tracing.ContentFromEnvironment {
		content, set, err := tracing.ContentFromEnv()
		if err != nil {
			return nil, err
		}
		if !set {
			content = tracing.ContentOn
		}
		o.Content = content
	}
	return &o, nil
}

// checkPolicies returns an error for the first policy that cannot work; field is where the policies are.
func checkPolicies(field string, policies []middleware.Policy) error {
	for i, p := range policies {
		if err := middleware.Check(p); err != nil {
			return fmt.Errorf("toolscope: %s[%d]: %w", field, i, err)
		}
	}
	return nil
}

// checkToolNames returns an error for the first name that no tool can have; field is where the names are.
func checkToolNames(field string, names []string) error {
	for i, name := range names {
		if name == "" || strings.TrimSpace(name) != name {
			return fmt.Errorf("toolscope: %s[%d]: got %.80q, want a tool's name without blanks at its ends", field, i, name)
		}
	}
	return nil
}

// tracing returns the options of the observer of spans and metrics. report counts redacted and truncated values.
func (o *Options) tracing(report func(tracing.ContentReport)) tracing.Options {
	t := o.Tracing
	t.TracerProvider = cmp.Or(t.TracerProvider, o.TracerProvider)
	t.MeterProvider = cmp.Or(t.MeterProvider, o.MeterProvider)
	t.Redactor = cmp.Or(t.Redactor, o.Redactor)
	t.Content = cmp.Or(t.Content, o.Content)
	if own := t.ContentReport; own == nil {
		t.ContentReport = report
	} else {
		t.ContentReport = func(r tracing.ContentReport) {
			report(r) // first: the application's function may panic
			own(r)
		}
	}
	if o.NoTracing {
		t.TracerProvider = tracenoop.NewTracerProvider()
	}
	if o.NoMetrics {
		t.MeterProvider = noop.NewMeterProvider()
	}
	return t
}

// Settings are what can be changed while a scope is in use: see [Scope.Apply].
type Settings struct {
	// Off passes all calls on as if there were no toolscope.
	Off bool
	// NoContent keeps arguments and results off the spans of calls that end from
	// now on. What [Options].Content or the environment turned off stays off.
	NoContent bool
	// ToolsOff are names of tools whose calls are refused (permission_denied). An empty name and one with
	// blanks at its ends are errors. Names are not compared with those of registered tools, which can come later.
	ToolsOff []string
	// Policies replace those there are. A policy that is among both stays as it is, with
	// all it knows; one that is no longer there is closed if it can be.
	Policies []middleware.Policy
}

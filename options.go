// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"errors"
	"slices"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// An Option sets something of a [Scope]. Where one is given twice, the last wins,
// but for [WithTracing], [WithPolicies] and [WithObservers], which add
// up. Nil options are passed over.
type Option func(*config) error

type config struct {
	tracing   []tracing.Option
	stats     stats.Options
	http      stats.HandlerOptions
	redactor  *redact.Redactor
	content   tracing.Content
	policies  []middleware.Policy
	settings  Settings
	approvals string // the token of those who approve; "" serves no approvals
	observers []toolkit.Observer
	noTracing bool
	noStats   bool
	noMetrics bool
	tracers   trace.TracerProvider
	meters    metric.MeterProvider
}

// WithTracerProvider sets where spans go; the default is the host's global
// provider.
func WithTracerProvider(p trace.TracerProvider) Option {
	return func(c *config) error { c.tracers = p; return nil }
}

// WithMeterProvider sets where OpenTelemetry metrics go; the default is the host's
// global provider.
func WithMeterProvider(p metric.MeterProvider) Option {
	return func(c *config) error { c.meters = p; return nil }
}

// WithRedactor sets what everything passes before it leaves; the default is
// [redact.Default].
func WithRedactor(r *redact.Redactor) Option {
	return func(c *config) error { c.redactor = r; return nil }
}

// WithContent says whether redacted arguments and results go onto spans. The
// default is true, unless the environment says NO_CONTENT
// ([tracing.ContentFromEnv]).
func WithContent(on bool) Option {
	return func(c *config) error {
		c.content = tracing.ContentOff
		if on {
			c.content = tracing.ContentOn
		}
		return nil
	}
}

// WithTracing adds options of package tracing; they win over this package's.
func WithTracing(options ...tracing.Option) Option {
	return func(c *config) error { c.tracing = append(c.tracing, options...); return nil }
}

// WithStats sets the options of the statistics. A nil Redactor is the scope's.
func WithStats(o stats.Options) Option {
	return func(c *config) error { c.stats = o; return nil }
}

// WithHTTP sets the options of the HTTP handler. The scope adds its own health, and with
// [WithApprovals] a link to the page of approvals, after the sources and links of o.
func WithHTTP(o stats.HandlerOptions) Option {
	return func(c *config) error { c.http = o; return nil }
}

// WithPolicies adds policies that govern calls. They stand in the order of
// [middleware.Stage], whatever the order they are given in, inside the observers, which see
// what the agent gets. A middleware of the host's own becomes a policy by
// [middleware.At]. What can be closed is closed by [Scope.Shutdown]. The default is none.
func WithPolicies(policies ...middleware.Policy) Option {
	return func(c *config) error {
		for _, p := range policies {
			if p == nil {
				return errors.New("toolscope: WithPolicies: got a nil policy, want one that is not")
			}
		}
		c.policies = append(c.policies, policies...)
		return nil
	}
}

// WithSettings begins with these settings, as [Scope.Apply] would set them; the
// policies of [WithPolicies] are added to its own.
func WithSettings(n Settings) Option {
	return func(c *config) error {
		if slices.Contains(n.Policies, nil) {
			return errors.New("toolscope: WithSettings: Policies: got a nil policy, want one that is not")
		}
		c.settings = n
		return nil
	}
}

// WithApprovals serves the open requests of the Approve policy, below
// [Scope.HTTPHandler], at approvals for people and at api/v1/approvals for programs, to
// those who have the token: see [approve.NewHandler]. The policy then waits for answers over HTTP; it
// needs no other asker. The token has 16 bytes or more. It is an error if there is no such policy. The
// default serves none; it is then an error if the policy has no other way to ask.
func WithApprovals(token string) Option {
	return func(c *config) error { c.approvals = token; return nil }
}

// WithObservers adds observers of the host's own. The default is none.
func WithObservers(observers ...toolkit.Observer) Option {
	return func(c *config) error { c.observers = append(c.observers, observers...); return nil }
}

// WithoutTracing makes no spans; metrics stay unless [WithoutMetrics] says so as well.
func WithoutTracing() Option { return func(c *config) error { c.noTracing = true; return nil } }

// WithoutMetrics makes no OpenTelemetry metrics; statistics stay.
func WithoutMetrics() Option { return func(c *config) error { c.noMetrics = true; return nil } }

// WithoutStats keeps no statistics; [Scope.HTTPHandler] then answers that there
// are none.
func WithoutStats() Option { return func(c *config) error { c.noStats = true; return nil } }

func newConfig(options []Option) (*config, error) {
	c := &config{}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(c); err != nil {
			return nil, err
		}
	}
	if c.redactor == nil {
		c.redactor = redact.Default()
	}
	if c.content == tracing.ContentFromEnvironment {
		content, set, err := tracing.ContentFromEnv()
		if err != nil {
			return nil, err
		}
		if !set {
			content = tracing.ContentOn
		}
		c.content = content
	}
	if c.noTracing {
		c.tracers = tracenoop.NewTracerProvider()
	}
	if c.noMetrics {
		c.meters = noop.NewMeterProvider()
	}
	return c, nil
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// Limits are how much of a value goes onto a span, in bytes; 0 is no limit.
func (o *Observer) Limits() Limits { return o.limits }

// Protocol is for the packages of this repository that record calls of a protocol. It is of no use to others.
func (o *Observer) Protocol() spans.Observer { return (*protocol)(o) }

type protocol Observer

func (p *protocol) ShareCalls() { p.shared.Store(true) }

func (p *protocol) PropagatesNothing() bool { return len(p.propagators.Fields()) == 0 }

func (p *protocol) Identifier(s string) string { return (*Observer)(p).identifier(s) }

func (p *protocol) ErrorType(v string) string {
	if p == nil {
		return (*errtype.Guard)(nil).Export(v)
	}
	return p.types.Export(v)
}

func (p *protocol) ErrorText(err error) string {
	if err == nil || !p.errorText {
		return ""
	}
	return (*Observer)(p).text(errorText(err), p.limits.Error)
}

func (p *protocol) RecordCall(ctx context.Context, s *spans.Spec, e *toolkit.Ended) {
	if p.metrics.enabled(ctx) {
		p.metrics.record(ctx, p.tools.find(&e.Info, s), e, p.types.Export(e.ErrorType))
	}
}

func (p *protocol) TracerProvider() trace.TracerProvider { return p.tracers }

func (p *protocol) MeterProvider() metric.MeterProvider { return p.meters }

func (p *protocol) Redactor() *redact.Redactor { return p.redactor }

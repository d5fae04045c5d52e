// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/toolkit"
)

// The bucket bounds of the conventions, in seconds and in numbers of calls.
var (
	toolBuckets     = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	agentBuckets    = []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6}
	workflowBuckets = []float64{1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200}
	countBuckets    = []float64{1, 2, 4, 8, 16, 32, 64, 128}
)

type metrics struct {
	duration       metric.Float64Histogram
	run            metric.Float64Histogram
	agentDuration  metric.Float64Histogram
	toolCalls      metric.Int64Histogram
	inferenceCalls metric.Int64Histogram

	workflowDuration metric.Float64Histogram
}

// make creates the instruments once; those that could be made stay usable.
func (m *metrics) make(p metric.MeterProvider) error {
	meter := p.Meter(ScopeName, metric.WithInstrumentationVersion(version()))
	var errs [6]error
	m.duration, errs[0] = meter.Float64Histogram("gen_ai.execute_tool.duration", metric.WithUnit("s"),
		metric.WithDescription("The duration of a single tool execution."),
		metric.WithExplicitBucketBoundaries(toolBuckets...))
	m.run, errs[1] = meter.Float64Histogram("toolscope.tool.run.duration", metric.WithUnit("s"),
		metric.WithDescription("The time a tool itself was running for an executed call, without waits."),
		metric.WithExplicitBucketBoundaries(toolBuckets...))
	m.agentDuration, errs[2] = meter.Float64Histogram("gen_ai.invoke_agent.duration", metric.WithUnit("s"),
		metric.WithDescription("The duration of a single agent invocation."),
		metric.WithExplicitBucketBoundaries(agentBuckets...))
	m.toolCalls, errs[3] = meter.Int64Histogram("gen_ai.invoke_agent.tool_calls", metric.WithUnit("{tool_call}"),
		metric.WithDescription("The number of tool calls a GenAI agent makes during a single invocation."),
		metric.WithExplicitBucketBoundaries(countBuckets...))
	m.inferenceCalls, errs[4] = meter.Int64Histogram("gen_ai.invoke_agent.inference_calls", metric.WithUnit("{inference_call}"),
		metric.WithDescription("The number of inference (model) calls a GenAI agent makes during a single invocation."),
		metric.WithExplicitBucketBoundaries(countBuckets...))
	m.workflowDuration, errs[5] = meter.Float64Histogram("gen_ai.invoke_workflow.duration", metric.WithUnit("s"),
		metric.WithDescription("The duration of a single workflow invocation."),
		metric.WithExplicitBucketBoundaries(workflowBuckets...))
	return errors.Join(errs[:]...)
}

// enabled reports whether a call is recorded at all.
func (m *metrics) enabled(ctx context.Context) bool {
	return m.duration.Enabled(ctx) || m.run.Enabled(ctx)
}

// record records a call once: the same time and error.type, which is safe to export, as its span.
// gen_ai.execute_tool.duration is the agent's
// side's, since other sides record the same call.
func (m *metrics) record(ctx context.Context, info *toolInfo, e *toolkit.Ended, errorType string) {
	duration := info.agent && m.duration.Enabled(ctx)
	run := m.run.Enabled(ctx) && e.Disposition.Outcome == toolkit.OutcomeExecuted
	if !duration && !run {
		return
	}
	options := info.recordOptions(e, errorType)
	if duration {
		m.duration.Record(ctx, e.Duration().Seconds(), options...)
	}
	if run {
		m.run.Record(ctx, e.Disposition.Run.Seconds(), options...)
	}
}

// version is this module's version as the binary knows it; "" in a checkout.
var version = sync.OnceValue(func() string {
	const module = "github.com/toolscope/toolscope"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	if info.Main.Path == module && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == module {
			return d.Version
		}
	}
	return ""
})

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// A WorkflowRun is a run of a workflow that [Observer.StartWorkflow] began. All methods work on nil.
type WorkflowRun struct {
	observer *Observer
	ctx      context.Context
	span     trace.Span
	name     attribute.KeyValue
	start    time.Time
	ended    atomic.Bool
}

// StartWorkflow opens a span `invoke_workflow {name}` of kind INTERNAL, under which the calls made with the context
// returned appear. name has few values; run is the id of the run, and definition a digest of what is run. A nil
// observer returns ctx and nil.
func (o *Observer) StartWorkflow(ctx context.Context, name, run, definition string) (context.Context, *WorkflowRun) {
	if o == nil {
		return ctx, nil
	}
	name = o.identifier(name)
	r := &WorkflowRun{observer: o, start: time.Now(), name: keyWorkflowName.String(name)}
	r.ctx, r.span = o.tracer.Start(
		ctx, "invoke_workflow "+name, trace.WithTimestamp(r.start), trace.WithSpanKind(trace.SpanKindInternal),
		trace.WithAttributes(keyOperation.String("invoke_workflow"), r.name, keyWorkflowRun.String(o.identifier(run)),
			keyWorkflowDefinition.String(o.identifier(definition))),
	)
	return r.ctx, r
}

// End ends the run: err is nil for a success. Only the first End counts.
func (r *WorkflowRun) End(err error) {
	if r == nil || r.ended.Swap(true) {
		return
	}
	o, end := r.observer, time.Now()
	labels := []attribute.KeyValue{r.name}
	if err != nil {
		kind := o.types.Export(errorType(err))
		labels = append(labels, keyErrorType.String(kind))
		r.span.SetAttributes(keyErrorType.String(kind))
		o.setFailed(r.span, "", err)
	}
	r.span.End(trace.WithTimestamp(end))
	o.metrics.workflowDuration.Record(r.ctx, end.Sub(r.start).Seconds(), metric.WithAttributes(labels...))
}

// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Head is the sampler for a provider with a [Processor]: every span is recorded, so
// that those that matter can be found among them. A trace that begins here is sampled,
// with th:0 in its tracestate. One that began elsewhere keeps the flag and the
// tracestate that it came with, but for a th that contradicts the flag, which is removed. The
// price of recording everything is that of a program without sampling; what is saved is
// what is sent and stored.
func Head() sdktrace.Sampler { return head{} }

type head struct{}

// ShouldSample records every span.
func (head) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	parent := trace.SpanContextFromContext(p.ParentContext)
	state := parent.TraceState()
	if !parent.IsValid() {
		return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample, Tracestate: withThreshold(state, always, true)}
	}
	if parent.IsRemote() {
		if s := samplingOf(p.TraceID, state); s.known && s.sampled(s.threshold) != parent.IsSampled() {
			state = withThreshold(state, 0, false)
		}
	}
	decision := sdktrace.RecordAndSample
	if !parent.IsSampled() {
		decision = sdktrace.RecordOnly
	}
	return sdktrace.SamplingResult{Decision: decision, Tracestate: state}
}

// Description names the sampler.
func (head) Description() string { return "tailsample.Head" }

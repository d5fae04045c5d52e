// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"go.opentelemetry.io/otel/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/events"
)

// Events say which events of tool calls are emitted as log records, with the ids of the call's span. Their values
// are those of the span, redacted and truncated. A call whose span is not recorded has no events. The zero
// value emits none.
type Events struct {
	// Exceptions emits gen_ai.execute_tool.exception for each failed call: error.type as exception.type, the
	// text of the error as exception.message, and the stack of a panic.
	Exceptions bool
	// ExperimentalDecisions emits gen_ai.tool.call.decision for each decision of the policies permit and approve:
	// allow, deny or require_approval. The event is a proposal to OpenTelemetry, whose names may change.
	ExperimentalDecisions bool
}

// Processor returns a span processor that emits the events through p, for a tracer provider of the application's
// own. [Setup] adds one by itself if [Options].Events is set.
func (e Events) Processor(p log.LoggerProvider) sdktrace.SpanProcessor {
	return events.New(p, events.Options{Exceptions: e.Exceptions, Decisions: e.ExperimentalDecisions})
}
